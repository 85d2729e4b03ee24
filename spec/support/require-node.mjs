// Fails loudly when npm runs the scripts on a Node that cannot strip types: the devDependency `node` was not installed.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `pi-context-paging: the tests need Node 22.19 or newer, but this is Node ${process.versions.node} at ${process.execPath}.\n` +
      "Run `npm ci` again without --ignore-scripts: it installs the devDependency `node@22` and npm scripts then use it.",
  );
  process.exit(1);
}

/** Fails when the package would hold anything but what users need. `npm run check:package` */
import { execFileSync } from "node:child_process";
import { PACKAGE_DIR } from "./pi-hosts.ts";

const FILES = ["ARCHITECTURE.md", "CHANGELOG.md", "LICENSE", "README.md", "package.json"];

const printed = execFileSync("npm", ["pack", "--dry-run", "--json"], {
  cwd: PACKAGE_DIR,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});
const [packed] = JSON.parse(printed) as { readonly files: readonly { readonly path: string }[] }[];
const paths = packed?.files.map(({ path }) => path) ?? [];
const foreign = paths.filter((path) => !FILES.includes(path) && !/^lib\/.*\.ts$/.test(path));
const missing = [...FILES, "lib/index.ts"].filter((path) => !paths.includes(path));
for (const path of foreign) console.error(`Packed, but must not be: ${path}`);
for (const path of missing) console.error(`Not packed, but must be: ${path}`);
if (foreign.length + missing.length > 0) process.exitCode = 1;
else console.log(`${paths.length} files would be packed: lib and ${FILES.join(", ")}.`);

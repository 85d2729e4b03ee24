/** The sample fork as a package of its own in a sandbox, with this package installed beneath it. */
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { collect, ended, start } from "./child-processes.ts";
import { CURRENT, PACKAGE_DIR } from "./pi-hosts.ts";

/** `directory`: a link, as npm makes of a `file:` dependency. Else the tarball that holds the package. */
export type Installed = "directory" | { readonly tarball: string };

/** Copies the fork below `folder` and installs the package in its node_modules. Returns the fork's folder. */
export async function installFork(folder: string, installed: Installed): Promise<string> {
  const fork = join(folder, "fork");
  const modules = join(fork, "node_modules");
  cpSync(join(PACKAGE_DIR, "examples/fork"), fork, {
    recursive: true,
    filter: (path) => !path.includes("node_modules", PACKAGE_DIR.length),
  });
  mkdirSync(modules, { recursive: true });
  const place = join(modules, "pi-context-paging");
  if (installed === "directory") {
    symlinkSync(PACKAGE_DIR, place);
    return fork;
  }
  await run("tar", ["-xzf", installed.tarball, "-C", modules]);
  renameSync(join(modules, "package"), place);
  return fork;
}

/** `npm test` of an installed fork, as its author types it. Rejects when a spec fails; resolves with what it prints. */
export function testFork(fork: string): Promise<string> {
  const modules = join(fork, "node_modules");
  const jiti = dirname(createRequire(CURRENT.library).resolve("jiti/package.json"));
  symlinkSync(jiti, join(modules, "jiti"));
  symlinkSync(join(PACKAGE_DIR, "node_modules/mocha"), join(modules, "mocha"));
  mkdirSync(join(modules, ".bin"));
  symlinkSync("../mocha/bin/mocha.js", join(modules, ".bin/mocha"));
  return run("npm", ["test"], fork);
}

/** Copies what a Pi loads of this package, as a folder of its own. */
export function copyPackage(folder: string): void {
  for (const part of ["lib", "package.json"])
    cpSync(join(PACKAGE_DIR, part), join(folder, part), { recursive: true });
}

/** Packs this package as for publishing, into a folder of its own. */
export async function packPackage(): Promise<{ readonly tarball: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "paging-pack-"));
  const printed = await run("npm", ["pack", "--json", "--pack-destination", folder]);
  const [packed] = JSON.parse(printed) as { filename: string }[];
  return {
    tarball: join(folder, packed?.filename ?? ""),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function run(command: string, args: readonly string[], cwd = PACKAGE_DIR): Promise<string> {
  const child = start(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const code = await ended(child);
  if (code !== 0) throw new Error(`${command} ended with code ${code}: ${stdout()}${stderr()}`);
  return stdout();
}

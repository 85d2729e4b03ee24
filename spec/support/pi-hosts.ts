/** The two real Pi hosts, as installed beside this package. */
import { join, resolve } from "node:path";

/** The package directory: the extension under test. */
export const PACKAGE_DIR = resolve(import.meta.dirname, "../..");

export interface PiHost {
  readonly name: "legacy" | "current";
  /** The npm scope under which this host publishes its packages. */
  readonly scope: "@mariozechner" | "@earendil-works";
  readonly version: string;
  /** The command line program. */
  readonly cli: string;
  /** The library entry, for sessions inside this process. */
  readonly library: string;
}

const modules = join(PACKAGE_DIR, "node_modules");

export const LEGACY: PiHost = {
  name: "legacy",
  scope: "@mariozechner",
  version: "0.73.1",
  cli: join(modules, "@mariozechner/pi-coding-agent/dist/cli.js"),
  library: join(modules, "@mariozechner/pi-coding-agent/dist/index.js"),
};

export const CURRENT: PiHost = {
  name: "current",
  scope: "@earendil-works",
  version: "1.6.0",
  cli: join(modules, "@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
  library: join(modules, "@earendil-works/pi-coding-agent/dist/index.js"),
};

export const HOSTS: readonly PiHost[] = [LEGACY, CURRENT];

import type { DemoJson } from "../../demo/report.ts";
import { collect, ended, start } from "./child-processes.ts";
import { PACKAGE_DIR } from "./pi-hosts.ts";

/** How a run of the demo ended. */
export interface EndedDemo {
  readonly code: number | null;
  readonly stderr: string;
  readonly report: DemoJson;
}

/** Runs `npm run demo -- --json` with more arguments. */
export async function runDemo(...args: readonly string[]): Promise<EndedDemo> {
  const command = ["--import", "./spec/support/pi-imports.ts", "demo/demo.ts", "--json", ...args];
  const child = start(process.execPath, command, { cwd: PACKAGE_DIR, stdio: ["ignore", "pipe", "pipe"] });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const code = await ended(child);
  return { code, stderr: stderr(), report: JSON.parse(stdout()) as DemoJson };
}

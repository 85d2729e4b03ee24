/** Runs Pi's command line to its end: print mode, JSON mode, `install`, `list`. */
import { collect, ended, kill, start } from "./child-processes.ts";
import { PACKAGE_DIR, type PiHost } from "./pi-hosts.ts";
import type { Sandbox } from "./sandbox.ts";

export interface PiRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly timeoutMs?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs `pi ...args` in the sandbox. A run over time is killed and rejects with what it printed. */
export async function runPi(
  host: PiHost,
  sandbox: Sandbox,
  args: readonly string[],
  { timeoutMs = 60_000, environment = {} }: RunOptions = {},
): Promise<PiRun> {
  const child = start(process.execPath, [host.cli, ...args], {
    cwd: sandbox.cwd,
    env: sandbox.environment(environment),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    kill(child);
  }, timeoutMs);
  const code = await ended(child);
  clearTimeout(timer);
  if (late) {
    throw new Error(`pi ${args.join(" ").slice(0, 200)} took over ${timeoutMs} ms\n${stdout()}\n${stderr()}`);
  }
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Print mode with the extension: all prompts one after the other in one process. */
export function printPrompts(
  host: PiHost,
  sandbox: Sandbox,
  prompts: readonly string[],
  options: RunOptions & { readonly args?: readonly string[] } = {},
): Promise<PiRun> {
  return runPi(host, sandbox, ["-e", PACKAGE_DIR, ...(options.args ?? []), "-p", ...prompts], options);
}

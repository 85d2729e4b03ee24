/** Every child process of the specs: started here, and ended at the latest with this process. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const living = new Set<ChildProcess>();

process.on("exit", () => {
  for (const child of living) kill(child);
});

/** Starts a program in a process group of its own, so that `kill` reaches what it started in turn. */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true });
  living.add(child);
  child.on("close", () => living.delete(child));
  return child;
}

/** Ends the child and its group at once; nothing happens when it has ended. */
export function kill(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

/** Resolves when the child has ended and its output is complete. */
export function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("close", resolve));
}

/** Collects a stream as text. */
export function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = "";
  stream?.setEncoding("utf8");
  stream?.on("data", (part: string) => {
    text += part;
  });
  return () => text;
}

/** Resident memory; not a number where the system does not tell. */
export function residentMiB({ pid }: ChildProcess): number {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Math.round(Number(kib) / 1_024);
  } catch {
    return Number.NaN;
  }
}

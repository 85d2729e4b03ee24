import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { median } from "../median.ts";

/** Medians of some rounds, in milliseconds. */
export interface Cost {
  readonly ms: number;
  readonly cloneMs: number;
}

export function collectGarbage(type: "minor" | "major"): void {
  if (!globalThis.gc) throw new Error("Run with --expose-gc (npm run bench).");
  globalThis.gc({ type });
}

/** What tasks that have ended held is gone. Some of it the engine lets go a task later. */
export async function settled(): Promise<void> {
  for (let task = 0; task < 3; task++) {
    await setTimeout(10);
    collectGarbage("major");
  }
}

/** Milliseconds that some work takes, beside new objects that are collected first. */
export function timed(work: () => void): number {
  collectGarbage("minor");
  const started = performance.now();
  work();
  return performance.now() - started;
}

/** Medians of several rounds. */
export function costOf(rounds: readonly Cost[]): Cost {
  return {
    ms: median(rounds.map(({ ms }) => ms)),
    cloneMs: median(rounds.map(({ cloneMs }) => cloneMs)),
  };
}

/** The cost as a part of the clone that was timed beside it. */
export function ratio({ ms, cloneMs }: Cost): number {
  return ms / cloneMs;
}

/** The yardstick of the search benches, and how they measure. */
import { NEEDLE } from "./search-corpus.ts";

const PASSES = 9;

/**
 * How long something takes, in milliseconds of processor time: what else runs on the machine does not count. The clock of
 * a thread ticks only every few milliseconds, so short work is measured several times at once.
 */
export interface Took {
  /** Of the thread that works: what a user waits for where the others find a free core. */
  readonly threadMs: number;
  /** Of all threads: with the engine's compiler and the helpers of its garbage collector. */
  readonly processMs: number;
}

/** The average of some rounds. */
export async function timed(rounds: number, work: () => unknown): Promise<Took> {
  const [thread, whole] = [process.threadCpuUsage(), process.cpuUsage()];
  for (let round = 0; round < rounds; round++) await work();
  const [threadEnd, wholeEnd] = [process.threadCpuUsage(thread), process.cpuUsage(whole)];
  return { threadMs: ms(threadEnd) / rounds, processMs: ms(wholeEnd) / rounds };
}

/** A plain `toLowerCase().includes` scan of these texts: the average of some passes, after one that does not count. */
export async function scanTime(texts: readonly string[]): Promise<Took> {
  const needle = NEEDLE.toLowerCase();
  const pass = () => texts.filter((text) => text.toLowerCase().includes(needle)).length;
  pass();
  return timed(PASSES, pass);
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function ms({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1_000;
}

/** The yardstick of the search benches, and how they measure. */
import { NEEDLE } from "./search-corpus.ts";

const PASSES = 9;

/** A pause in which the model would write its next call, and items get their signatures. */
export const THINKING_MS = 4_000;

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
  scan(texts);
  return timed(PASSES, () => scan(texts));
}

/** The averages of a scan and of other work, in turns: when the machine slows down, both do. */
export async function besideScan(
  texts: readonly string[],
  work: () => unknown,
): Promise<{ readonly scan: Took; readonly took: Took }> {
  scan(texts);
  const scans: Took[] = [];
  const works: Took[] = [];
  while (works.length < PASSES) {
    scans.push(await timed(1, () => scan(texts)));
    works.push(await timed(1, work));
  }
  return { scan: average(scans), took: average(works) };
}

function scan(texts: readonly string[]): number {
  const needle = NEEDLE.toLowerCase();
  return texts.filter((text) => text.toLowerCase().includes(needle)).length;
}

function average(all: readonly Took[]): Took {
  const mean = (msOf: (one: Took) => number) => all.reduce((sum, one) => sum + msOf(one), 0) / all.length;
  return { threadMs: mean(({ threadMs }) => threadMs), processMs: mean(({ processMs }) => processMs) };
}

function ms({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1_000;
}

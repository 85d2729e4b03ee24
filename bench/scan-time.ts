/** The yardstick of the search benches, and how they measure. */
import { NEEDLE } from "./search-corpus.ts";

const PASSES = 7;

/** How long something takes, in milliseconds of processor time: what else runs on the machine does not count. */
export interface Took {
  /** Of the thread that works: what a user waits for where the others find a free core. */
  readonly threadMs: number;
  /** Of all threads: with the engine's compiler and the helpers of its garbage collector. */
  readonly processMs: number;
}

export async function timed(work: () => unknown): Promise<Took> {
  const [thread, whole] = [process.threadCpuUsage(), process.cpuUsage()];
  await work();
  return { threadMs: ms(process.threadCpuUsage(thread)), processMs: ms(process.cpuUsage(whole)) };
}

/** A plain `toLowerCase().includes` scan of these texts: the median of several passes, after one that does not count. */
export async function scanTime(texts: readonly string[]): Promise<Took> {
  const needle = NEEDLE.toLowerCase();
  const pass = () => texts.filter((text) => text.toLowerCase().includes(needle)).length;
  pass();
  const times: Took[] = [];
  while (times.length < PASSES) times.push(await timed(pass));
  return {
    threadMs: median(times.map(({ threadMs }) => threadMs)),
    processMs: median(times.map(({ processMs }) => processMs)),
  };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function ms({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1_000;
}

/** The yardstick of the search benches, and how they measure. */
import { NEEDLE } from "./search-corpus.ts";

const PASSES = 7;

/** Milliseconds of processor time: what else runs on the machine does not count, the garbage collector and compiler do. */
export async function timed(work: () => unknown): Promise<number> {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

/** A plain `toLowerCase().includes` scan of these texts: the median of several passes, after one that does not count. */
export async function scanTime(texts: readonly string[]): Promise<number> {
  const needle = NEEDLE.toLowerCase();
  const pass = () => texts.filter((text) => text.toLowerCase().includes(needle)).length;
  pass();
  const times: number[] = [];
  while (times.length < PASSES) times.push(await timed(pass));
  return median(times);
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

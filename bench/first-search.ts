/**
 * One sample for `bench/search.ts`, in a process of its own: nothing of the search has run here before, and no code of it
 * is compiled. Arguments: the name of a corpus, its size in MB, a query. Prints a JSON line.
 */
import { setTimeout } from "node:timers/promises";
import { HistoryNavigator } from "../lib/recovery/history-navigator.ts";
import { TokenEstimator } from "../lib/usage/token-estimator.ts";
import { scanTime, THINKING_MS, type Took, timed } from "./scan-time.ts";
import { CORPORA } from "./search-corpus.ts";
import { textsOf } from "./stored-history.ts";

/** What one process measured. */
export interface FirstSearchSample {
  readonly scan: Took;
  readonly first: Took;
  /** The same search again without a pause, before there are signatures. */
  readonly again: Took;
  /** What the navigator keeps of an item then, in bytes. */
  readonly itemBytes: number;
}

const [name, megabytes, query = ""] = process.argv.slice(2);
const items = CORPORA.find((corpus) => corpus.name === name)?.items(Number(megabytes)) ?? [];
const scope = { budgetTokens: 128_000, inWindow: () => false };
const scan = await scanTime(items.flatMap(textsOf));
const bytesBefore = bytesInUse();
const navigator = new HistoryNavigator(new TokenEstimator());
const search = async () => {
  navigator.update(items);
  await navigator.search({ query }, scope);
};
const first = await timed(1, search);
const again = await timed(1, search);
await setTimeout(THINKING_MS);
const itemBytes = (bytesInUse() - bytesBefore) / items.length;
console.log(JSON.stringify({ scan, first, again, itemBytes } satisfies FirstSearchSample));

/** Needs `--expose-gc`. */
function bytesInUse(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/**
 * Time of searches on 13 MB and 54 MB of history as a ratio to a plain `toLowerCase().includes` scan of the same text
 * in the same process, in processor time. First searches: each in a new process that has searched nothing before, the
 * median of several. Later ones of several kinds, and one after an appended turn: averages in one process, in turns with
 * the scan. Prints a table with targets and a JSON line; exits 1 when a target is missed.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { HistoryNavigator } from "../lib/recovery/history-navigator.ts";
import { TokenEstimator } from "../lib/usage/token-estimator.ts";
import type { FirstSearchSample } from "./first-search.ts";
import { median } from "./median.ts";
import { besideScan, THINKING_MS, type Took } from "./scan-time.ts";
import { anotherTurn, CORPORA, type Corpus } from "./search-corpus.ts";
import { textsOf } from "./stored-history.ts";

const SIZES_MB = [13, 54];
const PROCESSES = 5;
const FIRST_TARGET = 10;
const LATER_TARGET = 2;
/** Kinds of queries that a first search is tried with. */
const FIRST_KINDS = ["one word", "common words", "nothing, misspelt"];

interface Row {
  readonly text: string;
  readonly search: string;
  readonly ms: number;
  readonly scanMs: number;
  /** By the time of the working thread. First searches: the median of the ratios of all processes. */
  readonly ratio: number;
  /** The same by the time of all threads, for information. */
  readonly processRatio: number;
  /** None: for information. */
  readonly target?: number;
}

function firstRows({ name, queries }: Corpus, megabytes: number): Row[] {
  const text = `${name}, ${megabytes} MB`;
  return FIRST_KINDS.flatMap((kind) => {
    const samples = Array.from({ length: PROCESSES }, () => sample(name, megabytes, queries[kind] ?? ""));
    const row = (search: string, tookOf: (one: FirstSearchSample) => Took) => ({
      text,
      search,
      ms: median(samples.map((one) => tookOf(one).threadMs)),
      scanMs: median(samples.map(({ scan }) => scan.threadMs)),
      ratio: median(samples.map((one) => tookOf(one).threadMs / one.scan.threadMs)),
      processRatio: median(samples.map((one) => tookOf(one).processMs / one.scan.processMs)),
    });
    const itemBytes = Math.round(median(samples.map((one) => one.itemBytes)));
    console.log(`${text}: ${itemBytes} bytes an item after the searches for ${kind}`);
    return [
      { ...row(`first: ${kind}`, ({ first }) => first), target: FIRST_TARGET },
      { ...row(`again at once: ${kind}`, ({ again }) => again), target: FIRST_TARGET },
    ];
  });
}

function sample(name: string, megabytes: number, query: string): FirstSearchSample {
  const script = join(import.meta.dirname, "first-search.ts");
  const args = ["--expose-gc", script, name, String(megabytes), query];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as FirstSearchSample;
}

async function laterRows({ name, items: make, queries }: Corpus, megabytes: number): Promise<Row[]> {
  const items = make(megabytes);
  const texts = items.flatMap(textsOf);
  const scope = { budgetTokens: 128_000, inWindow: () => false };
  const navigator = new HistoryNavigator(new TokenEstimator());
  const search = async (query: string) => {
    navigator.update(items);
    await navigator.search({ query }, scope);
  };
  // Afterwards every item has its signature, and the code is compiled.
  for (const query of Object.values(queries)) await search(query);
  await setTimeout(THINKING_MS);
  const row = async (kind: string, work: () => Promise<void>): Promise<Row> => {
    const { scan, took } = await besideScan(texts, work);
    return {
      text: `${name}, ${megabytes} MB`,
      search: kind,
      ms: took.threadMs,
      scanMs: scan.threadMs,
      ratio: took.threadMs / scan.threadMs,
      processRatio: took.processMs / scan.processMs,
      target: LATER_TARGET,
    };
  };
  const rows: Row[] = [];
  for (const [kind, query] of Object.entries(queries)) rows.push(await row(kind, () => search(query)));
  const afterAnother = () => {
    items.push(...anotherTurn());
    return search(queries["one word"] ?? "");
  };
  return [...rows, await row("after an appended turn", afterAnother)];
}

const rows: Row[] = [];
for (const megabytes of SIZES_MB) {
  for (const corpus of CORPORA) {
    if (corpus.items(0.001).length === 0) {
      console.log("No real sessions here: only generated text is measured.");
      continue;
    }
    rows.push(...firstRows(corpus, megabytes), ...(await laterRows(corpus, megabytes)));
  }
}
console.table(
  rows.map(({ text, search, ms, scanMs, ratio, processRatio, target = Number.POSITIVE_INFINITY }) => ({
    text,
    search,
    ms: ms.toFixed(1),
    "scan ms": scanMs.toFixed(1),
    ratio: ratio.toFixed(2),
    "all threads": processRatio.toFixed(2),
    target: Number.isFinite(target) ? target : "-",
    ok: ratio <= target ? "yes" : "MISSED",
  })),
);
console.log(JSON.stringify({ bench: "search", rows }));
const isMissed = ({ ratio, target = Number.POSITIVE_INFINITY }: Row) => !(ratio <= target);
if (rows.some(isMissed)) process.exitCode = 1;

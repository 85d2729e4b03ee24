/**
 * Retrieval on real sessions: queries of six kinds drawn from the items with a fixed seed, each in at most four items.
 * R@5 is the share of those items among the first five references. Also Chinese, Japanese and Korean phrases in
 * generated sessions. Each query is asked as a first search and as a later one: the worse of the two counts.
 *
 * Prints a table with targets and a JSON line; exits 1 when a target is missed, when there are fewer than 30 queries of a
 * kind though the session has more, and when no session has 30 of a kind. Where a session has fewer, a line says why.
 */
import { setTimeout } from "node:timers/promises";
import { HistoryNavigator } from "../lib/recovery/history-navigator.ts";
import type { HistoryItem } from "../lib/session/history-item.ts";
import { TokenEstimator } from "../lib/usage/token-estimator.ts";
import { cjkHistories } from "./cjk-history.ts";
import { type DrawnQuery, QUERY_KINDS, randomNumbers } from "./query-kinds.ts";
import { realSessions, textsOf } from "./stored-history.ts";

const SEED = 20_260_105;
const QUERIES_PER_KIND = 60;
const FEWEST_QUERIES = 30;
const MOST_ITEMS = 4;
const RANKS = 5;
/** Ten times what these sessions need. */
const SIGNING_MS = 2_000;
const TARGETS: Readonly<Record<string, number>> = {
  phrase: 0.98,
  identifier: 0.98,
  "identifier words": 0.9,
  path: 0.9,
  "error line": 0.98,
  "inner substring": 0.85,
  "cjk phrase": 1,
};

interface Row {
  readonly session: string;
  readonly kind: string;
  readonly queries: number;
  readonly recallAt1: number;
  readonly recallAt5: number;
  readonly mrr: number;
  readonly target: number;
}

/** Items by the lower-case text that says whether they hold a needle. */
class Truth {
  readonly #texts: readonly { readonly historyId: string; readonly text: string }[];

  constructor(items: readonly HistoryItem[]) {
    this.#texts = items.map((item) => ({
      historyId: item.historyId,
      text: textsOf(item).join("\u0000").toLowerCase(),
    }));
  }

  holders(needle: string): string[] {
    const lower = needle.toLowerCase();
    return this.#texts.filter(({ text }) => text.includes(lower)).map(({ historyId }) => historyId);
  }
}

interface Drawn {
  readonly queries: readonly DrawnQuery[];
  /** Distinct texts of the kind in the session, and how many of them were looked at. */
  readonly candidates: number;
  readonly tried: number;
}

/** Distinct queries of a kind in random order, as many as are asked for and rare enough. */
function draw(items: readonly HistoryItem[], kind: string, truth: Truth): Drawn {
  const random = randomNumbers(SEED + kind.length);
  const all = new Map<string, DrawnQuery>();
  for (const text of items.flatMap(textsOf)) {
    for (const drawn of QUERY_KINDS[kind]?.(text) ?? []) all.set(drawn.query, drawn);
  }
  const shuffled = [...all.values()].map((drawn) => ({ drawn, key: random() })).sort((a, b) => a.key - b.key);
  const queries: DrawnQuery[] = [];
  let tried = 0;
  for (const { drawn } of shuffled) {
    if (queries.length === QUERIES_PER_KIND) break;
    tried++;
    const count = truth.holders(drawn.needle).length;
    if (count > 0 && count <= MOST_ITEMS && drawn.query.length <= 200) queries.push(drawn);
  }
  return { queries, candidates: all.size, tried };
}

/** Says what is missing. False: the session has more. */
function isEnough(session: string, kind: string, { queries, candidates, tried }: Drawn): boolean {
  if (queries.length >= FEWEST_QUERIES) return true;
  console.log(
    `${session}: only ${queries.length} queries of the kind "${kind}". Of ${candidates} texts of this kind in the ` +
      `session, ${tried} were tried: the others of these are in more than ${MOST_ITEMS} items or too long.`,
  );
  return tried === candidates;
}

async function measure(
  session: string,
  kind: string,
  items: readonly HistoryItem[],
  queries: readonly DrawnQuery[],
): Promise<Row> {
  const truth = new Truth(items);
  const later = await searchedBefore(items);
  let at1 = 0;
  let at5 = 0;
  let reciprocal = 0;
  for (const { query, needle } of queries) {
    const holders = new Set(truth.holders(needle));
    const navigators = [navigatorOf(items), later];
    const found = await Promise.all(navigators.map((one) => ranksOf(one, query, holders)));
    at5 += Math.min(...found.map((ranks) => ranks.length)) / holders.size;
    if (found.every(([rank]) => rank === 0)) at1++;
    reciprocal += Math.min(...found.map(([rank = Number.POSITIVE_INFINITY]) => 1 / (rank + 1)));
    if (process.env.SHOW_MISSES && found.some((ranks) => ranks.length < holders.size))
      console.error(session, kind, JSON.stringify({ query, needle, holders: [...holders], found }));
  }
  const count = queries.length;
  return {
    session,
    kind,
    queries: count,
    recallAt1: at1 / count,
    recallAt5: at5 / count,
    mrr: reciprocal / count,
    target: TARGETS[kind] ?? 0,
  };
}

function navigatorOf(items: readonly HistoryItem[]): HistoryNavigator {
  const navigator = new HistoryNavigator(new TokenEstimator());
  navigator.update(items);
  return navigator;
}

/** After a search and a pause, in which the items get their signatures. */
async function searchedBefore(items: readonly HistoryItem[]): Promise<HistoryNavigator> {
  const navigator = navigatorOf(items);
  await ranksOf(navigator, "anything", new Set());
  await setTimeout(SIGNING_MS);
  return navigator;
}

/** At which ranks the holders are among the first references, from 0. */
async function ranksOf(
  navigator: HistoryNavigator,
  query: string,
  holders: ReadonlySet<string>,
): Promise<number[]> {
  const scope = { budgetTokens: 128_000, inWindow: () => false };
  const { references } = await navigator.search({ query, limit: RANKS }, scope);
  return references.flatMap(({ historyId }, rank) => (holders.has(historyId) ? [rank] : []));
}

const rows: Row[] = [];
let hasEnough = true;
const sessions = realSessions();
if (sessions.length === 0) console.log("No real sessions here: only generated ones are measured.");
for (const { name, items } of sessions) {
  const truth = new Truth(items);
  for (const kind of Object.keys(QUERY_KINDS)) {
    const drawn = draw(items, kind, truth);
    hasEnough = isEnough(name, kind, drawn) && hasEnough;
    if (drawn.queries.length > 0) rows.push(await measure(name, kind, items, drawn.queries));
  }
}
for (const { script, items, phrases } of cjkHistories()) {
  const queries = phrases.map((needle) => ({ query: needle, needle }));
  rows.push(await measure(script, "cjk phrase", items, queries));
}
const kinds = ["cjk phrase", ...(sessions.length > 0 ? Object.keys(QUERY_KINDS) : [])];
for (const kind of kinds) {
  if (rows.some((row) => row.kind === kind && row.queries >= FEWEST_QUERIES)) continue;
  console.log(`No session has ${FEWEST_QUERIES} queries of the kind "${kind}".`);
  hasEnough = false;
}

console.table(
  rows.map(({ recallAt1, recallAt5, mrr, ...row }) => ({
    ...row,
    "R@1": recallAt1.toFixed(3),
    "R@5": recallAt5.toFixed(3),
    MRR: mrr.toFixed(3),
    ok: recallAt5 >= row.target ? "yes" : "MISSED",
  })),
);
console.log(JSON.stringify({ bench: "recall", seed: SEED, rows }));
if (!hasEnough || rows.some(({ recallAt5, target }) => !(recallAt5 >= target))) process.exitCode = 1;

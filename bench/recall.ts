/**
 * Retrieval on real sessions: queries of six kinds drawn from the items with a fixed seed, each in at most four items.
 * R@5 is the share of those items among the first five references. Also Chinese, Japanese and Korean phrases in a
 * generated session. Prints a table with targets and a JSON line; exits 1 when a target is missed.
 */
import { HistoryNavigator } from "../lib/recovery/history-navigator.ts";
import type { HistoryItem } from "../lib/session/history-item.ts";
import { TokenEstimator } from "../lib/usage/token-estimator.ts";
import { cjkHistory } from "./cjk-history.ts";
import { type DrawnQuery, QUERY_KINDS, randomNumbers } from "./query-kinds.ts";
import { realSessions, textsOf } from "./stored-history.ts";

const SEED = 20_260_105;
const QUERIES_PER_KIND = 60;
const MOST_ITEMS = 4;
const RANKS = 5;
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

/** Distinct queries of a kind in random order, as many as are asked for and rare enough. */
function draw(items: readonly HistoryItem[], kind: string, truth: Truth): DrawnQuery[] {
  const random = randomNumbers(SEED + kind.length);
  const all = new Map<string, DrawnQuery>();
  for (const text of items.flatMap(textsOf)) {
    for (const drawn of QUERY_KINDS[kind]?.(text) ?? []) all.set(drawn.query, drawn);
  }
  const shuffled = [...all.values()].map((drawn) => ({ drawn, key: random() })).sort((a, b) => a.key - b.key);
  const taken: DrawnQuery[] = [];
  for (const { drawn } of shuffled) {
    const count = truth.holders(drawn.needle).length;
    if (count > 0 && count <= MOST_ITEMS && drawn.query.length <= 200) taken.push(drawn);
    if (taken.length === QUERIES_PER_KIND) break;
  }
  return taken;
}

async function measure(
  session: string,
  kind: string,
  items: readonly HistoryItem[],
  queries: readonly DrawnQuery[],
): Promise<Row> {
  const truth = new Truth(items);
  let navigator = new HistoryNavigator(new TokenEstimator());
  navigator.update(items);
  let at1 = 0;
  let at5 = 0;
  let reciprocal = 0;
  for (const { query, needle } of queries) {
    const holders = new Set(truth.holders(needle));
    if (process.env.FRESH) {
      navigator = new HistoryNavigator(new TokenEstimator());
      navigator.update(items);
    }
    const { references } = await navigator.search(
      { query, limit: RANKS },
      { budgetTokens: 128_000, inWindow: () => false },
    );
    const ranks = references.flatMap(({ historyId }, rank) => (holders.has(historyId) ? [rank] : []));
    at5 += ranks.length / holders.size;
    if (process.env.SHOW_MISSES && ranks.length < holders.size)
      console.error(
        session,
        kind,
        JSON.stringify({ query, needle, holders: [...holders], found: references.map((r) => r.historyId) }),
      );
    if (ranks[0] === 0) at1++;
    if (ranks[0] !== undefined) reciprocal += 1 / (ranks[0] + 1);
  }
  const count = queries.length;
  const target = TARGETS[kind] ?? 0;
  return {
    session,
    kind,
    queries: count,
    recallAt1: at1 / count,
    recallAt5: at5 / count,
    mrr: reciprocal / count,
    target,
  };
}

const rows: Row[] = [];
const sessions = realSessions();
if (sessions.length === 0) console.log("No real sessions here: only the generated one is measured.");
for (const { name, items } of sessions) {
  const truth = new Truth(items);
  for (const kind of Object.keys(QUERY_KINDS))
    rows.push(await measure(name, kind, items, draw(items, kind, truth)));
}
const { items, phrases } = cjkHistory();
rows.push(
  await measure(
    "generated",
    "cjk phrase",
    items,
    phrases.map((needle) => ({ query: needle, needle })),
  ),
);

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
if (rows.some(({ recallAt5, target }) => !(recallAt5 >= target))) process.exitCode = 1;

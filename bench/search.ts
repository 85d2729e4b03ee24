/**
 * Time of searches on 13 MB and 54 MB of history as a ratio to a plain `toLowerCase().includes` scan of the same text
 * in the same run: the first search, later ones of several kinds, and one after an appended turn. Prints a table with
 * targets and a JSON line; exits 1 when a target is missed.
 */
import { HistoryNavigator } from "../lib/recovery/history-navigator.ts";
import type { HistoryItem } from "../lib/session/history-item.ts";
import { TokenEstimator } from "../lib/usage/token-estimator.ts";
import { branch } from "../spec/support/branch-builder.ts";
import { randomNumbers } from "./query-kinds.ts";
import { projected, realSessions, textsOf } from "./stored-history.ts";

const SIZES_MB = [13, 54];
const ROUNDS = 9;
const FIRST_TARGET = 10;
const LATER_TARGET = 2;
const RESULT_CHARACTERS = 2_000;
const NEEDLE = "quixoticMarmaladeZeppelin";

const QUERIES: Readonly<Record<string, string>> = {
  "one rare word": NEEDLE,
  "rare and common words": "quixotic frontier of the session window",
  "common words": "session manager keeps the stable cut",
  "part of a word": "armaladeZep",
  "identifier in words": "quixotic marmalade zeppelin",
  "a file": "lib/session/branch-projection-1200",
  nothing: "xylophonistic brouhaha",
  "nothing, misspelt": "quixoticMarmeladeZepelin",
};

const REAL_QUERIES: Readonly<Record<string, string>> = {
  "one word": "compaction",
  "common words": "read the session file and check the test",
  "an error": "TypeError: Cannot read properties of undefined",
  "part of a word": "essionMana",
  "identifier in words": "session manager",
  "a file": "src/core/session-manager",
  nothing: "xylophonistic brouhaha",
  "nothing, misspelt": "quixoticMarmeladeZepelin",
};

interface Row {
  readonly text: string;
  readonly search: string;
  readonly ms: number;
  readonly scanMs: number;
  readonly ratio: number;
  readonly target: number;
}

/** Text as tools print it: words, identifiers, paths and numbers in lines. */
function outputs(): (characters: number) => string {
  const random = randomNumbers(1);
  const words =
    "the stable cut keeps every request within its budget and the oldest history leaves first while answers stay whole " +
    "session entry model turn result window notice frontier provider cache prefix branch manager const function return";
  const vocabulary = words.split(" ");
  const word = () => vocabulary[Math.floor(random() * vocabulary.length)] ?? "";
  const token = (): string => {
    const kind = random();
    if (kind < 0.75) return word();
    if (kind < 0.85) return `${word()}${word().replace(/^./, (first) => first.toUpperCase())}()`;
    if (kind < 0.92)
      return `lib/${word()}/${word()}-${Math.floor(random() * 10_000)}.ts:${Math.floor(random() * 300)}`;
    return Math.floor(random() * 1e9).toString(random() < 0.5 ? 16 : 10);
  };
  return (characters) => {
    let text = "";
    while (text.length < characters) text += token() + (random() < 0.12 ? "\n  " : " ");
    // In real sessions almost half of the text is in outputs with a character beyond Latin-1: a tick, a line, an arrow.
    const tick = random() < 0.45 ? "✓" : "-";
    // One flat string, as a parsed session file has it.
    return JSON.parse(JSON.stringify(tick + text.slice(1, characters))) as string;
  };
}

function history(megabytes: number): HistoryItem[] {
  const output = outputs();
  const built = branch();
  const turns = Math.round((megabytes * 1e6) / RESULT_CHARACTERS);
  for (let turn = 0; turn < turns; turn++) {
    if (turn % 20 === 0) built.user(`Prompt ${turn}: ${output(100)}`);
    const text =
      turn === Math.floor(turns / 3)
        ? output(RESULT_CHARACTERS).slice(30) + NEEDLE
        : output(RESULT_CHARACTERS);
    built
      .assistant({ calls: [{ name: "read", args: { path: `lib/session/branch-projection-${turn}.ts` } }] })
      .results(text);
  }
  return [...projected(built.entries)];
}

/** The shortest of some rounds. */
function shortest(measured: () => number): number {
  return Math.min(...Array.from({ length: ROUNDS }, measured));
}

/** Milliseconds of processor time: what else runs on the machine does not count, the garbage collector does. */
function timed(work: () => unknown): number {
  const started = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

/** The real sessions again and again, up to a size; every copy has its own strings. */
function repeated(megabytes: number): HistoryItem[] {
  const sessions = realSessions().flatMap(({ items }) => items);
  const items: HistoryItem[] = [];
  for (let characters = 0; sessions.length > 0 && characters < megabytes * 1e6; ) {
    const copies = JSON.parse(JSON.stringify(sessions)) as HistoryItem[];
    characters += copies.flatMap(textsOf).reduce((sum, text) => sum + text.length, 0);
    items.push(...copies);
  }
  return items;
}

interface Source {
  readonly name: string;
  readonly items: (megabytes: number) => HistoryItem[];
  readonly queries: Readonly<Record<string, string>>;
}

const SOURCES: readonly Source[] = [
  { name: "generated", items: history, queries: QUERIES },
  { name: "real", items: repeated, queries: REAL_QUERIES },
];

function measure({ name: source, items: make, queries }: Source, megabytes: number): Row[] {
  const items = make(megabytes);
  if (items.length === 0) {
    console.log("No real sessions here: only generated text is measured.");
    return [];
  }
  const texts = items.flatMap(textsOf);
  const needle = NEEDLE.toLowerCase();
  const scan = () => timed(() => texts.filter((text) => text.toLowerCase().includes(needle)).length);
  const scope = { budgetTokens: 128_000, inWindow: () => false };
  let navigator = new HistoryNavigator(new TokenEstimator());
  const search = (query: string) =>
    timed(() => {
      navigator.update(items);
      return navigator.search({ query }, scope);
    });
  const row = (name: string, measured: () => number, target: number): Row => {
    const scanMs = shortest(scan);
    const ms = shortest(measured);
    return { text: `${source}, ${megabytes} MB`, search: name, ms, scanMs, ratio: ms / scanMs, target };
  };
  const firstSearch = () => {
    navigator = new HistoryNavigator(new TokenEstimator());
    return search(NEEDLE);
  };
  const rows = [row("first", firstSearch, FIRST_TARGET)];
  for (const [name, query] of Object.entries(queries)) {
    rows.push(row(name, () => search(query), LATER_TARGET));
  }
  const output = outputs();
  const afterAnother = () => {
    const appended = branch().turn("One more.", [{ name: "read", args: { path: "more.ts" } }], output(2_000));
    items.push(...projected(appended.entries));
    return search(NEEDLE);
  };
  rows.push(row("after an appended turn", afterAnother, LATER_TARGET));
  return rows;
}

const rows = SIZES_MB.flatMap((megabytes) => SOURCES.flatMap((source) => measure(source, megabytes)));
console.table(
  rows.map(({ ms, scanMs, ratio, ...row }) => ({
    ...row,
    ms: ms.toFixed(1),
    "scan ms": scanMs.toFixed(1),
    ratio: ratio.toFixed(2),
    ok: ratio <= row.target ? "yes" : "MISSED",
  })),
);
console.log(JSON.stringify({ bench: "search", rows }));
if (rows.some(({ ratio, target }) => !(ratio <= target))) process.exitCode = 1;

/** What the search benches search: generated text and copies of the real sessions, of a given size. */
import type { HistoryItem } from "../lib/session/history-item.ts";
import { branch } from "../spec/support/branch-builder.ts";
import { randomNumbers } from "./query-kinds.ts";
import { projected, realSessions, textsOf } from "./stored-history.ts";

const RESULT_CHARACTERS = 2_000;
/** What a plain scan looks for: it is at one place of the generated text, and nowhere in the real one. */
export const NEEDLE = "quixoticMarmaladeZeppelin";

const QUERIES: Readonly<Record<string, string>> = {
  "one word": NEEDLE,
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

/** A kind of text, and what is searched in it. */
export interface Corpus {
  readonly name: string;
  /** As many characters as `megabytes` says; none where there are no real sessions. */
  readonly items: (megabytes: number) => HistoryItem[];
  readonly queries: Readonly<Record<string, string>>;
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

export const CORPORA: readonly Corpus[] = [
  { name: "generated", items: history, queries: QUERIES },
  { name: "real", items: repeated, queries: REAL_QUERIES },
];

/** A new turn, and its items. */
export function anotherTurn(): readonly HistoryItem[] {
  const calls = [{ name: "read", args: { path: "more.ts" } }];
  return projected(branch().turn("One more.", calls, outputs()(RESULT_CHARACTERS)).entries);
}

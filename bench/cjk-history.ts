import type { HistoryItem } from "../lib/session/history-item.ts";
import { branch } from "../spec/support/branch-builder.ts";
import { randomNumbers } from "./query-kinds.ts";
import { projected, textsOf } from "./stored-history.ts";

const ITEMS_PER_SCRIPT = 120;
const SENTENCES = 40;
/** Phrases in more items than this are no question with one answer. */
const MOST_ITEMS = 4;

function range(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => String.fromCharCode(first + at));
}

/** The characters that all text of a script is made of, phrases too: none of them tells an item from others. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  Chinese: range(0x4e00, 400),
  Japanese: [...range(0x3042, 80), ...range(0x30a2, 80), ...range(0x5200, 100)],
  Korean: range(0xac00, 400),
};

/** A session of one script, and phrases of 2 to 6 characters in the middle of its sentences. */
export interface CjkHistory {
  readonly script: string;
  readonly items: readonly HistoryItem[];
  readonly phrases: readonly string[];
}

/** Sessions of Chinese, Japanese and Korean text without spaces. Some characters are far more common than others. */
export function cjkHistories(): readonly CjkHistory[] {
  return Object.entries(SCRIPTS).map(([script, characters]) => {
    const random = randomNumbers(script.length);
    const some = (length: number) =>
      Array.from({ length }, () => characters[Math.floor(random() ** 1.5 * characters.length)]).join("");
    const sentence = () => `${some(8 + Math.floor(random() * 20))}。`;
    const sentences = (count: number) => Array.from({ length: count }, sentence).join("");
    const planted: string[] = [];
    const built = branch();
    for (let item = 0; item < ITEMS_PER_SCRIPT; item++) {
      const phrase = some(2 + (item % 5));
      planted.push(phrase);
      const text = sentences(SENTENCES / 2) + some(9) + phrase + some(7) + sentences(SENTENCES / 2);
      built.turn(sentence(), [{ name: "read", args: { path: `notes-${item}.md` } }], text, sentence());
    }
    const items = projected(built.path);
    const texts = items.map((item) => textsOf(item).join("\u0000"));
    const isRare = (phrase: string) => texts.filter((text) => text.includes(phrase)).length <= MOST_ITEMS;
    return { script, items, phrases: [...new Set(planted)].filter(isRare) };
  });
}

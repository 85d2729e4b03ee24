import type { HistoryItem } from "../lib/session/history-item.ts";
import { branch } from "../spec/support/branch-builder.ts";
import { randomNumbers } from "./query-kinds.ts";
import { projected } from "./stored-history.ts";

const TURNS = 200;
type Range = readonly [first: number, count: number];
const HAN: Range = [0x4e00, 600];
const KANA: Range = [0x3042, 80];
const HANGUL: Range = [0xac00, 600];
/** Characters that the other text does not use: they make a phrase unique. */
const RARE_HAN = 0x8c00;

/** A session of Chinese, Japanese and Korean text without spaces, and phrases of 2 to 6 characters planted in it. */
export function cjkHistory(): {
  readonly items: readonly HistoryItem[];
  readonly phrases: readonly string[];
} {
  const random = randomNumbers(7);
  const run = ([first, count]: Range, length: number) =>
    Array.from({ length }, () => String.fromCharCode(first + Math.floor(random() * count))).join("");
  const built = branch();
  const phrases: string[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const script = [HAN, KANA, HANGUL][turn % 3] ?? HAN;
    const phrase = String.fromCharCode(RARE_HAN + (turn % 7), RARE_HAN + 10 + turn) + run(script, turn % 5);
    phrases.push(phrase);
    const text = run(script, 400 + turn) + phrase + run(script, 500);
    const calls = [{ name: "read", args: { path: `notes-${turn}.md` } }];
    built.turn(run(script, 20), calls, text, run(script, 30));
  }
  return { items: projected(built.path), phrases };
}

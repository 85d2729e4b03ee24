/**
 * What a query looks for: the query as it is, each of its words, and each two words side by side.
 *
 * Words of an identifier may be written in any way: `SessionManager`, `session_manager` and `session manager` are the
 * same two words. Scripts without spaces give overlapping pairs of characters instead of words. Section "History
 * navigation".
 */
import { QueryUnit } from "./query-unit.ts";

/** More words than this do not narrow a search; the query as a whole still counts. */
const MOST_TERMS = 15;
/** Below this, a Latin word counts only as a whole: inside other words it is everywhere. */
const SHORTEST_INNER = 3;
/** Shorter words have too many neighbours to guess from. */
const SHORTEST_RELAXED = 5;

const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー";
const EMOJI = "\\p{Extended_Pictographic}[\\p{Extended_Pictographic}\\p{EMod}\\u200d\\ufe0f]*";
const WORDS = new RegExp(`[${UNSPACED}]+|${EMOJI}|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
const CASE_BOUNDARY =
  /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u;
/** What may stand between two words that belong together. */
const GAP = "[^0-9a-z\\u0080-\\uffff]*";

/** A query, ready to be looked for. Immutable. */
export class SearchQuery {
  readonly units: readonly QueryUnit[];

  private constructor(units: readonly QueryUnit[]) {
    this.units = units;
  }

  /** Reads a query. Without any character but white space it has no units. */
  static parse(query: string): SearchQuery {
    const text = query.trim();
    if (text === "") return new SearchQuery([]);
    const words = wordsOf(text);
    const isShort = (word: string) =>
      words.length > 1 && word.length < SHORTEST_INNER && /^[0-9a-z]+$/i.test(word);
    const terms = words.map((word) => {
      const pattern = isShort(word) ? `\\b${escaped(word)}\\b` : wordPattern(word);
      return new QueryUnit({ kind: "term", pattern, text: word });
    });
    // Units are numbered as they are returned: the phrase, the pairs, the terms. What holds a phrase or a pair holds its
    // words, but a short word need not stand there as a whole.
    const firstTerm = Math.max(1, words.length);
    const needs = words.map((word, at) => (isShort(word) ? 0 : 1 << (firstTerm + at)));
    const pairs = words.slice(1).map((word, at) => {
      const first = words[at] ?? "";
      const pattern = wordPattern(first) + GAP + wordPattern(word);
      const both = (needs[at] ?? 0) | (needs[at + 1] ?? 0);
      return new QueryUnit({ kind: "pair", pattern, text: first + word, needs: both });
    });
    const phrase = new QueryUnit({
      kind: "phrase",
      pattern: text.split(/\s+/).map(escaped).join("[ \\t\\r\\n]+"),
      text,
      needs: needs.reduce((all, one) => all | one, 0),
    });
    return new SearchQuery([phrase, ...pairs, ...terms]);
  }

  /** For a query that finds nothing: the parts of its identifiers, and its words with one letter wrong. */
  static relaxed(query: string): SearchQuery {
    const units = wordsOf(query).flatMap((word) => {
      const parts = word.split(CASE_BOUNDARY).filter((part) => part.length >= SHORTEST_INNER);
      const terms = parts.map((part) => new QueryUnit({ kind: "term", pattern: escaped(part), text: part }));
      const isGuessable = word.length >= SHORTEST_RELAXED && !STARTS_UNSPACED.test(word);
      return isGuessable ? [...terms, withOneLetterWrong(word)] : terms;
    });
    return new SearchQuery(units);
  }
}

/** The distinct words, in order; of text without spaces, each two neighbours. */
function wordsOf(text: string): readonly string[] {
  const words = new Map<string, string>();
  for (const [word] of text.matchAll(WORDS)) {
    for (const part of STARTS_UNSPACED.test(word) ? neighbours(word) : [word]) {
      const key = part.toLowerCase();
      if (!words.has(key)) words.set(key, part);
    }
  }
  return [...words.values()].slice(0, MOST_TERMS);
}

function neighbours(run: string): readonly string[] {
  const characters = Array.from(run);
  if (characters.length <= 2) return [run];
  return characters.slice(1).map((character, at) => (characters[at] ?? "") + character);
}

function wordPattern(word: string): string {
  return word.split(CASE_BOUNDARY).map(escaped).join(GAP);
}

/** A letter too many, too few or other than meant, or two letters exchanged. The first letter must be right. */
function withOneLetterWrong(word: string): QueryUnit {
  const letters = Array.from(word);
  const rest = (from: number) => escaped(letters.slice(from).join(""));
  const alternatives = letters.slice(1).flatMap((letter, at) => {
    const before = escaped(letters.slice(0, at + 1).join(""));
    const exchanged = escaped((letters[at + 2] ?? "") + letter);
    return [
      `${before}[^\\s]?${rest(at + 2)}`,
      `${before}[^\\s]${rest(at + 1)}`,
      `${before}${exchanged}${rest(at + 3)}`,
    ];
  });
  const grams = Math.max(0, letters.length - 2);
  return new QueryUnit({
    kind: "term",
    pattern: `(?:${alternatives.join("|")})`,
    text: word,
    // One wrong letter is in three parts of the word. Half must be right, or everything would have to be read.
    missingGrams: Math.min(3, Math.floor(grams / 2)),
  });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}

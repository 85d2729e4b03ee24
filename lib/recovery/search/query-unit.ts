import { gramsOf, type TextSignature } from "./text-signature.ts";

/** Where a unit was found in a text. */
export interface Occurrence {
  /** In UTF-16 code units. */
  readonly index: number;
  readonly length: number;
  /** Not only inside a longer word. `Manager` is a word of its own in `SessionManager`. */
  readonly isWhole: boolean;
}

/** How a unit is looked for. */
export interface QueryUnitOptions {
  /** `phrase`: the query as it is. `pair`: two of its words side by side. `term`: one word. */
  readonly kind: "phrase" | "pair" | "term";
  /** A regular expression without flags; case never counts. */
  readonly pattern: string;
  /** What a text with the unit must hold. */
  readonly text: string;
  /** How many parts of `text` a match may lack: above 0 for relaxed spelling. */
  readonly missingGrams?: number;
  /** Units of the same query, one bit each, that are in every text with this one. */
  readonly needs?: number;
}

/** Occurrences that are looked at for a whole word before one inside a word is taken. */
const MOST_TRIES = 16;

/** One thing that a query looks for. Immutable. */
export class QueryUnit {
  readonly kind: QueryUnitOptions["kind"];
  readonly needs: number;
  readonly #pattern: RegExp;
  readonly #grams: readonly number[];
  readonly #missingGrams: number;

  constructor({ kind, pattern, text, missingGrams = 0, needs = 0 }: QueryUnitOptions) {
    this.kind = kind;
    this.needs = needs;
    this.#pattern = new RegExp(pattern, "gi");
    this.#grams = gramsOf(text);
    this.#missingGrams = missingGrams;
  }

  /** False: the texts of this signature do not hold the unit. */
  mayBeIn(signature: TextSignature): boolean {
    return signature.mayHold(this.#grams, this.#missingGrams);
  }

  /** Whether the text holds the unit. */
  isIn(text: string): boolean {
    this.#pattern.lastIndex = 0;
    return this.#pattern.test(text);
  }

  /** The first occurrence as a whole word, else the first of all. */
  find(text: string): Occurrence | undefined {
    let first: Occurrence | undefined;
    this.#pattern.lastIndex = 0;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const match = this.#pattern.exec(text);
      if (!match) break;
      const { index } = match;
      const { length } = match[0];
      if (isWhole(text, index, index + length)) return { index, length, isWhole: true };
      first ??= { index, length, isWhole: false };
    }
    return first;
  }
}

function isWhole(text: string, start: number, end: number): boolean {
  return isBoundary(text, start) && isBoundary(text, end);
}

/** Whether a word may begin or end here. Text without spaces has no words: every place there is a boundary. */
function isBoundary(text: string, at: number): boolean {
  const [before, after] = [text.charAt(at - 1), text.charAt(at)];
  if (!WORD_CHARACTER.test(before) || !WORD_CHARACTER.test(after)) return true;
  return (/[a-z0-9]/.test(before) && /[A-Z]/.test(after)) || (before >= UNSPACED && after >= UNSPACED);
}

/** Halves of surrogate pairs are no letters here: next to an emoji a word ends. */
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
/** From here on most scripts are written without spaces. */
const UNSPACED = "\u2e80";

import { foldedCharacters, SEPARATOR } from "./folded-characters.ts";
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
}

/** Occurrences that are looked at for a whole word before one inside a word is taken. */
const MOST_TRIES = 16;

/** One thing that a query looks for. Immutable. */
export class QueryUnit {
  readonly kind: QueryUnitOptions["kind"];
  readonly #pattern: RegExp;
  readonly #grams: readonly number[];
  readonly #missingGrams: number;

  constructor({ kind, pattern, text, missingGrams = 0 }: QueryUnitOptions) {
    this.kind = kind;
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

/** Between two characters: a word ends or begins here. Text without spaces has no words, so every place is one. */
function isBoundary(text: string, at: number): boolean {
  const folded = foldedCharacters();
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  if (Number.isNaN(before) || Number.isNaN(after)) return true;
  if (folded[before] === SEPARATOR || folded[after] === SEPARATOR) return true;
  if (isLowerOrDigit(before) && isUpper(after)) return true;
  return before >= FIRST_UNSPACED && after >= FIRST_UNSPACED;
}

/** From here on most scripts are written without spaces. */
const FIRST_UNSPACED = 0x2e80;

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isLowerOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
}

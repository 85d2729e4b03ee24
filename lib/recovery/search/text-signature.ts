/**
 * A small bit set that says which texts an item cannot hold.
 *
 * Each three letters or digits that follow each other, whatever separates them, set one bit; so do two where the
 * script is not Latin, because words are shorter there. A text can only be in the item when all of its bits are set.
 * As separators are skipped, `session manager` and `SessionManager` set the same bits. One bit a character, 8 KiB at
 * most: a small part of the text, which is not kept.
 */
import { FIRST_FOREIGN, foldedCharacters, SEPARATOR } from "./folded-characters.ts";

const SMALLEST_BITS = 64;
const LARGEST_BITS = 0x10000;
/** Marks the number of a pair, which is then no number of three. */
const PAIR = 0x1000000;

/** The numbers of a text: what a signature must have to hold it. Empty for a text too short to tell. */
export function gramsOf(text: string): readonly number[] {
  const folded = foldedCharacters();
  const codes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const code = folded[text.charCodeAt(index)] ?? SEPARATOR;
    if (code !== SEPARATOR) codes.push(code);
  }
  const [first = 0, second = 0] = codes;
  if (codes.length === 2 && second >= FIRST_FOREIGN) return [PAIR | (first << 8) | second];
  return codes.slice(2).map((code, at) => ((codes[at] ?? 0) << 16) | ((codes[at + 1] ?? 0) << 8) | code);
}

/** What a set of texts cannot hold. Immutable once made. */
export class TextSignature {
  readonly #words: Int32Array;
  readonly #shift: number;

  constructor(texts: readonly string[]) {
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    let bits = SMALLEST_BITS;
    while (bits < characters && bits < LARGEST_BITS) bits *= 2;
    this.#words = new Int32Array(bits >>> 5);
    this.#shift = Math.clz32(bits) + 1;
    for (const text of texts) this.#add(text);
  }

  /** False: no text here holds all of these but `missing`. True: perhaps. */
  mayHold(grams: readonly number[], missing = 0): boolean {
    let allowed = missing;
    for (const gram of grams) {
      if (!this.#has(gram) && --allowed < 0) return false;
    }
    return true;
  }

  #has(gram: number): boolean {
    const bit = Math.imul(gram, 0x9e3779b1) >>> this.#shift;
    return ((this.#words[bit >>> 5] ?? 0) & (1 << bit)) !== 0;
  }

  /** The hot loop of a first search: reads every character of the history once. */
  #add(text: string): void {
    const words = this.#words;
    const shift = this.#shift;
    const folded = foldedCharacters();
    let gram = 0;
    for (let index = 0; index < text.length; index++) {
      const code = folded[text.charCodeAt(index)] ?? SEPARATOR;
      if (code === SEPARATOR) continue;
      gram = ((gram << 8) | code) & 0xffffff;
      let bit = Math.imul(gram, 0x9e3779b1) >>> shift;
      words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << bit);
      if (code < FIRST_FOREIGN) continue;
      bit = Math.imul(PAIR | (gram & 0xffff), 0x9e3779b1) >>> shift;
      words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << bit);
    }
  }
}

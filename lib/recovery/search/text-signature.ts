/**
 * A small bit set that says which texts an item cannot hold.
 *
 * A text is read as the UTF-8 bytes of its letters and digits in lower case, whatever separates them: `session manager`
 * and `SessionManager` are the same bytes. (Beyond ASCII every character counts as a letter.) Each three bytes in a row
 * set one bit; a text can only be in the item when all of its bits are set. A Chinese or Japanese character is three
 * bytes, so even one of them can be told. One bit a character, 8 KiB at most: the text itself is not kept.
 */

const SMALLEST_BITS = 64;
const LARGEST_BITS = 0x10000;
const HASH_FACTOR = 0x9e3779b1;
const THREE_BYTES = 0xffffff;
/** Bits of many items lie side by side: a typed array of its own would cost an item more than its bits. */
const SHEET_WORDS = 0x8000;

/** 1 for bytes that count, 0 for ASCII characters that separate. Upper case never comes here. */
const COUNTS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[0-9a-z]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
const encoder = new TextEncoder();
/** Where texts are encoded, part by part. Only used within one call. */
const buffer = new Uint8Array(0x10000);
/** The sheet that is being filled. A new one is taken when it is full; what is written on a sheet never changes. */
let sheet = new Int32Array(0);
let sheetUsed = 0;

/** What a signature must have to hold a text: its bytes, three by three. Empty for a text too short to tell. */
export function gramsOf(text: string): readonly number[] {
  const bytes = encoder.encode(text.toLowerCase()).filter((byte) => COUNTS[byte] === 1);
  return Array.from(
    bytes.subarray(2),
    (byte, at) => ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | byte,
  );
}

/** What some texts cannot hold. Immutable once made. */
export class TextSignature {
  readonly #sheet: Int32Array;
  readonly #start: number;
  readonly #shift: number;

  constructor(texts: readonly string[]) {
    let characters = 0;
    for (const text of texts) characters += text.length;
    let bits = SMALLEST_BITS;
    while (bits < characters && bits < LARGEST_BITS) bits *= 2;
    this.#shift = Math.clz32(bits) + 1;
    if (sheetUsed + (bits >>> 5) > sheet.length) {
      sheet = new Int32Array(SHEET_WORDS);
      sheetUsed = 0;
    }
    this.#sheet = sheet;
    this.#start = sheetUsed;
    sheetUsed += bits >>> 5;
    for (const text of texts) this.#add(text.toLowerCase());
  }

  /** False: the texts do not hold all of these but `missing`. True: perhaps. */
  mayHold(grams: readonly number[], missing = 0): boolean {
    let allowed = missing;
    for (const gram of grams) {
      if (!this.#has(gram) && --allowed < 0) return false;
    }
    return true;
  }

  #has(gram: number): boolean {
    const bit = Math.imul(gram, HASH_FACTOR) >>> this.#shift;
    return ((this.#sheet[this.#start + (bit >>> 5)] ?? 0) & (1 << bit)) !== 0;
  }

  #add(text: string): void {
    const [bits, start, shift] = [this.#sheet, this.#start, this.#shift];
    let gram = 0;
    for (let rest = text; rest !== ""; ) {
      const { read, written } = encoder.encodeInto(rest, buffer);
      const count = withoutSeparators(written);
      for (let index = 0; index < count; index++) {
        gram = ((gram << 8) | (buffer[index] ?? 0)) & THREE_BYTES;
        const bit = Math.imul(gram, HASH_FACTOR) >>> shift;
        const word = start + (bit >>> 5);
        bits[word] = (bits[word] ?? 0) | (1 << bit);
      }
      rest = rest.slice(read);
    }
  }
}

/**
 * Moves the bytes that count together and returns how many they are. Without a branch: words are short, and the
 * processor could not foresee where they end.
 */
function withoutSeparators(written: number): number {
  let count = 0;
  for (let index = 0; index < written; index++) {
    const byte = buffer[index] ?? 0;
    buffer[count] = byte;
    count += COUNTS[byte] ?? 0;
  }
  return count;
}

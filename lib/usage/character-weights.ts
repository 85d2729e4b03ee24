/**
 * What one character of text costs, as a table over all UTF-16 code units.
 *
 * A weight counts sixteenths of a token, so that sums stay integers. A surrogate pair is the sum of its halves: that
 * needs no look-ahead, and a lone half is just another code unit. No weight is below a quarter of a token, which keeps
 * every estimate at or above characters / 4, Pi's own count.
 *
 * The ranges follow the o200k and cl100k vocabularies: a script that has words there is cheap, one that falls back to
 * bytes costs two or three tokens a character.
 */

/** Weight units in one token. */
export const UNITS_PER_TOKEN = 16;

/** Mark of the 52 ASCII letters, set beside their weight. */
export const LETTER = 0x80;
/** Mark of the 10 ASCII digits, set beside their weight. */
export const DIGIT = 0x40;
/** Mask of the weight without its mark. */
export const WEIGHT = 0x3f;

const QUARTER = UNITS_PER_TOKEN / 4;
const HALF = UNITS_PER_TOKEN / 2;
const THREE_QUARTERS = QUARTER + HALF;
const ONE = UNITS_PER_TOKEN;
const TWO = 2 * ONE;
const THREE = 3 * ONE;

/** What a letter costs. */
export const LETTER_UNITS = QUARTER;

/** What each letter costs more in a run of letters *and* digits (hex, UUID, base64, hashes), in weight units. */
export const MIXED_RUN_SURCHARGE = HALF - QUARTER;

/** What digits in a row cost more where their count is odd: they are whole tokens of two digits. */
export const ODD_DIGIT_SURCHARGE = HALF;

/** What an ASCII sign directly before white space costs less: it ends a word or line, and shares a token with either. */
export const CLOSING_SIGN_DISCOUNT = HALF - QUARTER;

type WeightRange = readonly [first: number, last: number, weight: number];

/** Later rows win. What no row names costs one token: CJK, kana, hangul, Indic scripts, symbols, box drawing. */
const RANGES: readonly WeightRange[] = [
  [0x0000, 0xffff, ONE],
  // ASCII: punctuation, digits and letters, white space. The other controls keep one token.
  [0x0021, 0x007e, HALF],
  [0x0030, 0x0039, HALF | DIGIT],
  [0x0041, 0x005a, QUARTER | LETTER],
  [0x0061, 0x007a, QUARTER | LETTER],
  [0x0009, 0x000d, QUARTER],
  [0x0020, 0x0020, QUARTER],
  // Western Latin. The rarer Latin blocks cost one token a letter.
  [0x00a0, 0x00a0, HALF],
  [0x00c0, 0x00ff, THREE_QUARTERS],
  // Russian and Arabic. Greek, Hebrew and the other Cyrillic letters cost one token.
  [0x0410, 0x044f, HALF],
  [0x0600, 0x06ff, THREE_QUARTERS],
  // Scripts and icons that the vocabularies spell in bytes: Syriac to N'Ko, Lao and Tibetan, Ethiopic, Cherokee to
  // runes, Mongolian, Braille, Yi, private use.
  [0x0700, 0x08ff, TWO],
  [0x0e80, 0x0fff, TWO],
  [0x1200, 0x139f, TWO],
  [0x13a0, 0x16ff, THREE],
  [0x1800, 0x18af, THREE],
  [0x2800, 0x28ff, THREE],
  [0xa000, 0xa4cf, THREE],
  [0xe000, 0xf8ff, THREE],
  // Pairs: three tokens (rare Han, mathematical letters, dead scripts), but two where the emoji are.
  [0xd800, 0xdbff, TWO],
  [0xd83c, 0xd83e, ONE],
];

/** The blocks below U+FFFF that hold symbols which are drawn as emoji; like the others these cost two tokens. */
const EMOJI_BLOCKS = { first: 0x2300, last: 0x2bff };
const EMOJI = /^\p{Emoji_Presentation}$/u;

function weightTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const [first, last, weight] of RANGES) table.fill(weight, first, last + 1);
  for (let code = EMOJI_BLOCKS.first; code <= EMOJI_BLOCKS.last; code++) {
    if (EMOJI.test(String.fromCharCode(code))) table[code] = TWO;
  }
  return table;
}

/** Weight, with its mark, of every UTF-16 code unit. Read only. */
export const CHARACTER_WEIGHTS: Uint8Array = weightTable();

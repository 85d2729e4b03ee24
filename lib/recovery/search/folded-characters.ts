/**
 * Every UTF-16 code unit as the search sees it: letters, digits and marks of any script have a code without case, all
 * else is a separator. Halves of surrogate pairs count as letters, so that emoji and rare Han can be found.
 *
 * Codes fit in a byte: 1-26 are the ASCII letters, 27-36 the digits, and all other characters share the rest. That is
 * enough to say what a text cannot hold.
 */

/** What separates words. */
export const SEPARATOR = 0;
/** The first code that is not ASCII. */
export const FIRST_FOREIGN = 37;
const FOREIGN_CODES = 256 - FIRST_FOREIGN;

let table: Uint8Array | undefined;

/** The code of each code unit. Made at the first search: it takes some milliseconds. */
export function foldedCharacters(): Uint8Array {
  table ??= Uint8Array.from({ length: 0x10000 }, (_, unit) => foldedCode(unit));
  return table;
}

function foldedCode(unit: number): number {
  if (unit >= 0xd800 && unit <= 0xdfff) return foreignCode(unit);
  const character = String.fromCharCode(unit);
  if (!/[\p{L}\p{N}\p{M}]/u.test(character)) return SEPARATOR;
  // By way of upper case, as case-insensitive patterns compare: both small sigmas are one letter.
  const upper = character.toUpperCase();
  const folded = (upper.length === 1 ? upper : character).toLowerCase().charCodeAt(0);
  if (folded >= 97 && folded <= 122) return folded - 96;
  if (folded >= 48 && folded <= 57) return folded - 48 + 27;
  return foreignCode(folded);
}

function foreignCode(unit: number): number {
  return FIRST_FOREIGN + ((Math.imul(unit, 0x9e3779b1) >>> 16) % FOREIGN_CODES);
}

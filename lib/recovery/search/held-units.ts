import type { SearchDocument } from "./search-document.ts";
import type { SearchQuery } from "./search-query.ts";

/**
 * The units of a query that an item may hold, one bit each. With a signature they are guessed, but for the phrase: it
 * weighs too much. Without one the item is read for all but the pairs, which are guessed from their words.
 */
export function heldUnits({ units }: SearchQuery, { signature, texts }: SearchDocument): number {
  let held = 0;
  // From the last to the first: words before what is made of them.
  for (let at = units.length - 1; at >= 0; at--) {
    const unit = units[at];
    if (!unit || (signature ? !unit.mayBeIn(signature) : (held & unit.needs) !== unit.needs)) continue;
    const isGuessed = signature ? unit.kind !== "phrase" : unit.kind === "pair" && unit.needs !== 0;
    if (isGuessed || texts.some((text) => unit.isIn(text))) held |= 1 << at;
  }
  return held;
}

import type { SearchDocument } from "./search-document.ts";
import type { SearchQuery } from "./search-query.ts";

/**
 * The units of a query that an item may hold, one bit each. The phrase is certain: it weighs too much to be guessed.
 * Without a signature all are, for then the item is read.
 */
export function heldUnits({ units }: SearchQuery, { signature, texts }: SearchDocument): number {
  let held = 0;
  // From the last to the first: words before what is made of them.
  for (let at = units.length - 1; at >= 0; at--) {
    const unit = units[at];
    if (!unit || (signature ? !unit.mayBeIn(signature) : (held & unit.needs) !== unit.needs)) continue;
    const isRead = signature ? unit.kind === "phrase" : unit.kind !== "pair";
    if (!isRead || texts.some((text) => unit.isIn(text))) held |= 1 << at;
  }
  return held;
}

/** How figures are written: whole tokens with thousands separators, sizes in KiB and MiB. */

const KIB = 1024;
/** What says that there is no trustworthy figure. */
export const UNAVAILABLE = "unavailable";

/** A count, rounded to a whole number. */
export function wholeNumber(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

/** A count that is known or not. */
export function countText(count: number | undefined): string {
  return count === undefined ? UNAVAILABLE : wholeNumber(count);
}

/** A count that is an estimate. */
export function estimateText(count: number): string {
  return `~${wholeNumber(count)}`;
}

/** A part of a whole, as a whole percentage. */
export function percentText(part: number, whole: number): string {
  return `${wholeNumber((100 * part) / whole)}%`;
}

/** A size in bytes, to a tenth of a KiB or MiB. */
export function sizeText(bytes: number | undefined): string {
  if (bytes === undefined) return UNAVAILABLE;
  const kib = bytes / KIB;
  // What would be rounded up to 1,024.0 KiB is a MiB.
  return kib < KIB - 0.05 ? `${tenths(kib)} KiB` : `${tenths(kib / KIB)} MiB`;
}

function tenths(value: number): string {
  return value.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** A number of units. */
export function unitsText(units: number): string {
  return `${wholeNumber(units)} ${units === 1 ? "unit" : "units"}`;
}

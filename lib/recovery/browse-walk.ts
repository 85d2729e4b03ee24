import type { BrowseInput } from "./inputs.ts";

/** A walk through the visible items. */
export interface BrowseWalk {
  readonly direction: BrowseInput["direction"];
  /** Where it starts; none: at the newest item, or forward at the oldest. */
  readonly anchor?: number;
  /** Items at most. */
  readonly count: number;
  /** Every how-manieth item. */
  readonly stride: number;
  /** The newest sequence number; -1 without items. */
  readonly last: number;
}

/** The sequence numbers of a walk, ascending. Backward and forward leave a given anchor out. Section "History navigation". */
export function sequencesOf({ direction, anchor, count, stride, last }: BrowseWalk): number[] {
  const start = anchor ?? (direction === "forward" ? 0 : last);
  // Without an anchor the walk begins with the end itself.
  const skipped = anchor === undefined ? 0 : 1;
  const distances = Array.from({ length: count }, (_, step) => (step + skipped) * stride);
  switch (direction) {
    case "backward":
      return distances
        .map((distance) => start - distance)
        .filter((at) => at >= 0)
        .reverse();
    case "forward":
      return distances.map((distance) => start + distance).filter((at) => at <= last);
    case "around":
      return around({ anchor: start, count, stride, last });
  }
}

/** The anchor and its neighbours on both sides; where one side ends, the other gives more. */
function around(walk: {
  readonly anchor: number;
  readonly count: number;
  readonly stride: number;
  readonly last: number;
}): number[] {
  const { anchor, count, stride, last } = walk;
  if (last < 0) return [];
  const before = Math.floor(anchor / stride);
  const after = Math.floor((last - anchor) / stride);
  const half = Math.floor((count - 1) / 2);
  const taken = Math.min(before, Math.max(half, count - 1 - after));
  return Array.from({ length: count }, (_, step) => anchor + (step - taken) * stride).filter(
    (at) => at <= last,
  );
}

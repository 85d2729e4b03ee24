import { clamp, type WindowView } from "../window-view.ts";

/** A boundary that eviction chose, to be moved to where a cut can be remembered. */
export interface SnapView extends WindowView {
  /** The boundary that eviction chose. */
  readonly boundary: number;
}

/** What became of a boundary. */
export type SnapOutcome =
  | { readonly kind: "keyed"; readonly boundary: number }
  /** No excluded unit has a key. */
  | { readonly kind: "no-key" }
  /** The request at the keyed boundary, notice included, exceeds the budget. */
  | { readonly kind: "over-budget"; readonly boundary: number };

/**
 * Moves a boundary to one that the stored history can name. Section "Stable cut state".
 *
 * A subclass overrides `place`; the base keeps the invariants: no unit leaves only to find a key, nothing comes back
 * that a committed cut excludes, the boundary is keyed, and the request there fits the budget.
 */
export abstract class SnapStrategy {
  /** Shown in the cut log. */
  abstract readonly name: string;

  snap(view: SnapView): SnapOutcome {
    const placed = this.place(view);
    if (placed === undefined) return { kind: "no-key" };
    const boundary = clamp(placed, view.start, view.boundary);
    if (!view.units[boundary - 1]?.keyed) return { kind: "no-key" };
    return view.tokensAt(boundary) > view.budgetTokens
      ? { kind: "over-budget", boundary }
      : { kind: "keyed", boundary };
  }

  /** Where this strategy would cut; undefined when it knows no place. */
  protected abstract place(view: SnapView): number | undefined;
}

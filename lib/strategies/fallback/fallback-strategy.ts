import { fitted, type WindowView } from "../window-view.ts";

/** Why a request is selected without a cut that can be remembered. Section "Stable cut state". */
export type FallbackCause =
  /** Raw history is unavailable for a new frontier. */
  | "raw-history-unavailable"
  /** A raw cut identity is missing or ambiguous. */
  | "cut-key-unresolved"
  /** Eviction ends at a keyless unit without an excluded keyed anchor. */
  | "keyless-no-key"
  /** The backward snap, including its notice, exceeds the effective budget. */
  | "keyless-snap-over-budget"
  /** A raw anchor is absent from the current incoming or normalized groups. */
  | "frontier-not-in-groups";

export interface FallbackView extends WindowView {
  readonly cause: FallbackCause;
}

/**
 * Selects one request without usable provenance. Nothing of it is remembered. A subclass overrides `place`; the base
 * keeps the invariant that the request fits the budget where that is possible.
 */
export abstract class FallbackStrategy {
  /** Shown in the cut log. */
  abstract readonly name: string;

  /** Number of leading units that leave for this request. */
  fallBack(view: FallbackView): number {
    return fitted(view, this.place(view));
  }

  /** Where this strategy would cut. */
  protected abstract place(view: FallbackView): number;
}

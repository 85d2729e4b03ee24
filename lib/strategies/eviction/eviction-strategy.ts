import { fitted, type WindowView } from "../window-view.ts";

/** A request that exceeds its budget, and where to cut it. */
export interface EvictionView extends WindowView {
  /** Where an advance should bring the request, in tokens: below the budget, so that the next cut is far. */
  readonly destinationTokens: number;
}

/**
 * Decides how many leading units leave when a request exceeds its budget. Section "Context selection".
 *
 * A subclass overrides `place`; the base keeps the invariants: the cut never moves back, never takes what is
 * protected, and always brings the request within the budget where that is possible. Strategies are stateless and
 * synchronous.
 */
export abstract class EvictionStrategy {
  /** Shown in the cut log. */
  abstract readonly name: string;

  /** Number of leading units that leave. */
  evict(view: EvictionView): number {
    return fitted(view, this.place(view));
  }

  /** Where this strategy would cut. May be any number: the invariants are applied afterwards. */
  protected abstract place(view: EvictionView): number;
}

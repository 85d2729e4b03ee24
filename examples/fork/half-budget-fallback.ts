import { FallbackStrategy, type FallbackView, firstFit } from "pi-context-paging/strategies";

/** Without a cut that can be remembered, each request is cut for itself: down to half of the budget. */
export class HalfBudgetFallback extends FallbackStrategy {
  override readonly name = "half-budget";

  protected override place(view: FallbackView): number {
    return firstFit(view, Math.floor(view.budgetTokens / 2));
  }
}

import { firstFit } from "../window-view.ts";
import { FallbackStrategy, type FallbackView } from "./fallback-strategy.ts";

/** The oldest units leave until the request fits the budget, not the target: this cut is not stable anyway. */
export class StatelessFifoFallback extends FallbackStrategy {
  override readonly name: string = "stateless-fifo";

  protected override place(view: FallbackView): number {
    return firstFit(view, view.budgetTokens);
  }
}

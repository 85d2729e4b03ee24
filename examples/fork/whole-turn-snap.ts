import { KeyedBoundarySnap, type SnapView } from "pi-context-paging/strategies";

/** Cuts between turns where it can: the window then opens with something the user said. Else wherever there is a key. */
export class WholeTurnSnap extends KeyedBoundarySnap {
  override readonly name = "whole-turn";

  protected override place(view: SnapView): number | undefined {
    const { units, start, budgetTokens, tokensAt } = view;
    for (let boundary = view.boundary; boundary > start; boundary--) {
      const unit = units[boundary - 1];
      const endsTurn = unit?.kind === "turn" || unit?.kind === "remainder";
      if (endsTurn && unit.keyed && tokensAt(boundary) <= budgetTokens) return boundary;
    }
    return super.place(view);
  }
}

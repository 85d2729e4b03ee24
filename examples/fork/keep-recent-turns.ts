import { type EvictionView, FifoEviction } from "pi-context-paging/strategies";

/** Keeps no more than the newest completed turns at each cut, and fewer where they are above the destination. */
export class KeepRecentTurns extends FifoEviction {
  override readonly name = "keep-recent-turns";
  readonly #turns: number;

  constructor(turns: number) {
    super();
    this.#turns = turns;
  }

  protected override place(view: EvictionView): number {
    const turns = view.units.flatMap(({ kind }, unit) => (kind === "turn" ? [unit] : []));
    return Math.max(super.place(view), turns.at(-this.#turns) ?? 0);
  }
}

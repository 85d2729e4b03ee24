import { firstFit } from "../window-view.ts";
import { EvictionStrategy, type EvictionView } from "./eviction-strategy.ts";

/** First in, first out: the oldest units leave until the request is down to the destination. The default. */
export class FifoEviction extends EvictionStrategy {
  override readonly name: string = "fifo";

  protected override place(view: EvictionView): number {
    return firstFit(view, view.destinationTokens);
  }
}

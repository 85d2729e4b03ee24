import type { UserMessage } from "../messages.ts";
import type { Frontier } from "./frontier.ts";

/** A successful cut: where it is, and the notice that goes with it, both frozen until the next advance or reset. */
export interface Cut {
  readonly frontier: Frontier;
  readonly notice: UserMessage;
}

/**
 * Remembers the cut between requests, in memory only. It knows no settings, no session and no tokens. Section "Stable
 * cut state".
 */
export class FrontierManager {
  #cut: Cut | undefined;

  /** The cut to prepare the next request with. */
  prepare(): Cut | undefined {
    return this.#cut;
  }

  /** Remembers the cut of a request that was selected successfully; none ends the lifetime of the one before. */
  commit(cut: Cut | undefined): void {
    this.#cut = cut;
  }

  /** Forgets the cut: what the session is now is another history. */
  reset(): void {
    this.#cut = undefined;
  }
}

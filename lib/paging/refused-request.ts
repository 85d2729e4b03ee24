import type { LastResponse } from "../session/last-response.ts";

/** A run that is about to end, by its last response. */
export interface EndingRun extends LastResponse {
  /** The provider refused the request as too large. */
  readonly isOverflow: boolean;
  /** Pi can ask once more with the same messages. */
  readonly canContinue: boolean;
}

/** What the user is told where the run cannot go on. */
export const NOT_ANSWERED =
  "The request was too large for the provider, and the prompt was not answered. " +
  "Send it again: the next request is smaller.";

/**
 * Remembers that the provider refused a request as too large, until the next one is selected with a cut that keeps the
 * following ones small too. This is no accounting: Pi's retry edit does not clear it. Section "Overflow" of
 * ARCHITECTURE.md.
 */
export class RefusedRequest {
  #tokens: number | undefined;
  #isContinued = false;

  /** Estimated tokens of the refused request. */
  get tokens(): number | undefined {
    return this.#tokens;
  }

  /** The next request must be smaller than this one. */
  refuse(tokens: number | undefined): void {
    this.#tokens = tokens;
  }

  /**
   * Decides on a run that is about to end. Pi hides a response that was refused as too large or cut off, and would
   * compact and try again. Compaction is cancelled, so the run goes on once from here, with a forced advance.
   * `tokens`: estimate of its last request.
   */
  end(run: EndingRun, tokens: number | undefined): "answered" | "continue" | "unanswered" {
    if (!this.#wasTooLarge(run)) return "answered";
    this.#tokens = tokens;
    if (!run.isHidden || !run.canContinue || this.#isContinued) return "unanswered";
    this.#isContinued = true;
    return "continue";
  }

  /** A new prompt may be continued again. */
  beginRun(): void {
    this.#isContinued = false;
  }

  /** The smaller request is on its way, or what was refused no longer matters. */
  settle(): void {
    this.#tokens = undefined;
  }

  /**
   * A refused request, or a response that was cut off: Pi hides the first of a run and shows the second. A response that
   * is hidden for another reason failed, and the user ended the wait for its retry.
   */
  #wasTooLarge({ message, isHidden, isOverflow }: EndingRun): boolean {
    return message.stopReason === "length" ? isHidden || this.#isContinued : isOverflow;
  }
}

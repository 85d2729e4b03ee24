import type { AssistantMessage, SessionEntry } from "../messages.ts";
import type { SelectionReport } from "../paging/selection-report.ts";
import { isSuccessful, measuredInputTokens } from "../usage/measured-total.ts";

/** The size of a request. */
export interface RequestTokens {
  readonly tokens: number;
  readonly source: "estimated" | "measured";
}

/**
 * The latest conversation request: what was selected, and what the provider measured of it. Not the next request:
 * output is not counted. Section "Read-only session stats".
 */
export class LatestRequest {
  #report: SelectionReport | undefined;
  #measured: number | undefined;

  /** What was selected; none before the first request, and after what it was about has changed. */
  get report(): SelectionReport | undefined {
    return this.#report;
  }

  /** Input tokens that the provider measured of it. */
  get measuredTokens(): number | undefined {
    return this.#measured;
  }

  /** A request goes out. */
  select(report: SelectionReport): void {
    this.#report = report;
    this.#measured = undefined;
  }

  /** A response ended. A failed one, and one to an earlier request, says nothing of this request. */
  answer(response: AssistantMessage): void {
    if (!this.#report || response.timestamp < this.#report.time || !isSuccessful(response)) return;
    this.#measured = measuredInputTokens(response) ?? this.#measured;
  }

  /** The session, the model or the state is another one. */
  clear(): void {
    this.#report = undefined;
    this.#measured = undefined;
  }

  /** Its size. Where nothing is remembered, as after a restart, the newest saved response tells. */
  tokens(branch: readonly SessionEntry[]): RequestTokens | undefined {
    const measured = this.#report ? this.#measured : savedInputTokens(branch);
    if (measured !== undefined) return { tokens: measured, source: "measured" };
    return this.#report && { tokens: this.#report.tokensAfter, source: "estimated" };
  }
}

/** Input of the newest saved response, unless what a request holds has changed since. */
function savedInputTokens(branch: readonly SessionEntry[]): number | undefined {
  for (const entry of branch.toReversed()) {
    switch (entry.type) {
      case "compaction":
      case "branch_summary":
      case "model_change":
        return undefined;
      case "message":
        if (entry.message.role !== "assistant") break;
        return isSuccessful(entry.message) ? measuredInputTokens(entry.message) : undefined;
    }
  }
  return undefined;
}

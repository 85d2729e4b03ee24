import type { AssistantMessage, ToolResultMessage } from "../messages.ts";
import type { ModelTurnItem } from "./history-item.ts";
import { projectionError } from "./projection-error.ts";
import { callIds, isAbortedOrFailed } from "./tool-calls.ts";

/**
 * The newest model turn of a branch while its results still arrive. A call opens its id and a result closes it, so
 * ids that come back in later turns are ordinary. Section "Raw branch projection".
 */
export class OpenTurn {
  readonly #historyId: string;
  readonly #timestamp: string;
  readonly #assistant: AssistantMessage;
  readonly #calls: readonly string[];
  readonly #unanswered: string[];
  readonly #results: ToolResultMessage[] = [];

  constructor(historyId: string, timestamp: string, assistant: AssistantMessage) {
    this.#historyId = historyId;
    this.#timestamp = timestamp;
    this.#assistant = assistant;
    this.#calls = callIds(assistant);
    this.#unanswered = [...this.#calls];
  }

  get historyId(): string {
    return this.#historyId;
  }

  /** Complete turns and turns that Pi recorded as aborted or failed are items; a normal incomplete one is not yet. */
  get isItem(): boolean {
    return this.#unanswered.length === 0 || isAbortedOrFailed(this.#assistant);
  }

  /** The item as of now, with the actual results and no others. */
  get item(): ModelTurnItem {
    return {
      kind: "modelTurn",
      historyId: this.#historyId,
      timestamp: this.#timestamp,
      assistant: this.#assistant,
      toolResults: [...this.#results],
      interrupted: isAbortedOrFailed(this.#assistant) || this.#unanswered.length > 0,
    };
  }

  /** Takes a result that follows. Throws when this turn made no such call, or the call has its result already. */
  accept(result: ToolResultMessage, entryId: string): void {
    const index = this.#unanswered.indexOf(result.toolCallId);
    if (index >= 0) {
      this.#unanswered.splice(index, 1);
      this.#results.push(result);
      return;
    }
    if (this.#calls.includes(result.toolCallId)) {
      throw projectionError(
        "DUPLICATE_TOOL_RESULT",
        entryId,
        `Session entry ${entryId} is a second result of tool call ${result.toolCallId} of entry ${this.#historyId}.`,
      );
    }
    throw projectionError(
      "MISMATCHED_TOOL_RESULT",
      entryId,
      `Session entry ${entryId} is a result of tool call ${result.toolCallId}, but entry ${this.#historyId} before it made no such call.`,
    );
  }

  /** Checks that the turn may end here, before another model turn. */
  endBeforeTurn(): void {
    if (this.isItem) return;
    throw projectionError(
      "INCOMPLETE_TOOL_RESULTS",
      this.#historyId,
      `Session entry ${this.#historyId} has tool calls without a result (${this.#unanswered.join(", ")}), but another model turn follows it.`,
    );
  }
}

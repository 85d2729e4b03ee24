import type { AssistantMessage, ContextMessage, ToolResultMessage, UserMessage } from "../messages.ts";

/**
 * Items of the raw history: what the active branch holds, one immutable value per user message, model turn or
 * context message. Section "Raw branch projection" of ARCHITECTURE.md.
 */
export type HistoryItem = UserItem | ModelTurnItem | ContextItem;

interface ItemBase {
  /** Id of the session entry that holds the item's first message. Stable across restarts. */
  readonly historyId: string;
  /** ISO time of that entry. */
  readonly timestamp: string;
}

/** One user message. */
export interface UserItem extends ItemBase {
  readonly kind: "user";
  readonly message: UserMessage;
}

/** One assistant message with its contiguous results: evicted, found and loaded as one. */
export interface ModelTurnItem extends ItemBase {
  readonly kind: "modelTurn";
  readonly assistant: AssistantMessage;
  readonly toolResults: readonly ToolResultMessage[];
  /** The response was aborted or failed, or its run was killed before every call had a result. */
  readonly interrupted: boolean;
}

/** A custom message, a `!` bash run or a summary: recoverable, but never a cut key. */
export interface ContextItem extends ItemBase {
  readonly kind: "context";
  readonly message: ContextMessage;
}

/** Whether the turn was interrupted or one of its results is an error. */
export function hasFailed(item: ModelTurnItem): boolean {
  return item.interrupted || item.toolResults.some((result) => result.isError);
}

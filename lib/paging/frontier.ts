import type { BranchProjection } from "../session/branch-projection.ts";
import { callIds } from "../session/tool-calls.ts";

/**
 * Where the window was cut, in terms of the stored history. Never an array offset or a message object: both change
 * from request to request. Section "Stable cut state".
 */
export interface Frontier {
  /** Raw history item of the last excluded unit. */
  readonly historyId: string;
  /** Its tool-call ids, for a model turn. */
  readonly toolCallIds: readonly string[];
  /**
   * `unit`: everything through the prefix unit or turn that holds the item is excluded.
   * `exchange`: everything before the item's turn is, and the exchanges of that turn through the item. What started the
   * turn stays.
   */
  readonly extent: "unit" | "exchange";
}

/** The raw history, as far as selection needs it. */
export type RawHistory = Pick<BranchProjection, "item" | "lastModelTurn">;

/** Whether the raw history still holds the item that `frontier` names, once, with the same calls. */
export function isInHistory(frontier: Frontier, history: RawHistory): boolean {
  const item = history.item(frontier.historyId);
  if (!item || item.kind === "context") return false;
  const ids = item.kind === "modelTurn" ? callIds(item.assistant) : [];
  return (
    ids.length === frontier.toolCallIds.length && ids.every((id, index) => id === frontier.toolCallIds[index])
  );
}

import type { AssistantMessage, SessionEntry } from "../messages.ts";

/** The newest response of a branch. */
export interface LastResponse {
  readonly message: AssistantMessage;
  /** Pi withholds it from the model: a context edit without replacement follows it. */
  readonly isHidden: boolean;
}

/** The newest response of a branch, and whether Pi hid it afterwards. */
export function lastResponse(branch: readonly SessionEntry[]): LastResponse | undefined {
  const index = branch.findLastIndex(
    (entry) => entry.type === "message" && entry.message.role === "assistant",
  );
  const entry = branch[index];
  if (entry?.type !== "message" || entry.message.role !== "assistant") return undefined;
  const edit = branch.findLast((later) => later.type === "context_edit" && later.targetId === entry.id);
  return { message: entry.message, isHidden: edit?.type === "context_edit" && edit.replacement === null };
}

import type { ToolResultMessage } from "../messages.ts";
import type { ModelTurnItem } from "./history-item.ts";
import { RECOVERY_TOOL_NAMES } from "./recovery-tool-names.ts";
import { toolCalls } from "./tool-calls.ts";

/**
 * Whether this result of the turn gives history back: it, or the call it answers, has the name of a recovery tool, or
 * the tool behind it called one (`nestedCalls`), so that its output may hold what that one returned. Older replies can
 * hold private data, and a copy must never hide the original. Section "Exact output paging".
 */
export function isRecoveryResult(turn: ModelTurnItem, result: ToolResultMessage): boolean {
  if (RECOVERY_TOOL_NAMES.has(result.toolName)) return true;
  for (const call of toolCalls(turn.assistant)) {
    if (call.id === result.toolCallId && isRecoveryCall(call)) return true;
  }
  return hasNestedRecoveryCall(result);
}

/** Whether the turn does nothing but read history: it has calls, and all are calls of recovery tools. */
export function isRecoveryOnly(turn: ModelTurnItem): boolean {
  const calls = toolCalls(turn.assistant);
  return calls.length > 0 && calls.every(isRecoveryCall);
}

function isRecoveryCall({ name }: { readonly name: string }): boolean {
  return RECOVERY_TOOL_NAMES.has(name);
}

/** Only one host records nested calls, and stored files may hold anything. */
function hasNestedRecoveryCall(result: ToolResultMessage): boolean {
  const calls: unknown = result.nestedCalls?.calls;
  return Array.isArray(calls) && calls.some((call) => RECOVERY_TOOL_NAMES.has(call?.name));
}

import type { AgentMessage } from "../messages.ts";
import { RECOVERY_TOOL_NAMES } from "../session/recovery-tool-names.ts";
import { recoveryText, repeatText } from "./notice.ts";
import type { Exchange } from "./request-structure.ts";
import type { UnitSource } from "./unit.ts";

/**
 * By position: the results of an exchange with a reference instead of their content. Ids, tool name and error flag
 * stay, so that the request is as legal as before. The incoming messages are not changed.
 */
export function resultReferences(
  exchange: Exchange,
  source: Omit<UnitSource, "frontier">,
): ReadonlyMap<number, AgentMessage> {
  const historyId = source.provenance.entryId(exchange.assistant);
  const replacements = new Map<number, AgentMessage>();
  for (const position of exchange.results) {
    const result = source.messages[position];
    if (result?.role !== "toolResult") continue;
    const { role, toolCallId, toolName, isError, timestamp } = result;
    const reference = historyId === undefined ? undefined : { historyId, toolCallId };
    // What a recovery tool gave back is not paged again: the tool itself gives less.
    const text = RECOVERY_TOOL_NAMES.has(toolName)
      ? repeatText(toolName)
      : recoveryText(toolCallId, reference);
    replacements.set(position, {
      role,
      toolCallId,
      toolName,
      content: [{ type: "text", text }],
      isError,
      timestamp,
    });
  }
  return replacements;
}

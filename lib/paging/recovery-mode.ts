import type { AgentMessage } from "../messages.ts";
import { recoveryText } from "./notice.ts";
import type { Exchange } from "./request-structure.ts";
import type { UnitSource } from "./request-units.ts";

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
    const text = recoveryText(toolCallId, historyId === undefined ? undefined : { historyId, toolCallId });
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

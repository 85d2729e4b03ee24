import type { AgentMessage, AssistantMessage } from "../../lib/messages.ts";
import { labelOf } from "./labels.ts";

/**
 * What makes a request illegal: a call apart from its results, a result without its call, or a response that a provider
 * does not take. Written from the rule, without the code under test.
 */
export function illegalities(messages: readonly AgentMessage[]): string[] {
  const found: string[] = [];
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") {
      const index = open.indexOf(message.toolCallId);
      if (index < 0) found.push(`${labelOf(message)}: no open call ${message.toolCallId} directly before it`);
      else open.splice(index, 1);
      continue;
    }
    if (open.length > 0) found.push(`${labelOf(message)}: before the results of ${open.join(", ")}`);
    open = message.role === "assistant" ? callsOf(message) : [];
    if (message.role === "assistant" && (message.stopReason === "aborted" || message.stopReason === "error"))
      found.push(`${labelOf(message)}: a response that ended as ${message.stopReason}`);
  }
  if (open.length > 0) found.push(`at the end: no results of ${open.join(", ")}`);
  return found;
}

function callsOf(message: AssistantMessage): string[] {
  return message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
}

import type { AssistantMessage, ToolCall } from "../messages.ts";

/** The tool calls of a response, in order. Content of damaged files may be missing: that is no call. */
export function toolCalls(assistant: AssistantMessage): readonly ToolCall[] {
  if (!Array.isArray(assistant.content)) return [];
  return assistant.content.filter((block) => block?.type === "toolCall");
}

/** Ids of the tool calls of a response, in order. */
export function callIds(assistant: AssistantMessage): readonly string[] {
  return toolCalls(assistant).map((call) => call.id);
}

/** Whether Pi itself recorded that the response did not come to its end. */
export function isAbortedOrFailed(assistant: AssistantMessage): boolean {
  return assistant.stopReason === "aborted" || assistant.stopReason === "error";
}

/** Short names of messages: a list of them reads as the conversation it stands for. */
import type { AgentMessage } from "../../lib/messages.ts";

/**
 * The first word of the text. "notice", "overflow-notice" and "recovery-notice" are the extension's own, "reference" is
 * what stands for a result that does not fit; a response without text is called by its call ids.
 */
export function labelOf(message: AgentMessage): string {
  const text = textOf(message);
  if (text.startsWith("[context-paging]")) {
    if (message.role === "toolResult") return "reference";
    if (text.includes("the rest is out")) return "overflow-notice";
    return text.includes("read them in pages") ? "recovery-notice" : "notice";
  }
  return text.split(/\s/, 1)[0] || callLabel(message);
}

/** All text of a message, joined. */
export function textOf(message: AgentMessage): string {
  switch (message.role) {
    case "bashExecution":
      return message.command;
    case "branchSummary":
    case "compactionSummary":
      return message.summary;
    default:
      return contentText(message.content);
  }
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block: { text?: string } | null) => block?.text ?? "").join("");
}

function callLabel(message: AgentMessage): string {
  if (message.role !== "assistant") return "(empty)";
  const ids = message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
  return `calls:${ids.join(",")}`;
}

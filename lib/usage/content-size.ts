import type { AgentMessage } from "../messages.ts";

/**
 * A cheap measure of what a message holds, in characters: it tells whether another extension changed a message since it
 * was priced. Reads lengths only, copies and serializes nothing.
 */
export function contentSize(message: AgentMessage): number {
  switch (message.role) {
    case "bashExecution":
      return sizeOf(message.command) + sizeOf(message.output);
    case "branchSummary":
    case "compactionSummary":
      return sizeOf(message.summary);
    default:
      return contentSizeOf(message.content);
  }
}

/** The usual blocks are read by name: this runs for every message of every request. */
function contentSizeOf(content: unknown): number {
  if (!Array.isArray(content)) return sizeOf(content);
  let size = 1;
  for (const block of content) size += block?.type === "text" ? 1 + sizeOf(block.text) : sizeOf(block);
  return size;
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  let size = 1;
  if (Array.isArray(value)) {
    for (const element of value) size += sizeOf(element);
    return size;
  }
  for (const key in value) size += sizeOf((value as Record<string, unknown>)[key]);
  return size;
}

import type { AgentMessage } from "../messages.ts";

/**
 * A cheap measure of what a message holds, in characters: it tells whether another extension changed a message since it
 * was priced. Reads lengths only, copies and serializes nothing. It runs for every message of every request, and the
 * strings of a fresh clone are slow to compare: so it goes by what is there, not by roles and types.
 */
export function contentSize(message: AgentMessage): number {
  if ("content" in message) return contentSizeOf(message.content);
  if ("summary" in message) return sizeOf(message.summary);
  return message.role === "bashExecution" ? sizeOf(message.command) + sizeOf(message.output) : 0;
}

function contentSizeOf(content: unknown): number {
  if (!Array.isArray(content)) return sizeOf(content);
  let size = 1;
  for (const block of content) {
    const text = block?.text;
    if (typeof text === "string") size += 1 + text.length;
    else if (block?.arguments === undefined) size += sizeOf(block);
    else size += sizeOf(block.id) + sizeOf(block.name) + sizeOf(block.arguments);
  }
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

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
      return sizeOf(message.content);
  }
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

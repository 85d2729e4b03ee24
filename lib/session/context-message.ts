import type { ContextMessage, SessionEntry } from "../messages.ts";

/**
 * The message that Pi sends to the model for an entry that is neither user, assistant nor tool result: custom
 * messages, `!` bash runs and summaries. `!!` runs are withheld from the model on purpose, so they have none.
 */
export function contextMessageOf(entry: SessionEntry): ContextMessage | undefined {
  const timestamp = Date.parse(entry.timestamp);
  switch (entry.type) {
    case "message":
      return isContextMessage(entry.message) ? entry.message : undefined;
    case "custom_message": {
      const { customType, display, details } = entry;
      return { role: "custom", customType, content: entry.content ?? [], display, details, timestamp };
    }
    case "branch_summary":
      if (!entry.summary) return undefined;
      return { role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp };
    case "compaction":
      return {
        role: "compactionSummary",
        summary: entry.summary,
        tokensBefore: entry.tokensBefore,
        timestamp,
      };
    default:
      return undefined;
  }
}

function isContextMessage(message: { role: string }): message is ContextMessage {
  switch (message.role) {
    case "custom":
    case "branchSummary":
    case "compactionSummary":
      return true;
    case "bashExecution":
      return !(message as { excludeFromContext?: boolean }).excludeFromContext;
    default:
      return false;
  }
}

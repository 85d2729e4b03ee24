import type { AgentMessage, ContextEditEntry, SessionEntry } from "../messages.ts";
import { contextMessageOf } from "../session/context-message.ts";

/**
 * Estimated tokens of everything that is saved, on all branches: texts, summaries, and the replacements of context
 * edits beside their originals, because the file holds both. Signatures and other metadata are bytes only. Section
 * "Read-only session stats".
 */
export function historyTokens(
  entries: readonly SessionEntry[],
  priceOf: (message: AgentMessage) => number,
): number {
  let tokens = 0;
  for (const entry of entries) {
    const message = savedMessage(entry);
    if (message) tokens += priceOf(message);
  }
  return tokens;
}

function savedMessage(entry: SessionEntry): AgentMessage | undefined {
  if (entry.type === "message") return entry.message;
  if (entry.type === "context_edit")
    return entry.replacement ? replacementMessage(entry.replacement) : undefined;
  return contextMessageOf(entry);
}

type Replacement = NonNullable<ContextEditEntry["replacement"]>;

/** The replacement as a message. Only responses hold thinking and calls; all other contents count alike. */
function replacementMessage({ content }: Replacement): AgentMessage {
  const isResponse =
    Array.isArray(content) &&
    content.some((block) => block?.type === "thinking" || block?.type === "toolCall");
  return { role: isResponse ? "assistant" : "custom", content } as AgentMessage;
}

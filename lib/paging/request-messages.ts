import { ContextSelectionError } from "../errors.ts";
import type { AgentMessage } from "../messages.ts";

/**
 * Checks what other extensions have left of a request before anything reads it. Throws INVALID_MESSAGE_STRUCTURE. Section
 * "Context selection".
 */
export function checkMessages(messages: readonly AgentMessage[]): void {
  if (messages.length === 0) throw damaged("The request holds no messages");
  const position = messages.findIndex((message: AgentMessage | null | undefined) => !message?.role);
  if (position >= 0) throw damaged(`The request holds something at position ${position} that is no message`);
}

/** Pi itself asks for no such request. */
function damaged(found: string): ContextSelectionError {
  return new ContextSelectionError(
    "INVALID_MESSAGE_STRUCTURE",
    `${found}: another extension has changed it. Nothing was sent. Turn that extension off, then send the prompt again.`,
  );
}

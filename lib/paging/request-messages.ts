import { ContextSelectionError } from "../errors.ts";
import type { AgentMessage } from "../messages.ts";

/**
 * Checks what other extensions have left of a request before anything reads it. Throws INVALID_MESSAGE_STRUCTURE. Section
 * "Context selection".
 */
export function checkMessages(messages: readonly AgentMessage[]): void {
  if (messages.length === 0) throw damaged("The request holds no messages");
  for (let position = 0; position < messages.length; position++) {
    const message: AgentMessage | null | undefined = messages[position];
    if (!message?.role)
      throw damaged(`The request holds something at position ${position} that is no message`);
  }
}

/** Pi itself asks for no such request. */
function damaged(found: string): ContextSelectionError {
  return new ContextSelectionError(
    "INVALID_MESSAGE_STRUCTURE",
    `${found}: another extension has changed it. Nothing was sent. Turn that extension off, then send the prompt again.`,
  );
}

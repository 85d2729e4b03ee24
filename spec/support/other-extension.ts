/** What another extension may make of a request, at random. */
import fc from "fast-check";
import type { AgentMessage } from "../../lib/messages.ts";

export interface Change {
  readonly kind: "inject" | "remove" | "duplicate" | "move" | "touch" | "abort" | "rewrite";
  readonly at: number;
  readonly to: number;
}

export const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("inject", "remove", "duplicate", "move", "touch", "abort", "rewrite"),
    at: fc.nat(60),
    to: fc.nat(60),
  }),
  { maxLength: 4 },
);

/** A changed list; the list and the messages that came in stay as they are. */
export function changed(messages: AgentMessage[], { kind, at, to }: Change): AgentMessage[] {
  const index = at % (messages.length + 1);
  const target = messages[index];
  if (kind === "inject") return messages.toSpliced(index, 0, injected(to));
  if (!target) return messages;
  if (kind === "remove") return messages.toSpliced(index, 1);
  if (kind === "duplicate") return messages.toSpliced(index, 0, target);
  if (kind === "move") return messages.toSpliced(index, 1).toSpliced(to % messages.length, 0, target);
  if (kind === "touch") return messages.with(index, { ...target, timestamp: 7 });
  if (kind === "rewrite") return messages.with(index, rewritten(target, to));
  return target.role === "assistant" ? messages.with(index, { ...target, stopReason: "aborted" }) : messages;
}

function injected(n: number): AgentMessage {
  const text = `i${n} #${n}`;
  return n % 2 === 0
    ? { role: "user", content: text, timestamp: 7 }
    : { role: "custom", customType: "x", content: text, display: false, timestamp: 7 };
}

/** Other text, and longer: what was known of the message does not hold for it. */
function rewritten(message: AgentMessage, n: number): AgentMessage {
  if (message.role === "assistant" || !("content" in message) || !Array.isArray(message.content))
    return message;
  const text = `${"x ".repeat(n + 1)}#${n}`;
  return { ...message, content: [...message.content, { type: "text", text }] } as AgentMessage;
}

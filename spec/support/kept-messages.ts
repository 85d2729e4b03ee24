/** Which of the incoming messages were sent, and in which order. Written from the rule, without the code under test. */
import { expect } from "chai";
import type { AgentMessage } from "../../lib/messages.ts";
import { labelOf } from "./labels.ts";

const OWN = new Set(["notice", "overflow-notice", "recovery-notice", "reference"]);

/** What was sent without what paging itself adds. */
export function keptOf(sent: readonly AgentMessage[]): AgentMessage[] {
  return sent.filter((message) => !OWN.has(labelOf(message)));
}

/**
 * Everything that was kept is an object that came in, as often as it came in at most, and in its order; but what stood
 * between a call and its results moves behind the results.
 */
export function expectInOrder(kept: readonly AgentMessage[], incoming: readonly AgentMessage[]): void {
  const order = sendingOrder(incoming);
  let next = 0;
  for (const message of kept) {
    const place = order.indexOf(message, next);
    expect(place, `place of ${labelOf(message)}, from ${next} on`).to.be.at.least(next);
    next = place + 1;
  }
}

/** All that a provider can take, in the order in which it can: responses with their results right behind them. */
export function sendingOrder(incoming: readonly AgentMessage[]): AgentMessage[] {
  const order: AgentMessage[] = [];
  let open: OpenExchange | undefined;
  const close = () => {
    if (open) order.push(...(isWhole(open) ? open.messages : []), ...open.meanwhile);
    open = undefined;
  };
  for (const message of incoming) {
    if (message.role === "user" || message.role === "assistant") close();
    if (message.role === "assistant") open = opened(message);
    else if (message.role === "toolResult") answer(open, message);
    else if (open) open.meanwhile.push(message);
    else order.push(message);
  }
  close();
  return order;
}

interface OpenExchange {
  readonly messages: AgentMessage[];
  readonly unanswered: Set<string>;
  readonly meanwhile: AgentMessage[];
}

type Response = Extract<AgentMessage, { role: "assistant" }>;
type Result = Extract<AgentMessage, { role: "toolResult" }>;

function opened(response: Response): OpenExchange {
  const calls = response.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
  return { messages: [response], unanswered: new Set(calls), meanwhile: [] };
}

function answer(open: OpenExchange | undefined, result: Result): void {
  open?.unanswered.delete(result.toolCallId);
  open?.messages.push(result);
}

/** A response that was interrupted, or whose run was killed before the last result, cannot be sent. */
function isWhole({ messages: [response], unanswered }: OpenExchange): boolean {
  const how = response?.role === "assistant" ? response.stopReason : undefined;
  return how !== "aborted" && how !== "error" && unanswered.size === 0;
}

/** What was sent without the newest response, its results and what else belongs to it: all but steering. */
export function besideUnread(sent: readonly AgentMessage[]): AgentMessage[] {
  const response = sent.findLastIndex(({ role }) => role === "assistant");
  return sent.filter(({ role }, n) => n < response || role === "user");
}

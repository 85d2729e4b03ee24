/**
 * Finds which outgoing message is which message of the projected session, in order.
 *
 * Pi hands over fresh clones at each request, so identity tells nothing; role, timestamp and call ids do. The common
 * front and back are matched directly: that is all there is to do unless another extension added, removed or moved
 * messages. What is left in the middle gets the longest common subsequence (Hunt-Szymanski), so one odd message never
 * costs its neighbours their keys.
 */
import type { AgentMessage, AssistantMessage } from "../messages.ts";
import type { ProjectedMessage } from "../session/projected-session.ts";

/** For each outgoing message its projected message, or none. */
export function alignInOrder(
  messages: readonly AgentMessage[],
  projected: readonly ProjectedMessage[],
): (ProjectedMessage | undefined)[] {
  const found: (ProjectedMessage | undefined)[] = new Array(messages.length).fill(undefined);
  let front = 0;
  let next = 0;
  while (front < messages.length && next < projected.length) {
    const message = messages[front];
    const candidate = projected[next];
    if (!message || !candidate) break;
    if (isSame(message, candidate)) found[front++] = candidate;
    else if (!candidate.hidden) break;
    next++;
  }
  let back = messages.length - 1;
  let last = projected.length - 1;
  while (back >= front && last >= next) {
    const message = messages[back];
    const candidate = projected[last];
    if (!message || !candidate) break;
    if (isSame(message, candidate)) found[back--] = candidate;
    else if (!candidate.hidden) break;
    last--;
  }
  if (back >= front && last >= next) {
    alignMiddle(
      messages,
      projected,
      { from: front, to: back, candidatesFrom: next, candidatesTo: last },
      found,
    );
  }
  return found;
}

interface Middle {
  readonly from: number;
  readonly to: number;
  readonly candidatesFrom: number;
  readonly candidatesTo: number;
}

interface Match {
  readonly message: number;
  readonly candidate: number;
  readonly before: Match | undefined;
}

function alignMiddle(
  messages: readonly AgentMessage[],
  projected: readonly ProjectedMessage[],
  middle: Middle,
  found: (ProjectedMessage | undefined)[],
): void {
  const candidates = indexByKey(projected, middle);
  /** `chains[n]`: of all matched chains of n + 1 messages, the one whose last candidate comes first. */
  const chains: Match[] = [];
  for (let index = middle.from; index <= middle.to; index++) {
    const message = messages[index];
    if (!message) continue;
    // Newest candidate first, so that one message never extends a chain by itself twice.
    for (const candidate of candidates.get(keyOf(message))?.toReversed() ?? []) {
      const stored = projected[candidate];
      if (!stored || !isSame(message, stored)) continue;
      const length = chainsEndingBefore(chains, candidate);
      chains[length] = { message: index, candidate, before: chains[length - 1] };
    }
  }
  for (let match = chains.at(-1); match; match = match.before)
    found[match.message] = projected[match.candidate];
}

/** How many chains end before `candidate`: their ends ascend, so a binary search tells. */
function chainsEndingBefore(chains: readonly Match[], candidate: number): number {
  let low = 0;
  let high = chains.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chains[middle]?.candidate ?? candidate) < candidate) low = middle + 1;
    else high = middle;
  }
  return low;
}

function indexByKey(projected: readonly ProjectedMessage[], middle: Middle): Map<string, number[]> {
  const byKey = new Map<string, number[]>();
  for (let index = middle.candidatesFrom; index <= middle.candidatesTo; index++) {
    const message = projected[index]?.message;
    if (!message) continue;
    const key = keyOf(message);
    const known = byKey.get(key);
    if (known) known.push(index);
    else byKey.set(key, [index]);
  }
  return byKey;
}

function keyOf(message: AgentMessage): string {
  return message.role === "custom" ? `custom ${message.customType}` : `${message.role} ${message.timestamp}`;
}

/**
 * Same role, time and call ids. A custom message may instead have the same type and text: the legacy host keeps it in
 * memory with another time than it stores.
 */
function isSame(message: AgentMessage, { message: stored, callIds }: ProjectedMessage): boolean {
  if (message.role !== stored.role) return false;
  if (message.role === "custom" && stored.role === "custom") {
    if (message.customType !== stored.customType) return false;
    return Object.is(message.timestamp, stored.timestamp) || hasSameText(message.content, stored.content);
  }
  if (!Object.is(message.timestamp, stored.timestamp)) return false;
  if (message.role === "toolResult") {
    return stored.role === "toolResult" && message.toolCallId === stored.toolCallId;
  }
  return message.role !== "assistant" || hasCalls(message, callIds);
}

function hasCalls(message: AssistantMessage, ids: readonly string[]): boolean {
  let calls = 0;
  // Runs for every response of every request: no list is made.
  for (const block of Array.isArray(message.content) ? message.content : []) {
    if (block?.type !== "toolCall") continue;
    if (block.id !== ids[calls]) return false;
    calls++;
  }
  return calls === ids.length;
}

type CustomContent = Extract<AgentMessage, { role: "custom" }>["content"];

function hasSameText(content: CustomContent, stored: CustomContent): boolean {
  if (typeof content === "string" || typeof stored === "string") return content === stored;
  return (
    Array.isArray(content) &&
    Array.isArray(stored) &&
    content.length === stored.length &&
    content.every((block, index) => {
      const other = stored[index];
      return block?.type === "text"
        ? other?.type === "text" && other.text === block.text
        : other?.type === block?.type;
    })
  );
}

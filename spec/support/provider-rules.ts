/**
 * The rules by which real providers refuse a request: every call answered at once, no result without its call, no
 * empty content. A violation is a sentence that names the message by its place in the list.
 */
import type { WireApi, WireBlock, WireBody, WireMessage } from "./wire.ts";
import { conversation } from "./wire.ts";

/** All rules of the API that the body breaks; empty for a legal request. */
export function violations(api: WireApi, body: WireBody): string[] {
  const messages = conversation(body);
  if (messages.length === 0) return ["messages: the list is empty"];
  return api === "anthropic-messages" ? messagesViolations(messages) : chatViolations(messages);
}

/** Anthropic Messages: results stand first in the user message right behind the assistant's tool_use blocks. */
function messagesViolations(messages: readonly WireMessage[]): string[] {
  const found: string[] = [];
  if (messages[0]?.role !== "user") found.push("messages.0: the first message must have role user");
  let open: string[] = [];
  messages.forEach((message, index) => {
    const blocks = blocksOf(message);
    found.push(...emptyBlocks(message, blocks, index));
    const results = blocks.filter((block) => block.type === "tool_result");
    found.push(
      ...settle(open, message.role === "user" ? results.map((block) => block.tool_use_id ?? "") : [], index),
    );
    if (results.length > 0 && message.role !== "user")
      found.push(`messages.${index}: tool_result outside a user message`);
    if (blocks.slice(0, results.length).some((block) => block.type !== "tool_result")) {
      found.push(`messages.${index}: tool_result blocks must come first`);
    }
    open = message.role === "assistant" ? blocks.filter(isToolUse).map((block) => block.id ?? "") : [];
    found.push(...repeated(open, `messages.${index}: tool_use ids must be unique`));
  });
  return [...found, ...settle(open, [], messages.length)];
}

/** OpenAI Chat Completions: tool messages follow the assistant's tool_calls before anything else. */
function chatViolations(messages: readonly WireMessage[]): string[] {
  const found: string[] = [];
  let open: string[] = [];
  let answered: string[] = [];
  const close = (index: number) => {
    found.push(...settle(open, answered, index));
    open = [];
    answered = [];
  };
  messages.forEach((message, index) => {
    if (message.role === "tool") {
      answered.push(message.tool_call_id ?? "");
      return;
    }
    close(index);
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) found.push(...emptyBlocks(message, blocksOf(message), index));
    open = calls.map((call) => call.id);
    found.push(...repeated(open, `messages.${index}: tool_call ids must be unique`));
  });
  close(messages.length);
  return found;
}

/** Compares the calls that are open with the results that came; `index` is where they had to be complete. */
function settle(open: readonly string[], answered: readonly string[], index: number): string[] {
  return [
    ...open.filter((id) => !answered.includes(id)).map((id) => `messages.${index}: no result for call ${id}`),
    ...answered.filter((id) => !open.includes(id)).map((id) => `messages.${index}: result ${id} has no call`),
    ...repeated(answered, `messages.${index}: more than one result for a call`),
  ];
}

function repeated(ids: readonly string[], rule: string): string[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${rule} (${id})`);
}

function emptyBlocks(message: WireMessage, blocks: readonly WireBlock[], index: number): string[] {
  if (blocks.length === 0) return [`messages.${index}: ${message.role} content is empty`];
  return blocks
    .filter((block) => block.type === "text" && (block.text ?? "").trim() === "")
    .map(() => `messages.${index}: ${message.role} text is empty`);
}

function blocksOf(message: WireMessage): readonly WireBlock[] {
  const { content } = message;
  if (content === undefined || content === null || content === "") return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function isToolUse(block: WireBlock): boolean {
  return block.type === "tool_use";
}

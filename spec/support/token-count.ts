import { conversation, type WireBody, type WireContent, type WireMessage } from "./wire.ts";

/** What one image costs, whatever its base64 length. */
const IMAGE_CHARACTERS = 4_800;

/**
 * The mock provider's tokenizer, independent of the one under test: a quarter of the characters of the system
 * prompt, the tool schemas, the texts and the call arguments. An image costs a constant.
 */
export function countTokens(body: WireBody): number {
  const system = body.messages.filter((message) => !conversation(body).includes(message));
  const characters =
    contentCharacters(body.system) +
    sum(system, messageCharacters) +
    (body.tools === undefined ? 0 : JSON.stringify(body.tools).length) +
    sum(conversation(body), messageCharacters);
  return Math.ceil(characters / 4);
}

function messageCharacters(message: WireMessage): number {
  const calls = message.tool_calls ?? [];
  return (
    contentCharacters(message.content) +
    sum(calls, (call) => call.function.name.length + call.function.arguments.length)
  );
}

function contentCharacters(content: WireContent | undefined): number {
  if (content === undefined || content === null) return 0;
  if (typeof content === "string") return content.length;
  return sum(content, (block) => {
    if (block.type === "image" || block.type === "image_url") return IMAGE_CHARACTERS;
    const call =
      block.type === "tool_use" ? (block.name ?? "").length + JSON.stringify(block.input ?? {}).length : 0;
    return (block.text ?? block.thinking ?? "").length + call + contentCharacters(block.content);
  });
}

function sum<T>(items: readonly T[], cost: (item: T) => number): number {
  return items.reduce((total, item) => total + cost(item), 0);
}

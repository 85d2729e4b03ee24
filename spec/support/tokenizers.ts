/** Tokenizers of providers, independent of the estimator under test, and what they count in a recorded request. */
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import type { WireBody, WireContent, WireMessage } from "./wire.ts";

export type Tokenizer = "o200k" | "cl100k";

export const TOKENIZERS: readonly Tokenizer[] = ["o200k", "cl100k"];

const KNOWN: Readonly<Record<Tokenizer, Map<string, number>>> = { o200k: new Map(), cl100k: new Map() };

/** Tokens of a text. What looks like a special token is ordinary text. A text is counted once. */
export function textTokens(text: string, tokenizer: Tokenizer): number {
  const known = KNOWN[tokenizer].get(text);
  if (known !== undefined) return known;
  const count = tokenizer === "o200k" ? countO200k : countCl100k;
  const tokens = count(text, { disallowedSpecial: new Set() });
  KNOWN[tokenizer].set(text, tokens);
  return tokens;
}

/** Tokens of all texts of a request: prompt, tool definitions, messages and calls. Images and frames are not counted. */
export function bodyTokens(body: WireBody, tokenizer: Tokenizer): number {
  const tools = body.tools === undefined ? 0 : textTokens(JSON.stringify(body.tools), tokenizer);
  return body.messages.reduce(
    (sum, message) => sum + messageTokens(message, tokenizer),
    contentTokens(body.system, tokenizer) + tools,
  );
}

function messageTokens({ content, tool_calls = [] }: WireMessage, tokenizer: Tokenizer): number {
  const calls = tool_calls.map((call) => `${call.function.name} ${call.function.arguments}`);
  return calls.reduce((sum, call) => sum + textTokens(call, tokenizer), contentTokens(content, tokenizer));
}

function contentTokens(content: WireContent | undefined, tokenizer: Tokenizer): number {
  if (content === undefined || content === null) return 0;
  if (typeof content === "string") return textTokens(content, tokenizer);
  return content.reduce((sum, block) => {
    const text = block.text ?? block.thinking ?? "";
    const call = block.type === "tool_use" ? `${block.name} ${JSON.stringify(block.input ?? {})}` : "";
    return sum + textTokens(text + call, tokenizer) + contentTokens(block.content, tokenizer);
  }, 0);
}

/** What a provider would count, by a tokenizer that has nothing to do with this project's estimator. */
import { convertToLlm } from "@earendil-works/pi-coding-agent";
import type { AgentMessage } from "../../lib/messages.ts";
import { contentSize } from "../../lib/usage/content-size.ts";
import type { ResidentInput } from "../../lib/usage/token-estimator.ts";
import { type Tokenizer, textTokens } from "../../spec/support/tokenizers.ts";

/** Role and separators around each message. Local estimates know nothing of frames. */
const MESSAGE_FRAME_TOKENS = 4;
const CALL_FRAME_TOKENS = 4;
/** What opens the answer. */
const REQUEST_FRAME_TOKENS = 3;

type Block = { readonly type: string } & Record<string, unknown>;

/** Counts the requests and answers of one session. A message is counted once. */
export class ProviderTruth {
  readonly #tokenizer: Tokenizer;
  readonly #messages = new Map<string, number>();

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  request(resident: ResidentInput, messages: readonly AgentMessage[]): number {
    return (
      REQUEST_FRAME_TOKENS + this.#resident(resident) + messages.reduce((sum, m) => sum + this.message(m), 0)
    );
  }

  message(message: AgentMessage): number {
    // The notice has the time of a message, but not its text.
    const key = `${message.role} ${message.timestamp} ${contentSize(message)}`;
    const known = this.#messages.get(key) ?? this.#countMessage(message);
    this.#messages.set(key, known);
    return known;
  }

  #countMessage(message: AgentMessage): number {
    const [sent] = convertToLlm([message] as Parameters<typeof convertToLlm>[0]);
    if (!sent) return 0;
    const { content } = sent;
    const blocks: readonly Block[] =
      typeof content === "string" ? [{ type: "text", text: content }] : (content as unknown as Block[]);
    return MESSAGE_FRAME_TOKENS + blocks.reduce((sum, block) => sum + this.#block(block), 0);
  }

  #block(block: Block): number {
    switch (block.type) {
      case "text":
        return this.#text(String(block.text));
      case "thinking":
        return this.#text(String(block.thinking));
      case "toolCall":
        return CALL_FRAME_TOKENS + this.#text(`${block.name} ${JSON.stringify(block.arguments)}`);
      case "image":
        return imageTokens(String(block.data));
      default:
        return 0;
    }
  }

  #resident({ systemPrompt, tools }: ResidentInput): number {
    const sent = tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    }));
    return this.#text(systemPrompt) + this.#text(JSON.stringify(sent));
  }

  #text(text: string): number {
    return textTokens(text, this.#tokenizer);
  }
}

/** Providers count pixels: from 800 to 1,600 tokens here, told by the data's length, the same for the same image. */
function imageTokens(data: string): number {
  return 800 + ((data.length * 37) % 801);
}

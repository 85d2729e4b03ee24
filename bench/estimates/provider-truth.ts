/** What a provider would count, by a tokenizer that has nothing to do with this project's estimator. */
import { convertToLlm } from "@earendil-works/pi-coding-agent";
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import type { AgentMessage } from "../../lib/messages.ts";
import { contentSize } from "../../lib/usage/content-size.ts";
import type { ResidentInput } from "../../lib/usage/token-estimator.ts";

export type Encoding = "o200k" | "cl100k";

export const ENCODINGS: readonly Encoding[] = ["o200k", "cl100k"];

const COUNT: Readonly<Record<Encoding, (text: string) => number>> = {
  // Text that looks like a special token is ordinary text to a provider.
  o200k: (text) => countO200k(text, { disallowedSpecial: new Set() }),
  cl100k: (text) => countCl100k(text, { disallowedSpecial: new Set() }),
};
/** Role and separators around each message, and what opens the answer. */
const MESSAGE_FRAME_TOKENS = 4;
const CALL_FRAME_TOKENS = 4;
const REQUEST_FRAME_TOKENS = 3;

type Block = { readonly type: string } & Record<string, unknown>;

/** Counts the requests and answers of one session. A message is counted once. */
export class ProviderTruth {
  readonly #text: (text: string) => number;
  readonly #messages = new Map<string, number>();

  constructor(encoding: Encoding) {
    this.#text = remembered(COUNT[encoding], KNOWN[encoding]);
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
}

/** The runs of a bench read the same texts. */
const KNOWN: Readonly<Record<Encoding, Map<string, number>>> = { o200k: new Map(), cl100k: new Map() };

function remembered(count: (text: string) => number, known: Map<string, number>): (text: string) => number {
  return (text) => {
    const tokens = known.get(text) ?? count(text);
    known.set(text, tokens);
    return tokens;
  };
}

/** Providers count pixels: from 800 to 1,600 tokens here, told by the data's length, the same for the same image. */
function imageTokens(data: string): number {
  return 800 + ((data.length * 37) % 801);
}

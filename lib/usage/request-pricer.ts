import type { AgentMessage, AssistantMessage } from "../messages.ts";
import type { PagingRequest } from "../paging/paging-request.ts";
import type { Provenance } from "../paging/provenance.ts";
import type { ProjectedMessage } from "../session/projected-session.ts";
import { callIds } from "../session/tool-calls.ts";
import { contentSize } from "./content-size.ts";
import { Reach } from "./reach.ts";
import type { MessageTokens, ResidentInput, TokenEstimator } from "./token-estimator.ts";

/** What a request costs, part by part, in estimated tokens. */
export interface RequestPrices {
  /** System prompt and active tool definitions. */
  readonly residentTokens: number;
  /** Each message, by position. */
  readonly messageTokens: Float64Array;
}

interface KnownPrice extends MessageTokens {
  readonly source: ProjectedMessage;
  /** What was priced; `unread` for a price that goes by the size alone. */
  readonly size: number | "unread";
}

/**
 * Prices requests by local estimates. A stored message is estimated once and again only when its content changes.
 * The text of what no request can reach is not read: its price goes by its size, or is what is known of it.
 */
export class RequestPricer {
  readonly #estimator: TokenEstimator;
  /** By place in the projected session. */
  readonly #known: KnownPrice[] = [];
  #resident: { readonly input: ResidentInput; readonly tokens: number } | undefined;

  constructor(estimator: TokenEstimator) {
    this.#estimator = estimator;
  }

  /**
   * Begins a session: estimates what its first request can hold, so that the request itself need not wait for it.
   * `reachTokens` as for {@link price}.
   */
  begin(session: readonly ProjectedMessage[], reachTokens: number): void {
    this.#known.length = 0;
    const reach = new Reach(reachTokens);
    for (let index = session.length - 1; index >= 0; index--) {
      const source = session[index];
      if (source && !source.hidden)
        reach.pass(source.message, this.#local(source.message, source, reach).tokens, source.callIds.length);
    }
  }

  /**
   * Prices the messages as they go out, also where another extension changed them. `reachTokens`: more than this, by
   * local estimates, no request holds.
   */
  price(
    request: PagingRequest,
    provenance: Provenance,
    reachTokens = Number.POSITIVE_INFINITY,
  ): RequestPrices {
    const { messages } = request;
    const messageTokens = new Float64Array(messages.length);
    const reach = new Reach(reachTokens);
    for (let position = messages.length - 1; position >= 0; position--) {
      const message = messages[position];
      if (!message) continue;
      const source = provenance.source(position);
      const { tokens, thinkingTokens } = this.#local(message, source, reach);
      const price = tokens + (thinkingTokens > 0 && isReplayed(message, request) ? thinkingTokens : 0);
      messageTokens[position] = price;
      reach.pass(message, price, source?.callIds.length ?? callsOf(message));
    }
    return { residentTokens: this.#residentTokens(request.resident), messageTokens };
  }

  /** Price of a message that is not of the session. */
  priceOf(message: AgentMessage): number {
    const { tokens, thinkingTokens } = this.#estimator.message(message);
    return tokens + thinkingTokens;
  }

  #local(message: AgentMessage, source: ProjectedMessage | undefined, reach: Reach): MessageTokens {
    return source && reach.isBeyond(message) ? this.#unread(source) : this.#estimate(message, source);
  }

  #estimate(message: AgentMessage, source: ProjectedMessage | undefined): MessageTokens {
    if (!source) return this.#estimator.message(message);
    const size = contentSize(message);
    const known = this.#known[source.index];
    if (known?.source === source && known.size === size) return known;
    const { tokens, thinkingTokens } = this.#estimator.message(message);
    const price = { source, size, tokens, thinkingTokens };
    this.#known[source.index] = price;
    return price;
  }

  /** The price of a message whose text is not read now. */
  #unread(source: ProjectedMessage): MessageTokens {
    const known = this.#known[source.index];
    if (known?.source === source) return known;
    const { message } = source;
    const price: KnownPrice = holdsImage(message)
      ? { source, size: "unread", ...this.#estimator.message(message) }
      : { source, size: "unread", tokens: this.#tokensBySize(message), thinkingTokens: 0 };
    this.#known[source.index] = price;
    return price;
  }

  /** By the size, and by what the first characters cost: that tells the kind of text. */
  #tokensBySize(message: AgentMessage): number {
    const sample = beginningOf(message);
    const density = sample === "" ? 0 : this.#estimator.text(sample) / sample.length;
    return Math.ceil(contentSize(message) * Math.max(0.25, density));
  }

  #residentTokens(input: ResidentInput): number {
    if (!this.#resident || !isSameInput(this.#resident.input, input)) {
      this.#resident = { input, tokens: this.#estimator.residentInput(input) };
    }
    return this.#resident.tokens;
  }
}

function callsOf(message: AgentMessage): number {
  return message.role === "assistant" ? callIds(message).length : 0;
}

const SAMPLE_CHARACTERS = 64;

function beginningOf(message: AgentMessage): string {
  if (!("content" in message) || !Array.isArray(message.content)) return "";
  const [block] = message.content;
  return block?.type === "text" && typeof block.text === "string"
    ? block.text.slice(0, SAMPLE_CHARACTERS)
    : "";
}

/** An image costs the same whatever its size. */
function holdsImage(message: AgentMessage): boolean {
  return (
    message.role === "toolResult" &&
    Array.isArray(message.content) &&
    message.content.some((block) => block?.type === "image")
  );
}

/** A host replays thinking to the model that wrote it; thinking of another model is dropped or sent as text. */
function isReplayed(message: AgentMessage, { model, foreignThinking }: PagingRequest): boolean {
  if (message.role !== "assistant") return true;
  return foreignThinking === "text" || model === undefined || isFrom(message, model);
}

function isFrom(message: AssistantMessage, model: NonNullable<PagingRequest["model"]>): boolean {
  return message.provider === model.provider && message.model === model.id && message.api === model.api;
}

function isSameInput(known: ResidentInput, input: ResidentInput): boolean {
  return (
    known.systemPrompt === input.systemPrompt &&
    known.tools.length === input.tools.length &&
    known.tools.every((tool, index) => {
      const other = input.tools[index];
      return (
        tool.name === other?.name &&
        tool.description === other.description &&
        tool.parameters === other.parameters
      );
    })
  );
}

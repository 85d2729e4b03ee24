import type { AgentMessage, AssistantMessage } from "../messages.ts";
import type { PagingRequest } from "../paging/paging-request.ts";
import type { Provenance } from "../paging/provenance.ts";
import type { ProjectedMessage } from "../session/projected-session.ts";
import { contentSize } from "./content-size.ts";
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
  readonly size: number;
}

/** Prices requests by local estimates. A stored message is estimated once and again only when its content changes. */
export class RequestPricer {
  readonly #estimator: TokenEstimator;
  /** By place in the projected session. */
  readonly #known: KnownPrice[] = [];
  #resident: { readonly input: ResidentInput; readonly tokens: number } | undefined;

  constructor(estimator: TokenEstimator) {
    this.#estimator = estimator;
  }

  /** Prices the messages as they go out, also where another extension changed them. */
  price(request: PagingRequest, provenance: Provenance): RequestPrices {
    const messageTokens = new Float64Array(request.messages.length);
    request.messages.forEach((message, position) => {
      const { tokens, thinkingTokens } = this.#estimate(message, provenance.source(position));
      messageTokens[position] =
        tokens + (thinkingTokens > 0 && isReplayed(message, request) ? thinkingTokens : 0);
    });
    return { residentTokens: this.#residentTokens(request.resident), messageTokens };
  }

  /** Price of a message that is not of the session. */
  priceOf(message: AgentMessage): number {
    const { tokens, thinkingTokens } = this.#estimator.message(message);
    return tokens + thinkingTokens;
  }

  #estimate(message: AgentMessage, source: ProjectedMessage | undefined): MessageTokens {
    if (!source) return this.#estimator.message(message);
    const size = contentSize(message);
    const known = this.#known[source.index];
    if (known?.source === source && known.size === size) return known;
    const price = { source, size, ...this.#estimator.message(message) };
    this.#known[source.index] = price;
    return price;
  }

  #residentTokens(input: ResidentInput): number {
    if (!this.#resident || !isSameInput(this.#resident.input, input)) {
      this.#resident = { input, tokens: this.#estimator.residentInput(input) };
    }
    return this.#resident.tokens;
  }
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

/**
 * A session whose requests are priced and whose answers are measured, without selection: requests go out as they come
 * in, unless told otherwise. Texts made by `tokens(n)` cost n tokens by every estimator, so figures can be worked out.
 */
import { buildSessionContext, calculateContextTokens, estimateTokens } from "@earendil-works/pi-coding-agent";
import type { AgentMessage } from "../../lib/messages.ts";
import type { PagingRequest } from "../../lib/paging/paging-request.ts";
import { Provenance } from "../../lib/paging/provenance.ts";
import { BranchProjection } from "../../lib/session/branch-projection.ts";
import { RequestPricer } from "../../lib/usage/request-pricer.ts";
import { sentRequest } from "../../lib/usage/sent-request.ts";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import { UsageCalibrator } from "../../lib/usage/usage-calibrator.ts";
import { type AssistantDraft, branch } from "./branch-builder.ts";

export function tokens(count: number): string {
  return "abcd".repeat(count);
}

/** A message of another extension, in this request only. */
export function injected(count: number): AgentMessage {
  return { role: "user", content: tokens(count), timestamp: 1 };
}

export interface SendOptions {
  /** What other extensions make of the request. */
  readonly edit?: (messages: AgentMessage[]) => AgentMessage[];
  /** Positions that go out. Default: all. */
  readonly carried?: readonly number[];
  /** What selection adds, in tokens. */
  readonly notice?: number;
  /** Default: what Pi counts. */
  readonly status?: number | null | "none";
  readonly windowTokens?: number;
}

/** A priced request: the resident input and each message. */
export interface Prices {
  readonly resident: number;
  readonly messages: readonly number[];
}

export class MeasuredSession {
  readonly session = branch();
  readonly calibrator = new UsageCalibrator();
  readonly pricer = new RequestPricer(new TokenEstimator());
  readonly #projection = new BranchProjection();
  residentTokens = 100;
  branchLag: PagingRequest["branchLag"] = "none";
  foreignThinking: PagingRequest["foreignThinking"] = "dropped";

  /** Sends the request that is due and returns its prices. */
  send(options: SendOptions = {}): Prices {
    const request = this.#request(options);
    this.#projection.update(request.branch);
    const session = this.#projection.session.messages;
    const provenance = Provenance.trace(request.messages, session, request.branchLag);
    const local = this.pricer.price(request, provenance);
    this.calibrator.observe({ request, provenance, session, local });
    const prices = this.calibrator.calibrated(local, provenance);
    const messages = Array.from(prices.messageTokens);
    const carried = options.carried ?? messages.map((_, position) => position);
    const addedTokens = options.notice ?? 0;
    const expectedTokens = carried.reduce(
      (sum, position) => sum + (messages[position] ?? 0),
      prices.residentTokens + addedTokens,
    );
    this.calibrator.recordRequest(
      sentRequest(
        { time: this.#now, carried, addedTokens, expectedTokens },
        { provenance, local, sessionLength: session.length },
      ),
    );
    return { resident: prices.residentTokens, messages };
  }

  /** Stores a response of `count` tokens; the provider counts `total` for request and response. */
  answer(total: number, count = 100, draft: AssistantDraft = {}): this {
    const usage = { input: total - count, output: count, totalTokens: total };
    this.session.assistant({ text: tokens(count), usage, ...draft });
    this.tellResponse();
    return this;
  }

  /** Tells of the newest response again. */
  tellResponse(): void {
    const response = this.session.messages.findLast(({ role }) => role === "assistant");
    if (response?.role === "assistant") this.calibrator.recordResponse(response);
  }

  user(count: number): this {
    this.session.user(tokens(count));
    return this;
  }

  /** The messages that Pi makes of the branch, as fresh clones. */
  get messages(): AgentMessage[] {
    return structuredClone(this.#projected.filter(({ role }) => role !== "system"));
  }

  /** What Pi's status says: the newest usage, and Pi's estimates of what came after it. */
  get status(): number {
    const messages = this.#projected;
    const last = messages.findLastIndex(
      (message) => message.role === "assistant" && calculateContextTokens(message.usage) > 0,
    );
    const response = messages[last];
    const measured = response?.role === "assistant" ? calculateContextTokens(response.usage) : 0;
    return messages.slice(last + 1).reduce((sum, message) => sum + priceOf(message), measured);
  }

  get #projected(): AgentMessage[] {
    const { path } = this.session;
    return buildSessionContext(path, path.at(-1)?.id).messages as AgentMessage[];
  }

  /** One second before the next entry. */
  get #now(): number {
    return Date.parse(this.session.path.at(-1)?.timestamp ?? "") + 500;
  }

  #request({
    edit = (messages) => messages,
    status = this.status,
    windowTokens,
  }: SendOptions): PagingRequest {
    return {
      messages: edit(this.messages),
      resident: { systemPrompt: tokens(this.residentTokens), tools: [] },
      model: { provider: "mock-chat", id: "mock-model", api: "openai-completions" },
      window: windowTokens === undefined ? undefined : { contextWindow: windowTokens },
      status: status === "none" ? undefined : { tokens: status, priceOf },
      branch: this.session.path,
      branchLag: this.branchLag,
      foreignThinking: this.foreignThinking,
    };
  }
}

function priceOf(message: AgentMessage): number {
  return estimateTokens(message as Parameters<typeof estimateTokens>[0]);
}

/**
 * Prices requests by what the provider measured. Section "Provider-backed usage" of ARCHITECTURE.md.
 *
 * A response tells one number: the tokens of the request it answers, and of itself. Its distance from the local
 * estimates is spread over what was measured. The resident input takes its share at the first observation; later
 * undercounts can lower that share, nothing raises it. The rest scales the messages that were in the request, and the
 * response. A message keeps its assigned cost until it leaves, and takes it along. Everything the
 * provider did not see in that request keeps its local estimate: new and restored messages, injections, notices.
 *
 * Accepted: a positive total of a response that came to its end, that answers the request sent last, and that Pi's own
 * status confirms. A total above the model's window, or far from what the last accepted total leads to expect, is
 * ignored once; the second one in a row is believed.
 */
import type { AssistantMessage } from "../messages.ts";
import type { PagingRequest } from "../paging/paging-request.ts";
import type { Provenance } from "../paging/provenance.ts";
import type { ProjectedMessage } from "../session/projected-session.ts";
import {
  type Calibration,
  calibration,
  FACTOR_RANGE,
  type MeasuredAnswer,
  type Overhead,
  residentPrice,
} from "./calibration.ts";
import { isSuccessful, measuredTokens } from "./measured-total.ts";
import type { RequestPrices } from "./request-pricer.ts";
import type { SentRequest } from "./sent-request.ts";
import { statusTotal } from "./status-total.ts";

/** A response that awaits its request's successor: only that one shows what Pi makes of its usage. */
interface Answer {
  readonly sent: SentRequest;
  readonly response: AssistantMessage;
  readonly tokens: number;
}

/** The request that shows an answer, and how it was traced and priced. */
export interface Successor {
  readonly request: PagingRequest;
  readonly provenance: Provenance;
  /** Pi's projection of the session. */
  readonly session: readonly ProjectedMessage[];
  readonly local: RequestPrices;
}

/** A total this many times above or below the expected one contradicts it. */
const CONTRADICTION = 1.5;

/** See the head of this file. */
export class UsageCalibrator {
  #sent: SentRequest | undefined;
  #answer: Answer | undefined;
  #calibration: Calibration | undefined;
  /** By the model that answered: behind one name there may be several. */
  readonly #overheads = new Map<string, Overhead>();
  #contradicted: "no" | "once" = "no";

  /** Remembers the request that goes out. */
  recordRequest(sent: SentRequest): void {
    this.#sent = sent;
    this.#answer = undefined;
  }

  /** Links a response to the request that went out last. Failed responses and impossible usage are not measured. */
  recordResponse(response: AssistantMessage): void {
    if (!this.#sent || response.timestamp < this.#sent.time) return;
    const tokens = isSuccessful(response) ? measuredTokens(response) : undefined;
    this.#answer = tokens !== undefined ? { sent: this.#sent, response, tokens } : undefined;
    this.#sent = undefined;
  }

  /** Learns from the answer to the request before this one. */
  observe(successor: Successor): void {
    const answer = this.#answer;
    this.#answer = undefined;
    if (!answer) return;
    const position = positionOf(answer.response, successor.request);
    if (position === undefined || !isConfirmed(answer, position, successor)) {
      this.#calibration = undefined;
      return;
    }
    const measured = measuredAnswer(answer, position, successor);
    if (this.#isContradiction(measured, successor.request)) return;
    this.#calibration = calibration(measured, this.#overheads.get(measured.model));
    this.#overheads.set(measured.model, this.#calibration.overhead);
  }

  /** How many tokens, by local estimates, may be in a request that holds `budgetTokens` by calibrated ones. */
  reachTokens(budgetTokens: number): number {
    return this.#calibration || this.#answer ? budgetTokens / FACTOR_RANGE.low : budgetTokens;
  }

  /** Prices a request: measured where it was measured, local estimates elsewhere. */
  calibrated(local: RequestPrices, provenance: Provenance): RequestPrices {
    if (!this.#calibration) return local;
    const { overhead, factor, measured } = this.#calibration;
    const messageTokens = local.messageTokens.slice();
    // Both lists are in the order of the session.
    let next = 0;
    for (let position = 0; position < messageTokens.length; position++) {
      const source = provenance.source(position);
      if (!source) continue;
      while ((measured[next]?.index ?? Number.POSITIVE_INFINITY) < source.index) next++;
      if (measured[next] === source) messageTokens[position] = (messageTokens[position] ?? 0) * factor;
    }
    return { residentTokens: residentPrice(local.residentTokens, overhead), messageTokens };
  }

  /** Forgets what was measured: the session, the model or what Pi counts is another one. */
  clear(): void {
    this.#sent = undefined;
    this.#answer = undefined;
    this.#calibration = undefined;
    this.#overheads.clear();
    this.#contradicted = "no";
  }

  /** Another model counts otherwise, so its first total cannot be far from what this one's led to expect. */
  #isContradiction(
    { sent, tokens, responseTokens, model }: MeasuredAnswer,
    { window }: PagingRequest,
  ): boolean {
    const isComparable = this.#calibration?.model === model;
    const isFar = isComparable && isFarFrom(tokens, sent.expectedTokens + responseTokens);
    const isAboveWindow = window !== undefined && tokens > window.contextWindow;
    const isFirst = this.#contradicted === "no";
    this.#contradicted = (isFar || isAboveWindow) && isFirst ? "once" : "no";
    return this.#contradicted === "once";
  }
}

function isFarFrom(tokens: number, expected: number): boolean {
  return tokens > expected * CONTRADICTION || tokens * CONTRADICTION < expected;
}

/** Where the response stands in the request that follows it. */
function positionOf(response: AssistantMessage, { messages }: PagingRequest): number | undefined {
  const position = messages.findLastIndex(
    ({ role, timestamp }) => role === "assistant" && timestamp === response.timestamp,
  );
  return position < 0 ? undefined : position;
}

/** Whether Pi itself measured this total. Without a status there is nothing that could differ. */
function isConfirmed(
  { tokens }: Answer,
  position: number,
  { request, provenance, session }: Successor,
): boolean {
  const { status } = request;
  return !status || statusTotal(status, request, session, { provenance, position }) === tokens;
}

function measuredAnswer(
  { sent, response, tokens }: Answer,
  position: number,
  successor: Successor,
): MeasuredAnswer {
  const { provenance, local } = successor;
  const stored: ProjectedMessage[] = [];
  for (let index = position; index >= 0; index--) {
    const source = provenance.source(index);
    if (source && source.index < sent.sessionLength) break;
    if (source) stored.unshift(source);
  }
  const model = `${response.provider}/${response.responseModel ?? response.model}`;
  return { model, sent, tokens, responseTokens: local.messageTokens[position] ?? 0, stored };
}

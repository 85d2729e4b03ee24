/**
 * Prices requests by what the provider measured. Section "Provider-backed usage" of ARCHITECTURE.md.
 *
 * A response tells one number: the tokens of the request it answers, and of itself. Its distance from the local
 * estimates is spread over what was measured. A positive undercount goes to the resident input first, in proportion at
 * the first observation; later ones can lower that share, none raises it. The rest scales the messages that were in
 * the request, and the response. A message keeps its assigned cost until it leaves, and takes it along. Everything the
 * provider did not see in that request keeps its local estimate: new and restored messages, injections, notices.
 *
 * Accepted: a positive total that Pi's own status confirms, of the request that was sent last. A total above the
 * model's window, or far from what was expected, is ignored once; the second one in a row is believed.
 */
import type { AgentMessage, AssistantMessage } from "../messages.ts";
import type { PagingRequest } from "../paging/paging-request.ts";
import type { Provenance } from "../paging/provenance.ts";
import type { ProjectedMessage } from "../session/projected-session.ts";
import { isSuccessful, measuredTokens } from "./measured-total.ts";
import type { RequestPrices } from "./request-pricer.ts";
import type { SentRequest } from "./sent-request.ts";

/** A response that awaits its request's successor: only that one shows what Pi makes of its usage. */
interface Answer {
  readonly sent: SentRequest;
  readonly response: AssistantMessage;
  readonly tokens: number;
}

/** What one answer taught. Immutable. */
interface Calibration {
  readonly model: string;
  /** Added to the resident input: what local estimates miss there. */
  readonly overheadTokens: number;
  /** The resident input's share of the request that the overhead was learned from. */
  readonly residentShare: number;
  /** Multiplies the local estimate of each measured message. */
  readonly factor: number;
  readonly measured: ReadonlySet<ProjectedMessage>;
}

/** A total this many times above or below the expected one contradicts it. */
const CONTRADICTION = 1.5;
/** Bounds of the factor: beyond them a total says nothing about single messages. */
const FACTOR_RANGE = { low: 0.25, high: 4 } as const;

/** See the head of this file. */
export class UsageCalibrator {
  #sent: SentRequest | undefined;
  #answer: Answer | undefined;
  #calibration: Calibration | undefined;
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

  /** Learns from the answer to the request before this one. `local` are the local estimates of this one. */
  observe(request: PagingRequest, provenance: Provenance, local: RequestPrices): void {
    const answer = this.#answer;
    this.#answer = undefined;
    if (!answer) return;
    const position = positionOf(answer.response, request);
    if (position === undefined || !isConfirmed(answer.tokens, request, provenance, position)) {
      this.#calibration = undefined;
      return;
    }
    if (this.#isContradiction(answer, request, local.messageTokens[position] ?? 0)) return;
    this.#calibration = this.#learn(answer, position, provenance, local);
  }

  /** Prices a request: measured where it was measured, local estimates elsewhere. */
  calibrated(local: RequestPrices, provenance: Provenance): RequestPrices {
    if (!this.#calibration) return local;
    const { overheadTokens, factor, measured } = this.#calibration;
    const messageTokens = local.messageTokens.slice();
    for (let position = 0; position < messageTokens.length; position++) {
      const source = provenance.source(position);
      if (source && measured.has(source)) messageTokens[position] = (messageTokens[position] ?? 0) * factor;
    }
    return { residentTokens: local.residentTokens + overheadTokens, messageTokens };
  }

  /** Forgets what was measured: the session, the model or what Pi counts is another one. */
  clear(): void {
    this.#sent = undefined;
    this.#answer = undefined;
    this.#calibration = undefined;
    this.#contradicted = "no";
  }

  #isContradiction({ sent, tokens }: Answer, { window }: PagingRequest, responseTokens: number): boolean {
    const expected = sent.expectedTokens + responseTokens;
    const isFar = this.#calibration !== undefined && isFarFrom(tokens, expected);
    const isAboveWindow = window !== undefined && tokens > window.contextWindow;
    const isFirst = this.#contradicted === "no";
    this.#contradicted = (isFar || isAboveWindow) && isFirst ? "once" : "no";
    return this.#contradicted === "once";
  }

  #learn(answer: Answer, position: number, provenance: Provenance, local: RequestPrices): Calibration {
    const { carried, sessionLength, besideTokens } = answer.sent;
    const measured = new Set<ProjectedMessage>();
    let messageTokens = 0;
    for (let index = 0; index <= position; index++) {
      const source = provenance.source(index);
      if (!source || !(carried.has(source) || source.index >= sessionLength)) continue;
      measured.add(source);
      messageTokens += local.messageTokens[index] ?? 0;
    }
    const residentTokens = local.residentTokens;
    const localTokens = residentTokens + messageTokens + besideTokens;
    const overhead = this.#overhead(answer, residentTokens, localTokens);
    const forMessages = answer.tokens - residentTokens - overhead.overheadTokens - besideTokens;
    return {
      model: modelOf(answer.response),
      ...overhead,
      factor: factorOf(forMessages, messageTokens),
      measured,
    };
  }

  /** The undercount's share of the resident input. It never rises; only a request with less else in it lowers it. */
  #overhead(
    { response, tokens }: Answer,
    residentTokens: number,
    localTokens: number,
  ): Pick<Calibration, "overheadTokens" | "residentShare"> {
    const residentShare = localTokens > 0 ? residentTokens / localTokens : 0;
    const overheadTokens = (tokens - localTokens) * residentShare;
    const known = this.#calibration?.model === modelOf(response) ? this.#calibration : undefined;
    if (!known) return { overheadTokens, residentShare };
    const isBetter = overheadTokens < known.overheadTokens && residentShare >= known.residentShare;
    return isBetter ? { overheadTokens, residentShare } : known;
  }
}

function isFarFrom(tokens: number, expected: number): boolean {
  return tokens > expected * CONTRADICTION || tokens * CONTRADICTION < expected;
}

function factorOf(measuredTokens: number, localTokens: number): number {
  const factor = localTokens > 0 ? measuredTokens / localTokens : 1;
  return Math.min(Math.max(factor, FACTOR_RANGE.low), FACTOR_RANGE.high);
}

function modelOf({ provider, model }: AssistantMessage): string {
  return `${provider}/${model}`;
}

/** Where the response stands in the request that follows it. */
function positionOf(response: AssistantMessage, { messages }: PagingRequest): number | undefined {
  const position = messages.findLastIndex(
    ({ role, timestamp }) => role === "assistant" && timestamp === response.timestamp,
  );
  return position < 0 ? undefined : position;
}

/**
 * Whether Pi's status total, without what came after the response, is the measured total. Pi counts system updates
 * there too, which no request shows. Without a status there is nothing that could differ.
 */
function isConfirmed(
  tokens: number,
  request: PagingRequest,
  provenance: Provenance,
  position: number,
): boolean {
  const { messages, status } = request;
  if (!status) return true;
  if (status.tokens === null) return false;
  let total =
    status.tokens - systemTokensAfter(messages[position]?.timestamp, request.branch, status.priceOf);
  for (let index = position + 1; index < messages.length; index++) {
    const message = provenance.source(index)?.message ?? messages[index];
    if (message && provenance.isPersistent(index)) total -= status.priceOf(message);
  }
  return total === tokens;
}

function systemTokensAfter(
  timestamp: number | undefined,
  branch: PagingRequest["branch"],
  priceOf: (message: AgentMessage) => number,
): number {
  let tokens = 0;
  for (let index = branch.length - 1; index >= 0; index--) {
    const entry = branch[index];
    if (entry?.type !== "message") continue;
    if (entry.message.role === "assistant" && entry.message.timestamp === timestamp) break;
    if (entry.message.role === "system") tokens += priceOf(entry.message);
  }
  return tokens;
}

import type { ProjectedMessage } from "../session/projected-session.ts";
import type { SentRequest } from "./sent-request.ts";

/** What the resident input costs more than its local estimate. */
export interface Overhead {
  /** Negative where local estimates are too high. */
  readonly tokens: number;
  /** The resident input's share of the request that this was learned from. */
  readonly residentShare: number;
}

/** What one answer taught. Immutable. */
export interface Calibration {
  /** The model that answered. */
  readonly model: string;
  readonly overhead: Overhead;
  /** Multiplies the local estimate of each measured message. */
  readonly factor: number;
  readonly measured: ReadonlySet<ProjectedMessage>;
}

/** A response with the request that it answers. */
export interface MeasuredAnswer {
  readonly model: string;
  readonly sent: SentRequest;
  /** What the provider counted for request and response. */
  readonly tokens: number;
  /** Local estimate of the response. */
  readonly responseTokens: number;
  /** Messages that the session stored after the request went out: the rest of the request, and the response. */
  readonly stored: readonly ProjectedMessage[];
}

/** Bounds of a factor: beyond them a total says nothing about single messages. */
const FACTOR_RANGE = { low: 0.25, high: 4 } as const;

/**
 * Splits what the provider counted into the resident input's overhead and a factor for the measured messages.
 *
 * That holds for local estimates that are too high, too: a negative correction that stayed while the messages leave
 * that it was learned from would make the next estimates far too low (bench/estimates.ts).
 */
export function calibration(answer: MeasuredAnswer, known: Overhead | undefined): Calibration {
  const { sent, tokens, responseTokens, stored, model } = answer;
  let messageTokens = responseTokens + sent.unstoredTokens;
  for (const carried of sent.carried.values()) messageTokens += carried;
  const localTokens = sent.residentTokens + messageTokens + sent.besideTokens;
  const overhead = overheadOf(tokens - localTokens, sent.residentTokens / Math.max(1, localTokens), known);
  const forMessages = tokens - sent.residentTokens - overhead.tokens - sent.besideTokens;
  const measured = new Set<ProjectedMessage>(sent.carried.keys());
  for (const message of stored) measured.add(message);
  return { model, overhead, factor: factorOf(forMessages, messageTokens), measured };
}

/** The undercount's share of the resident input. It never rises; only a request with less else in it lowers it. */
function overheadOf(undercountTokens: number, residentShare: number, known: Overhead | undefined): Overhead {
  const observed = { tokens: undercountTokens * residentShare, residentShare };
  if (!known) return observed;
  return observed.tokens < known.tokens && residentShare >= known.residentShare ? observed : known;
}

function factorOf(measuredTokens: number, localTokens: number): number {
  const factor = localTokens > 0 ? measuredTokens / localTokens : 1;
  return Math.min(Math.max(factor, FACTOR_RANGE.low), FACTOR_RANGE.high);
}

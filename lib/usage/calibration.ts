import type { ProjectedMessage } from "../session/projected-session.ts";
import type { SentRequest } from "./sent-request.ts";

/** What the resident input costs more than its local estimate. Negative where that is too high. */
export interface Overhead {
  readonly tokens: number;
  /** Local estimate of the resident input that this was learned from. */
  readonly residentTokens: number;
}

/** What one answer taught. Immutable. */
export interface Calibration {
  /** The model that answered. */
  readonly model: string;
  readonly overhead: Overhead;
  /** Multiplies the local estimate of each measured message. */
  readonly factor: number;
  /** In the order of the session. */
  readonly measured: readonly ProjectedMessage[];
}

/** A response with the request that it answers. */
export interface MeasuredAnswer {
  readonly model: string;
  readonly sent: SentRequest;
  /** What the provider counted for request and response. */
  readonly tokens: number;
  /** Local estimate of the response. */
  readonly responseTokens: number;
  /** Messages that the session stored after the request went out, in order: the rest of the request, and the response. */
  readonly stored: readonly ProjectedMessage[];
}

/** Bounds of a factor: beyond them a total says nothing about single messages. */
export const FACTOR_RANGE = { low: 0.25, high: 4 } as const;

/**
 * Splits what the provider counted into the resident input's overhead and a factor for the measured messages.
 *
 * That holds for local estimates that are too high, too: a negative correction that stayed while the messages leave
 * that it was learned from would make the next estimates far too low (bench/estimates.ts).
 */
export function calibration(answer: MeasuredAnswer, known: Overhead | undefined): Calibration {
  const { sent, tokens, responseTokens, stored, model } = answer;
  const messageTokens = responseTokens + sent.unstoredTokens + sent.carriedTokens;
  const localTokens = sent.residentTokens + messageTokens + sent.besideTokens;
  const overhead = overheadOf(tokens - localTokens, sent.residentTokens, localTokens, known);
  const forMessages = tokens - residentPrice(sent.residentTokens, overhead) - sent.besideTokens;
  const measured = sent.carried.concat(stored);
  return { model, overhead, factor: factorOf(forMessages, messageTokens), measured };
}

/** The resident input's price. Of an overestimate it takes no more than its share, should it have shrunk since. */
export function residentPrice(residentTokens: number, overhead: Overhead): number {
  const share = Math.min(1, residentTokens / Math.max(1, overhead.residentTokens));
  return residentTokens + (overhead.tokens < 0 ? overhead.tokens * share : overhead.tokens);
}

/** The resident input's share of an undercount. A later undercount can lower it, and nothing raises it. */
function overheadOf(
  undercountTokens: number,
  residentTokens: number,
  localTokens: number,
  known: Overhead | undefined,
): Overhead {
  const tokens = (undercountTokens * residentTokens) / Math.max(1, localTokens);
  if (known && (undercountTokens < 0 || tokens >= known.tokens)) return known;
  return { tokens, residentTokens };
}

function factorOf(measuredTokens: number, localTokens: number): number {
  const factor = localTokens > 0 ? measuredTokens / localTokens : 1;
  return Math.min(Math.max(factor, FACTOR_RANGE.low), FACTOR_RANGE.high);
}

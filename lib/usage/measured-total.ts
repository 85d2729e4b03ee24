import type { AssistantMessage } from "../messages.ts";
import { isAbortedOrFailed } from "../session/tool-calls.ts";

/**
 * What the provider counted for a request and its response: input, cached or not, and output. Undefined when nothing
 * was measured: missing, zero, negative, not a number. Such values come from gateways, imports and hand edits. Without
 * a total every part must be there: a missing one may be the largest.
 */
export function measuredTokens(response: AssistantMessage): number | undefined {
  const usage: unknown = response.usage;
  if (typeof usage !== "object" || usage === null) return undefined;
  const { totalTokens, input, output, cacheRead, cacheWrite } = usage as Record<string, unknown>;
  if (isTokenCounter(totalTokens) && totalTokens > 0) return totalTokens;
  const parts = [input, output, cacheRead, cacheWrite];
  if (totalTokens !== undefined && totalTokens !== 0) return undefined;
  if (!parts.every(isTokenCounter)) return undefined;
  const total = parts.reduce((sum, part) => sum + part, 0);
  return Number.isSafeInteger(total) && total > 0 ? total : undefined;
}

/**
 * What the provider counted for the request alone, cached or not. Undefined unless every part was reported: a missing
 * part may be the larger one.
 */
export function measuredInputTokens(response: AssistantMessage): number | undefined {
  const usage: unknown = response.usage;
  if (typeof usage !== "object" || usage === null) return undefined;
  const { input, cacheRead, cacheWrite } = usage as Record<string, unknown>;
  if (!isTokenCounter(input) || !isTokenCounter(cacheRead) || !isTokenCounter(cacheWrite)) return undefined;
  const tokens = input + cacheRead + cacheWrite;
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}

/** Whether the response came to its end, so that its usage describes the whole request. */
export function isSuccessful(response: AssistantMessage): boolean {
  return !isAbortedOrFailed(response);
}

/** Whether a usage field holds a trustworthy count. */
export function isTokenCounter(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

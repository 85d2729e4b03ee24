import { isJsonObject, type JsonObject } from "../json-object.ts";
import type { SessionEntry } from "../messages.ts";
import { isTokenCounter } from "../usage/measured-total.ts";

/** Tokens over all saved usage. A total is undefined when a record that belongs in it cannot be trusted. */
export interface CacheTotals {
  readonly readTokens: number | undefined;
  readonly writtenTokens: number | undefined;
  /** All input that was measured: uncached, read and written. */
  readonly inputTokens: number | undefined;
}

const COUNTERS = ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const;

/**
 * Sums each saved usage record of all branches once: responses, tool results, cache warming, compactions, branch
 * summaries. Recorded usage only: not what was never recorded, and no invoice. Section "Read-only session stats".
 */
export function cacheTotals(entries: readonly SessionEntry[]): CacheTotals {
  const records = entries
    .map(usageOf)
    .filter((usage) => usage !== undefined)
    .filter(isMeasured);
  return {
    readTokens: sumOf(records, ["cacheRead"]),
    writtenTokens: sumOf(records, ["cacheWrite"]),
    inputTokens: sumOf(records, ["input", "cacheRead", "cacheWrite"]),
  };
}

function usageOf(entry: SessionEntry): JsonObject | undefined {
  const usage = savedUsage(entry);
  return isJsonObject(usage) ? usage : undefined;
}

function savedUsage(entry: SessionEntry): unknown {
  switch (entry.type) {
    case "message": {
      const { message } = entry;
      return message.role === "assistant" || message.role === "toolResult" ? message.usage : undefined;
    }
    case "usage":
    case "compaction":
    case "branch_summary":
      return entry.usage;
    default:
      return undefined;
  }
}

/** A record of nothing but zeros and gaps comes from a provider that reports no usage. */
function isMeasured(usage: JsonObject): boolean {
  return COUNTERS.some((counter) => (usage[counter] ?? 0) !== 0);
}

function sumOf(
  records: readonly JsonObject[],
  counters: readonly (typeof COUNTERS)[number][],
): number | undefined {
  let sum = 0;
  for (const usage of records) {
    for (const counter of counters) {
      const tokens = usage[counter];
      if (!isTokenCounter(tokens)) return undefined;
      sum += tokens;
    }
  }
  return Number.isSafeInteger(sum) ? sum : undefined;
}

import type { SelectionReport } from "../../lib/paging/selection-report.ts";

/** The report of a paged request of 25,000 tokens within 40,000, 95,100 outside. */
export function selectionReport(fields: Partial<SelectionReport> = {}): SelectionReport {
  return {
    mode: "paged",
    time: Date.UTC(2026, 0, 5, 9),
    budgetTokens: 40_000,
    targetTokens: 25_000,
    residentTokens: 2_000,
    noticeTokens: 100,
    protectedTokens: 4_000,
    tokensBefore: 120_000,
    tokensAfter: 25_000,
    unitsRemoved: 12,
    movement: "none",
    frontier: { historyId: "0000001a", toolCallIds: [], extent: "unit" },
    fallbackCause: undefined,
    strategies: { eviction: "fifo", snap: "keyed-boundary", fallback: "stateless-fifo" },
    ...fields,
  };
}

/** Histories for the specs of the recovery room. */
import type { SessionEntry } from "../../lib/messages.ts";
import { HistoryNavigator, type RecoveryScope } from "../../lib/recovery/history-navigator.ts";
import { BranchProjection } from "../../lib/session/branch-projection.ts";
import type { HistoryItem } from "../../lib/session/history-item.ts";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";

/** A scope in which everything fits and nothing is in the window. */
export const WIDE: RecoveryScope = { budgetTokens: 10_000_000, inWindow: () => false };

export function projectionOf(entries: readonly SessionEntry[]): BranchProjection {
  const projection = new BranchProjection();
  projection.update(entries);
  return projection;
}

export function itemsOf(entries: readonly SessionEntry[]): readonly HistoryItem[] {
  return projectionOf(entries).items;
}

/** A navigator that has followed these entries. */
export function navigatorOf(entries: readonly SessionEntry[]): HistoryNavigator {
  const navigator = new HistoryNavigator(new TokenEstimator());
  navigator.update(itemsOf(entries));
  return navigator;
}

/** The code of the error that `work` throws. */
export function codeOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return codeIn(error);
  }
  return "no error";
}

/** The code of the error that `work` rejects with. */
export async function rejectionOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(() => "no error", codeIn);
}

function codeIn(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : error;
}

import type { ContextEditEntry, SessionEntry } from "../messages.ts";
import { isAbortedOrFailed } from "./tool-calls.ts";

/**
 * What a new session entry means for what is remembered about earlier requests: `cut`: the projection is another one,
 * so the cut and all accounting end. `accounting`: only measured usage ends. Section "Lifecycle".
 */
export type Invalidation = "none" | "accounting" | "cut";

/** What `entry` invalidates. `branch` is the branch that holds it. */
export function invalidationBy(entry: SessionEntry, branch: readonly SessionEntry[]): Invalidation {
  if (entry.type === "compaction") return "cut";
  if (entry.type !== "context_edit") return "none";
  return isRetryEdit(entry, branch) ? "accounting" : "cut";
}

/**
 * Pi's retry edit omits a response that failed or was aborted, and its results. That response was never sent, so the
 * requests before and after it are the same.
 */
function isRetryEdit(edit: ContextEditEntry, branch: readonly SessionEntry[]): boolean {
  if (edit.replacement !== null) return false;
  const target = branch.findLastIndex((entry) => entry.id === edit.targetId);
  for (const entry of branch.slice(0, target + 1).reverse()) {
    if (entry.type !== "message") continue;
    if (entry.message.role === "assistant") return isAbortedOrFailed(entry.message);
    if (entry.message.role !== "toolResult") return false;
  }
  return false;
}

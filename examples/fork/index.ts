import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { ContextPagingExtension } from "pi-context-paging/extension";
import { HalfBudgetFallback } from "./half-budget-fallback.ts";
import { KeepRecentTurns } from "./keep-recent-turns.ts";
import { WholeTurnSnap } from "./whole-turn-snap.ts";

/** Context paging that keeps the newest four turns at most. Load this instead of pi-context-paging, not beside it. */
export default function fork(pi: ExtensionAPI): void {
  new ContextPagingExtension({
    strategies: {
      eviction: new KeepRecentTurns(4),
      snap: new WholeTurnSnap(),
      fallback: new HalfBudgetFallback(),
    },
  }).register(pi);
}

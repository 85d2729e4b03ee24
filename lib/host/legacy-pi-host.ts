import type { ExtensionContext, SessionBeforeCompactEvent } from "@earendil-works/pi-coding-agent";
import { lastResponse } from "../session/last-response.ts";
import { type CompactionReason, PiHost } from "./pi-host.ts";

/** Deep enough for Pi's method to show behind its event dispatch. */
const STACK_FRAMES = 50;
/** Pi's default reserve, in tokens: it compacts when less of the window is free. */
const DEFAULT_RESERVE_TOKENS = 16_384;

/**
 * `@mariozechner/pi-coding-agent`: does not wait for extensions, so the branch lags; has no trust decision, so nothing
 * is granted; and does not say why it compacts.
 */
export class LegacyPiHost extends PiHost {
  override readonly branchLag = "tail";
  override readonly foreignThinking = "text";
  override readonly asksBeforeSettling = false;

  override compactionReason(event: SessionBeforeCompactEvent, ctx: ExtensionContext): CompactionReason {
    const callers = callStack();
    if (event.reason) return event.reason;
    if (event.customInstructions !== undefined || /AgentSession\.compact\b/.test(callers)) return "manual";
    const response = lastResponse(event.branchEntries);
    if (response && this.isOverflow(response.message)) return "overflow";
    if (callers.includes("_runAutoCompaction")) return "threshold";
    const window = ctx.model?.contextWindow ?? 0;
    return event.preparation.tokensBefore > window - DEFAULT_RESERVE_TOKENS ? "threshold" : "manual";
  }

  protected override isProjectTrusted(): boolean {
    return false;
  }
}

function callStack(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = STACK_FRAMES;
  const stack = new Error().stack ?? "";
  Error.stackTraceLimit = limit;
  return stack;
}

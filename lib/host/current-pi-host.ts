import type { ExtensionContext, SessionBeforeCompactEvent } from "@earendil-works/pi-coding-agent";
import { type Paint, PLAIN } from "../paint.ts";
import { type CompactionReason, PiHost } from "./pi-host.ts";

/** `@earendil-works/pi-coding-agent`: stores before it asks, and says why it compacts. */
export class CurrentPiHost extends PiHost {
  override readonly branchLag = "none";
  override readonly foreignThinking = "dropped";
  override readonly asksBeforeSettling = true;

  override compactionReason(event: SessionBeforeCompactEvent): CompactionReason {
    return event.reason;
  }

  override paint(ctx: ExtensionContext): Paint {
    return ctx.mode === "tui" ? (tint, text) => ctx.ui.theme.fg(tint, text) : PLAIN;
  }

  protected override isProjectTrusted(ctx: ExtensionContext): boolean {
    return ctx.isProjectTrusted();
  }
}

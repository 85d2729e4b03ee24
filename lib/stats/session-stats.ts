/**
 * What `/context-paging stats` and `/context-paging window` show. Reads only: nothing here changes the session, the
 * cut or what was measured. Section "Read-only session stats" of ARCHITECTURE.md.
 */
import type { AssistantMessage } from "../messages.ts";
import type { SelectionReport } from "../paging/selection-report.ts";
import type { Paint } from "../paint.ts";
import { cacheTotals } from "./cache-totals.ts";
import { CutLog } from "./cut-log.ts";
import { cutLogText } from "./cut-log-text.ts";
import { historyTokens } from "./history-tokens.ts";
import { LatestRequest } from "./latest-request.ts";
import type { SavedSession } from "./saved-session.ts";
import { statsText } from "./stats-text.ts";
import { type CurrentLimits, windowPicture } from "./window-picture.ts";

/** Remembers the latest request and the newest cuts, and shows them beside what the session file holds. */
export class SessionStats {
  readonly #latest = new LatestRequest();
  readonly #log = new CutLog();

  /** What was selected last. */
  get latestReport(): SelectionReport | undefined {
    return this.#latest.report;
  }

  /** A request was selected and goes out. */
  recordSelection(report: SelectionReport): void {
    this.#latest.select(report);
    this.#log.record(report);
  }

  /** A response ended. */
  recordResponse(response: AssistantMessage): void {
    this.#latest.answer(response);
  }

  /** What the latest request was about has changed. The log stays. */
  clearLatest(): void {
    this.#latest.clear();
  }

  /** Another session: its log is empty. */
  beginSession(): void {
    this.#latest.clear();
    this.#log.clear();
  }

  /** Saved history, latest request and cache totals. */
  stats(session: SavedSession, limits: CurrentLimits, paint: Paint): string {
    const figures = {
      storedBytes: session.bytes,
      historyTokens: historyTokens(session.entries, session.priceOf),
      origin: session.origin,
      input: this.#latest.tokens(session.branch),
      limits,
      cache: cacheTotals(session.entries),
    };
    return statsText(figures, paint);
  }

  /** What the latest request held, and the newest cuts. */
  window(limits: CurrentLimits, paint: Paint): string {
    return `${windowPicture(this.#latest, limits, paint)}\n${cutLogText(this.#log.reports, paint)}`;
  }
}

import type { SelectionReport } from "../paging/selection-report.ts";

const LONGEST_LOG = 50;

/** The newest advances and fallbacks of this session, in memory only. */
export class CutLog {
  #reports: readonly SelectionReport[] = [];

  /** Oldest first, 50 at most. */
  get reports(): readonly SelectionReport[] {
    return this.#reports;
  }

  /** Keeps the report when its request moved the cut or did without one. */
  record(report: SelectionReport): void {
    if (report.movement === "none" && report.fallbackCause === undefined) return;
    this.#reports = [...this.#reports, report].slice(-LONGEST_LOG);
  }

  clear(): void {
    this.#reports = [];
  }
}

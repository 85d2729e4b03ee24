import { expect } from "chai";
import type { SelectionReport } from "../../lib/paging/selection-report.ts";
import { PLAIN } from "../../lib/paint.ts";
import { CutLog } from "../../lib/stats/cut-log.ts";
import { cutLogText } from "../../lib/stats/cut-log-text.ts";
import { selectionReport } from "../support/selection-report.ts";

const advance = (fields: Partial<SelectionReport> = {}) =>
  selectionReport({ movement: "advance", ...fields });

describe("cut log", () => {
  it("keeps advances and fallbacks, and no other request", () => {
    const log = new CutLog();
    const kept = [advance(), selectionReport({ fallbackCause: "keyless-no-key" })];
    for (const report of [selectionReport(), kept[0], selectionReport(), kept[1]])
      if (report) log.record(report);
    expect(log.reports).to.deep.equal(kept);
  });

  it("keeps the last 50", () => {
    const log = new CutLog();
    for (let time = 1; time <= 60; time++) log.record(advance({ time }));
    expect(log.reports.map(({ time }) => time)).to.deep.equal(Array.from({ length: 50 }, (_, n) => n + 11));
  });

  it("shows a line a cut, oldest first: when, what, how much, where, and which strategies", () => {
    const time = new Date(2026, 0, 5, 9, 7, 3).getTime();
    const fallback = selectionReport({
      time: time + 60_000,
      mode: "stateless",
      frontier: undefined,
      fallbackCause: "cut-key-unresolved",
      unitsRemoved: 1,
      tokensAfter: 39_900,
    });
    expect(cutLogText([advance({ time }), fallback], PLAIN).split("\n")).to.deep.equal([
      "Cut log",
      "  09:07:03  advance   25,000 of 120,000 tokens sent, 12 units outside, cut behind 0000001a (fifo, keyed-boundary)",
      "  09:08:03  fallback  39,900 of 120,000 tokens sent, 1 unit outside, no cut remembered (cut-key-unresolved, stateless-fifo)",
    ]);
  });

  it("says that there was none", () => expect(cutLogText([], PLAIN)).to.equal("Cut log\n  No cut so far."));
});

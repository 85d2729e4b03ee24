import { expect } from "chai";
import type { SelectionReport } from "../../lib/paging/selection-report.ts";
import { type Paint, PLAIN } from "../../lib/paint.ts";
import { windowPicture } from "../../lib/stats/window-picture.ts";
import { selectionReport } from "../support/selection-report.ts";

const LIMITS = { budgetTokens: 40_000, windowTokens: 200_000 };

function pictureOf(
  fields: Partial<SelectionReport> = {},
  measuredTokens?: number,
  paint: Paint = PLAIN,
): string {
  return windowPicture({ report: selectionReport(fields), measuredTokens }, LIMITS, paint);
}

describe("window picture", () => {
  it("shows resident input, notice, kept and protected history, what is free, and what lies outside", () => {
    expect(pictureOf().split("\n")).to.deep.equal([
      "Window of the latest request: ~25,000 of 40,000 tokens",
      "  ███!▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒.......................",
      "  █ resident         2,000  system prompt, tools",
      "  ! notice             100  how to find what left",
      "  ▓ kept            18,900  history, may leave later",
      "  ▒ protected        4,000  the task, unread results",
      "  . free            15,000  up to the budget",
      "  Outside: ~95,100 tokens of history in 12 units, up to 0000001a.",
    ]);
  });

  it("has parts that add up to the budget, in a bar of 60 cells", () => {
    for (let tokensAfter = 6_100; tokensAfter <= 40_000; tokensAfter += 37) {
      const [, bar, ...rows] = pictureOf({ tokensAfter }).split("\n");
      expect(bar?.trim().length).to.equal(60);
      const counts = rows.slice(0, 5).map((row) => Number(row.slice(14, 26).replaceAll(",", "")));
      expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(40_000);
    }
  });

  it("gives each part that holds anything a cell, and the others none", () => {
    const bar = pictureOf({ noticeTokens: 1, protectedTokens: 0, tokensAfter: 39_999 }).split("\n")[1];
    expect(bar).to.match(/^ {2}█+!▓+\.$/);
  });

  it("says that nothing is outside where nothing has left", () => {
    expect(pictureOf({ mode: "whole", noticeTokens: 0, unitsRemoved: 0, tokensBefore: 25_000 })).to.match(
      /\n {2}Outside: nothing\.$/,
    );
  });

  it("says why a request is no ordinary one", () => {
    const stateless = { mode: "stateless", frontier: undefined, fallbackCause: "keyless-no-key" } as const;
    expect(pictureOf(stateless)).to.match(/12 units\. Cut for this request only \(keyless-no-key\)\.$/);
    expect(pictureOf({ mode: "recovery" })).to.match(
      /The unread results did not fit and went out as references\.$/,
    );
    const over = pictureOf({ mode: "protectedOverflow", tokensAfter: 50_000, protectedTokens: 47_900 });
    expect(over)
      .to.match(/The unread results exceed the budget and went out whole\.$/)
      .and.not.contain("free");
    expect(over).to.contain("~50,000 of 40,000 tokens");
  });

  it("shows what the provider measured beside the estimate", () => {
    expect(pictureOf({}, 24_512).split("\n")[0]).to.equal(
      "Window of the latest request: ~25,000 of 40,000 tokens, measured 24,512",
    );
  });

  it("is there before the first request, and with paging off", () => {
    const none = { report: undefined, measuredTokens: undefined };
    expect(windowPicture(none, LIMITS, PLAIN)).to.equal(
      "Window\n  No request has been selected yet. Budget 40,000 tokens. Model window 200,000 tokens.",
    );
    expect(windowPicture(none, { budgetTokens: undefined, windowTokens: undefined }, PLAIN)).to.equal(
      "Window\n  Context paging is off: requests go out as they are. Model window unknown.",
    );
  });

  it("is the same text in colours", () => {
    const tints = new Set<string>();
    const text = pictureOf({}, undefined, (tint, part) => {
      tints.add(tint);
      return `<${tint}>${part}</>`;
    });
    expect(text.replaceAll(/<\/?[a-z]*>/g, "")).to.equal(pictureOf());
    expect([...tints].sort()).to.deep.equal(["accent", "dim", "muted", "success", "warning"]);
  });
});

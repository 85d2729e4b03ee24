import { expect } from "chai";
import { clamp, firstFit, fitted } from "../../lib/strategies/window-view.ts";
import { sampleWindow } from "../../lib/testing.ts";

const units = Array.from({ length: 20 }, () => ({}));

describe("firstFit", () => {
  it("is the first boundary that fits the limit, equality included", () => {
    expect(firstFit(sampleWindow({ units }), 620)).to.equal(15);
    expect(firstFit(sampleWindow({ units }), 619)).to.equal(16);
    expect(firstFit(sampleWindow({ units }), 5_000)).to.equal(0);
  });

  it("begins at the remembered cut", () => {
    expect(firstFit(sampleWindow({ units, start: 18 }), 5_000)).to.equal(18);
  });

  it("is every unit when none fits", () => {
    expect(firstFit(sampleWindow({ units }), 99)).to.equal(20);
  });
});

describe("clamp", () => {
  it("keeps a whole number between its bounds", () => {
    expect([-1, 2, 5.7, 9, 11].map((value) => clamp(value, 2, 9))).to.deep.equal([2, 2, 5, 9, 9]);
  });

  it("takes what is no finite number as the lower bound", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      expect(clamp(value, 2, 9)).to.equal(2);
  });
});

describe("fitted", () => {
  it("is the place itself, else the next that fits, else the first that fits", () => {
    const noticeTokensAt = (boundary: number) => (boundary === 15 || boundary > 17 ? 950 : 20);
    const window = sampleWindow({ units, noticeTokensAt });
    expect([3, 14, 15, 18, 20].map((place) => fitted(window, place))).to.deep.equal([12, 14, 16, 12, 12]);
  });

  it("is the place itself where the request is exactly as large as the budget", () => {
    const window = sampleWindow({ units, noticeTokensAt: (boundary) => (boundary === 17 ? 600 : 20) });
    expect(fitted(window, 17)).to.equal(17);
  });

  it("is every unit when none fits", () => {
    expect(fitted(sampleWindow({ units, protectedTokens: 1_001 }), 3)).to.equal(20);
  });
});

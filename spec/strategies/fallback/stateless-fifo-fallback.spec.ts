import { expect } from "chai";
import { StatelessFifoFallback } from "../../../lib/strategies/index.ts";
import { fallbackConformance, sampleWindow } from "../../../lib/testing.ts";

describe("StatelessFifoFallback", () => {
  fallbackConformance({ describe, it }, () => new StatelessFifoFallback());

  it("is named stateless-fifo", () => expect(new StatelessFifoFallback().name).to.equal("stateless-fifo"));

  it("takes the oldest units until the budget is met, and not one more", () => {
    const units = Array.from({ length: 20 }, () => ({}));
    const fallBack = (budgetTokens: number) =>
      new StatelessFifoFallback().fallBack({
        ...sampleWindow({ units, budgetTokens }),
        cause: "cut-key-unresolved",
      });
    expect(fallBack(1_020)).to.equal(11);
    expect(fallBack(1_019)).to.equal(12);
    expect(fallBack(2_100)).to.equal(0);
  });
});

import { expect } from "chai";
import fc from "fast-check";
import { ContextSelectionError } from "../../lib/errors.ts";
import { requestLimits } from "../../lib/paging/limits.ts";
import type { ConfiguredLimits } from "../../lib/settings.ts";

const configured = (tokenBudget: number, trimToTokens: number): ConfiguredLimits => {
  return { tokenBudget, trimToTokens, explicitTarget: true };
};
const implicit = (tokenBudget: number, trimToTokens: number): ConfiguredLimits => {
  return { tokenBudget, trimToTokens, explicitTarget: false };
};

describe("requestLimits", () => {
  it("lets the configured limits stand alone without a window", () => {
    expect(requestLimits(implicit(128_000, 80_000))).to.deep.equal({
      configuredBudgetTokens: 128_000,
      configuredTargetTokens: 80_000,
      budgetTokens: 128_000,
      targetTokens: 80_000,
      highTarget: false,
    });
  });

  it("caps the budget at the input window and scales the target with it", () => {
    expect(requestLimits(implicit(128_000, 80_000), { contextWindow: 64_000 })).to.deep.equal({
      configuredBudgetTokens: 128_000,
      configuredTargetTokens: 80_000,
      budgetTokens: 48_000,
      targetTokens: 30_000,
      inputWindowTokens: 48_000,
      highTarget: false,
    });
  });

  it("keeps a budget that fits the input window", () => {
    const limits = requestLimits(configured(1_000, 600), { contextWindow: 200_000 });
    expect(limits).to.include({ budgetTokens: 1_000, targetTokens: 600, inputWindowTokens: 183_616 });
  });

  describe("output room", () => {
    const room = (contextWindow: number, maxTokens?: number) => {
      const window = maxTokens === undefined ? { contextWindow } : { contextWindow, maxTokens };
      return contextWindow - (requestLimits(configured(1_000_000, 1), window).inputWindowTokens ?? NaN);
    };

    it("is the least of the longest answer, 16384 and a quarter of the window", () => {
      expect(room(200_000, 64_000)).to.equal(16_384);
      expect(room(200_000, 4_096)).to.equal(4_096);
      expect(room(32_000, 64_000)).to.equal(8_000);
      expect(room(200_000)).to.equal(16_384);
      expect(room(32_001)).to.equal(8_000);
      expect(room(200_000, 100.9)).to.equal(100);
      expect(room(200_000, 1)).to.equal(1);
    });

    it("takes a longest answer that is no number from 1 up as unknown", () => {
      for (const bad of [0, -5, NaN, Infinity, 0.5, Number("x")])
        expect(room(200_000, bad), `${bad}`).to.equal(16_384);
    });
  });

  it("rounds the window down and leaves at least one token for input", () => {
    expect(requestLimits(configured(100, 50), { contextWindow: 40.9 }).inputWindowTokens).to.equal(30);
    for (const contextWindow of [0.5, 1, 1.9]) {
      const limits = requestLimits(configured(100, 50), { contextWindow });
      expect(limits).to.include({ inputWindowTokens: 1, budgetTokens: 1, targetTokens: 1 });
    }
  });

  it("takes a window beyond the safe integers", () => {
    const limits = requestLimits(configured(100, 50), { contextWindow: 1e300 });
    expect(limits).to.include({ budgetTokens: 100, targetTokens: 50 });
  });

  it("cuts to the effective budget when the target is at or above the configured budget", () => {
    expect(requestLimits(configured(100, 100)).targetTokens).to.equal(100);
    expect(requestLimits(configured(100, 5_000)).targetTokens).to.equal(100);
    expect(requestLimits(configured(100, 5_000), { contextWindow: 40 }).targetTokens).to.equal(30);
  });

  it("marks a high target only when the user set it", () => {
    expect(requestLimits(configured(100, 100)).highTarget).to.equal(true);
    expect(requestLimits(configured(100, 99)).highTarget).to.equal(false);
    expect(requestLimits(implicit(1, 1)).highTarget).to.equal(false);
  });

  it("judges a high target by the configured budget, not by the window", () => {
    expect(requestLimits(configured(100, 90), { contextWindow: 40 }).highTarget).to.equal(false);
  });

  it("scales exactly near the largest safe integer", () => {
    const max = Number.MAX_SAFE_INTEGER;
    // Floating point gives one more.
    const window = { contextWindow: 7_000_000_000_000_001 + 16_384 };
    const limits = requestLimits(configured(max, max - 2), window);
    expect(limits).to.include({ budgetTokens: 7_000_000_000_000_001, targetTokens: 6_999_999_999_999_999 });
  });

  it("gives a target from 1 to the effective budget, which is at most the configured one", () => {
    const count = fc.oneof(
      fc.integer({ min: 1, max: 200_000 }),
      fc.maxSafeInteger().map((n) => Math.abs(n) || 1),
    );
    const window = fc.double({ min: 1e-3, max: 1e16, noNaN: true });
    fc.assert(
      fc.property(count, count, window, (budget, target, contextWindow) => {
        const limits = requestLimits(configured(budget, target), { contextWindow });
        const { budgetTokens, targetTokens } = limits;
        expect(budgetTokens).to.be.within(1, budget);
        expect(targetTokens).to.be.within(1, budgetTokens);
        const exact = (BigInt(target) * BigInt(budgetTokens)) / BigInt(budget);
        if (target < budget && exact > 0n) expect(BigInt(targetTokens)).to.equal(exact);
      }),
    );
  });

  describe("errors", () => {
    const caught = (act: () => unknown): ContextSelectionError => {
      try {
        act();
      } catch (error) {
        if (error instanceof ContextSelectionError) return error;
        throw error;
      }
      return expect.fail("nothing was thrown");
    };

    for (const bad of [0, -1, 1.5, NaN, Infinity, 2 ** 53]) {
      it(`refuses a budget or a target of ${bad}, and says what was found and what to do`, () => {
        const budget = caught(() => requestLimits(configured(bad, 5)));
        expect(budget.code).to.equal("INVALID_TOKEN_BUDGET");
        expect(budget.message)
          .to.contain(`tokenBudget is ${bad},`)
          .and.contain("Correct it in settings.json");
        const target = caught(() => requestLimits(implicit(5, bad)));
        expect(target.code).to.equal("INVALID_TRIM_TARGET");
        expect(target.message)
          .to.contain(`trimToTokens is ${bad},`)
          .and.contain("Correct it in settings.json");
      });
    }

    for (const bad of [0, -1, NaN, Infinity, -Infinity]) {
      it(`refuses a window of ${bad}, and says what was found and what to do`, () => {
        const { code, message } = caught(() => requestLimits(configured(10, 5), { contextWindow: bad }));
        expect(code).to.equal("INVALID_MODEL_CONTEXT");
        expect(message).to.contain(`window is ${bad},`).and.contain("/context-paging off");
      });
    }
  });
});

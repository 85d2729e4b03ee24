import assert from "node:assert/strict";
import type { SnapOutcome, SnapStrategy, SnapView } from "../strategies/snap/snap-strategy.ts";
import { itIsNamed } from "./boundary-suite.ts";
import { sampleWindows } from "./sample-window.ts";
import type { TestRunner } from "./test-runner.ts";

/** Checks a snap strategy. `make` gives a new instance at each call. */
export function snapConformance({ describe, it }: TestRunner, make: () => SnapStrategy): void {
  const views = sampleViews();
  const each = (check: (outcome: SnapOutcome, view: SnapView, name: string) => void): void => {
    const strategy = make();
    for (const [name, view] of views) check(strategy.snap(view), view, name);
  };

  describe("snap conformance", () => {
    itIsNamed({ it }, make);

    it("stays between the remembered cut and the boundary that eviction chose", () => {
      each((outcome, { start, boundary }, name) => {
        if (outcome.kind === "no-key") return;
        assert.ok(Number.isInteger(outcome.boundary), `${name}: ${outcome.boundary} is no whole number`);
        assert.ok(
          outcome.boundary >= start && outcome.boundary <= boundary,
          `${name}: ${outcome.boundary} is not from ${start} to ${boundary}`,
        );
      });
    });

    it("ends behind a unit with a key", () => {
      each((outcome, { units }, name) => {
        if (outcome.kind === "no-key") return;
        assert.equal(units[outcome.boundary - 1]?.keyed, true, `${name}: no key at ${outcome.boundary}`);
      });
    });

    it("fits the budget, or says that it does not", () => {
      each((outcome, { tokensAt, budgetTokens }, name) => {
        if (outcome.kind === "no-key") return;
        const fits = tokensAt(outcome.boundary) <= budgetTokens;
        assert.equal(outcome.kind, fits ? "keyed" : "over-budget", name);
      });
    });

    it("says so where no excluded unit has a key", () => {
      each((outcome, { units, boundary }, name) => {
        if (!units.slice(0, boundary).some(({ keyed }) => keyed)) assert.equal(outcome.kind, "no-key", name);
      });
    });

    it("is stateless: the same answer for the same boundary, in any order and from any instance", () => {
      const answers = views.map(([, view]) => make().snap(view));
      const strategy = make();
      const again = views.toReversed().map(([, view]) => strategy.snap(view));
      assert.deepEqual(again.reverse(), answers);
    });
  });
}

/** Each window at every boundary that eviction could choose. */
function sampleViews(): readonly (readonly [name: string, view: SnapView])[] {
  return sampleWindows().flatMap(([name, view]) => {
    const boundaries = Array.from({ length: view.units.length - view.start }, (_, n) => view.start + n + 1);
    return boundaries.map(
      (boundary) => [`${name}, boundary ${boundary}`, Object.freeze({ ...view, boundary })] as const,
    );
  });
}

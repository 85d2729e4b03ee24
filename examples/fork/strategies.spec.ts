import assert from "node:assert/strict";
import {
  evictionConformance,
  fallbackConformance,
  sampleWindow,
  snapConformance,
} from "pi-context-paging/testing";
import { HalfBudgetFallback } from "./half-budget-fallback.ts";
import { KeepRecentTurns } from "./keep-recent-turns.ts";
import { WholeTurnSnap } from "./whole-turn-snap.ts";

const turns = Array.from({ length: 20 }, () => ({ kind: "turn", tokens: 100 }) as const);
const exchanges = Array.from({ length: 5 }, () => ({ kind: "exchange", tokens: 100 }) as const);

describe("KeepRecentTurns", () => {
  evictionConformance({ describe, it }, () => new KeepRecentTurns(4));

  it("keeps the newest turns", () => {
    const view = { ...sampleWindow({ units: turns }), destinationTokens: 600 };
    assert.equal(new KeepRecentTurns(4).evict(view), 16);
  });

  it("keeps fewer where they are above the destination", () => {
    const view = { ...sampleWindow({ units: turns, budgetTokens: 600 }), destinationTokens: 350 };
    assert.equal(new KeepRecentTurns(4).evict(view), 18);
  });
});

describe("WholeTurnSnap", () => {
  snapConformance({ describe, it }, () => new WholeTurnSnap());

  it("goes back to the end of a turn", () => {
    const view = { ...sampleWindow({ units: [...turns, ...exchanges] }), boundary: 22 };
    assert.deepEqual(new WholeTurnSnap().snap(view), { kind: "keyed", boundary: 20 });
  });

  it("cuts between exchanges where that would not fit", () => {
    const view = { ...sampleWindow({ units: [...turns, ...exchanges], budgetTokens: 500 }), boundary: 22 };
    assert.deepEqual(new WholeTurnSnap().snap(view), { kind: "keyed", boundary: 22 });
  });
});

describe("HalfBudgetFallback", () => {
  fallbackConformance({ describe, it }, () => new HalfBudgetFallback());

  it("cuts down to half of the budget", () => {
    const view = { ...sampleWindow({ units: turns }), cause: "keyless-no-key" } as const;
    assert.equal(new HalfBudgetFallback().fallBack(view), 17);
  });
});

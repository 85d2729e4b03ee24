import type { EvictionStrategy, EvictionView } from "../strategies/eviction/eviction-strategy.ts";
import { boundarySuite } from "./boundary-suite.ts";
import type { TestRunner } from "./test-runner.ts";

/** Where the advances of the samples should lead, as parts of the budget. The last leaves no headroom. */
const DESTINATIONS = [5 / 8, 0, 1];

/** Checks an eviction strategy. `make` gives a new instance at each call. */
export function evictionConformance(runner: TestRunner, make: () => EvictionStrategy): void {
  runner.describe("eviction conformance", () => {
    boundarySuite<EvictionStrategy, EvictionView>(runner, {
      make,
      ask: (strategy, view) => strategy.evict(view),
      views: (window) =>
        DESTINATIONS.map((part) => {
          const destinationTokens = Math.max(1, Math.floor(window.budgetTokens * part));
          return [`destination ${destinationTokens}`, { ...window, destinationTokens }];
        }),
    });
  });
}

import type {
  FallbackCause,
  FallbackStrategy,
  FallbackView,
} from "../strategies/fallback/fallback-strategy.ts";
import { boundarySuite } from "./boundary-suite.ts";
import type { TestRunner } from "./test-runner.ts";

const CAUSES: readonly FallbackCause[] = [
  "raw-history-unavailable",
  "cut-key-unresolved",
  "keyless-no-key",
  "keyless-snap-over-budget",
  "frontier-not-in-groups",
];

/** Checks a fallback strategy, for each cause. `make` gives a new instance at each call. */
export function fallbackConformance(runner: TestRunner, make: () => FallbackStrategy): void {
  runner.describe("fallback conformance", () => {
    boundarySuite<FallbackStrategy, FallbackView>(runner, {
      make,
      ask: (strategy, view) => strategy.fallBack(view),
      views: (window) => CAUSES.map((cause) => [cause, { ...window, cause }]),
    });
  });
}

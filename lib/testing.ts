/**
 * Conformance suites for strategies of forks: what every strategy must keep, whatever it decides. They take `describe`
 * and `it` of any test runner and need no library of their own.
 *
 * ```ts
 * import { evictionConformance } from "pi-context-paging/testing";
 * evictionConformance({ describe, it }, () => new KeepRecentTurns());
 * ```
 */
export { evictionConformance } from "./testing/eviction-conformance.ts";
export { fallbackConformance } from "./testing/fallback-conformance.ts";
export { type SampleOptions, sampleWindow } from "./testing/sample-window.ts";
export { snapConformance } from "./testing/snap-conformance.ts";
export type { TestRunner } from "./testing/test-runner.ts";

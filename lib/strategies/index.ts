/** The strategy families and their defaults: the entry point for forks. */
export { EvictionStrategy, type EvictionView } from "./eviction/eviction-strategy.ts";
export { FifoEviction } from "./eviction/fifo-eviction.ts";
export { type FallbackCause, FallbackStrategy, type FallbackView } from "./fallback/fallback-strategy.ts";
export { StatelessFifoFallback } from "./fallback/stateless-fifo-fallback.ts";
export { KeyedBoundarySnap } from "./snap/keyed-boundary-snap.ts";
export { type SnapOutcome, SnapStrategy, type SnapView } from "./snap/snap-strategy.ts";
export { firstFit, type UnitView, type WindowView } from "./window-view.ts";

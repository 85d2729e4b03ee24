import type { AgentMessage } from "../messages.ts";
import type { EvictionStrategy } from "../strategies/eviction/eviction-strategy.ts";
import type { FallbackStrategy } from "../strategies/fallback/fallback-strategy.ts";
import type { SnapStrategy } from "../strategies/snap/snap-strategy.ts";
import type { Cut } from "./frontier-manager.ts";
import type { RequestLimits } from "./limits.ts";
import type { UnitSource } from "./unit.ts";

/** The strategies of a policy. */
export interface PagingStrategies {
  readonly eviction: EvictionStrategy;
  readonly snap: SnapStrategy;
  readonly fallback: FallbackStrategy;
}

/** One request to select. */
export interface SelectionRequest extends Omit<UnitSource, "frontier"> {
  /** System prompt and tool definitions, in tokens. */
  readonly residentTokens: number;
  readonly limits: RequestLimits;
  /** The cut of the request before. */
  readonly cut: Cut | undefined;
  /** Tokens of a message that selection itself adds. */
  readonly priceOf: (message: AgentMessage) => number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /**
   * Estimated tokens of a request that the provider refused as too large: the cut advances once, to 5/8 of it at most,
   * and unread results that still do not fit there are replaced by references.
   */
  readonly refusedTokens?: number | undefined;
}

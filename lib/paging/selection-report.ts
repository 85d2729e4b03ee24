import type { FallbackCause } from "../strategies/fallback/fallback-strategy.ts";
import type { Frontier } from "./frontier.ts";

/**
 * How a request was selected.
 *
 * `whole`: nothing has left. `paged`: behind a remembered cut. `stateless`: cut for this request only. Then the two
 * modes in which unread results alone exceed the budget: `protectedOverflow` sends them whole, `recovery` replaces them
 * by references.
 */
export type SelectionMode = "whole" | "paged" | "stateless" | "protectedOverflow" | "recovery";

/**
 * What one selection did: the one source of the stats estimate, the window picture, the cut log and the event
 * `context-paging:selection`. Immutable, holds no message content. Tokens are whole estimated tokens.
 */
export interface SelectionReport {
  readonly mode: SelectionMode;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly budgetTokens: number;
  readonly targetTokens: number;
  /** System prompt and tool definitions. */
  readonly residentTokens: number;
  /** The notice; 0 without one. */
  readonly noticeTokens: number;
  /** Messages that could not leave, unread results included, as they go out. */
  readonly protectedTokens: number;
  /** The whole request as it came in. */
  readonly tokensBefore: number;
  /** The whole request as it goes out. */
  readonly tokensAfter: number;
  /** Leading units that are not in the request, of those that came in. */
  readonly unitsRemoved: number;
  /** `advance`: the cut moved for this request. `none`: it stayed, or there is none. */
  readonly movement: "none" | "advance";
  /** The cut that is remembered after this request. */
  readonly frontier: Frontier | undefined;
  /** Why the request could not have a remembered cut, if so. */
  readonly fallbackCause: FallbackCause | undefined;
  /** Names of the strategies, for the cut log. */
  readonly strategies: { readonly eviction: string; readonly snap: string; readonly fallback: string };
}

/** A copy that shares nothing with the report: other extensions may do with it what they like. */
export function copyOf(report: SelectionReport): SelectionReport {
  const { frontier, strategies } = report;
  return {
    ...report,
    frontier: frontier && { ...frontier, toolCallIds: [...frontier.toolCallIds] },
    strategies: { ...strategies },
  };
}

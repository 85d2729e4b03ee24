import type { AgentMessage } from "../messages.ts";
import { CarriedItems } from "./carried-items.ts";
import type { Cut } from "./frontier-manager.ts";
import { PartsReader } from "./parts-reader.ts";
import type { RequestUnits } from "./request-units.ts";
import { type SelectionPlan, SelectionPlanner } from "./selection-planner.ts";
import type { SelectionReport } from "./selection-report.ts";
import type { PagingStrategies, SelectionRequest } from "./selection-request.ts";

/** A selected request. */
export interface SelectionOutcome {
  /** What to send; undefined when that is exactly what came in. */
  readonly messages: AgentMessage[] | undefined;
  /** The cut to remember. */
  readonly cut: Cut | undefined;
  /** Positions of the incoming messages that are sent as they are, in sending order. */
  readonly carried: readonly number[];
  /** Tokens of what selection itself adds: the notice, and references that replace results. */
  readonly addedTokens: number;
  readonly report: SelectionReport;
  /** Which items of the history are sent. */
  readonly carriedItems: CarriedItems;
}

/** The policy that holds every request within its budget. What it remembers of a request only saves reading it again. */
export class BudgetPolicy {
  readonly #strategies: PagingStrategies;
  readonly #reader = new PartsReader();

  constructor(strategies: PagingStrategies) {
    this.#strategies = strategies;
  }

  /**
   * Selects a request and changes nothing: the caller commits the outcome when it uses it. Throws
   * {@link ContextSelectionError} when no legal request within the limits exists.
   */
  select(request: SelectionRequest): SelectionOutcome {
    const planner = new SelectionPlanner(request, this.#strategies, this.#reader);
    const { plan, units } = planner;
    const positions = units.keptFrom(plan.boundary);
    const { noticeTokens, replacements, replacementTokens = 0 } = plan;
    return {
      messages: messagesAt(positions, plan, request),
      cut: plan.cut,
      carried: replacements ? positions.filter((position) => !replacements.has(position)) : positions,
      addedTokens: noticeTokens + replacementTokens,
      report: this.#reportOn(plan, planner, request),
      carriedItems: carriedItems(positions, plan, units, request),
    };
  }

  #reportOn(
    { mode, boundary, noticeTokens, cut, tokens, cause }: SelectionPlan,
    { units, tokensBefore }: SelectionPlanner,
    { limits, residentTokens, now, cut: before }: SelectionRequest,
  ): SelectionReport {
    const { eviction, snap, fallback } = this.#strategies;
    // Where everything that can leave has left, the rest is protected; references cost less than what they stand for.
    const isAllProtected = mode === "protectedOverflow" || mode === "recovery";
    const protectedTokens = isAllProtected
      ? tokens - residentTokens - noticeTokens
      : units.protectedTokens + units.unreadTokens;
    return {
      mode,
      time: now,
      budgetTokens: limits.budgetTokens,
      targetTokens: limits.targetTokens,
      residentTokens: Math.round(residentTokens),
      noticeTokens,
      protectedTokens: Math.round(protectedTokens),
      tokensBefore,
      tokensAfter: tokens,
      unitsRemoved: boundary,
      movement: cut && cut !== before ? "advance" : "none",
      frontier: cut?.frontier,
      fallbackCause: cause,
      strategies: { eviction: eviction.name, snap: snap.name, fallback: fallback.name },
    };
  }
}

/** What to send; undefined when nothing is removed, replaced, moved or added. */
function messagesAt(
  positions: readonly number[],
  { notice, replacements }: SelectionPlan,
  { messages }: SelectionRequest,
): AgentMessage[] | undefined {
  const isUnchanged =
    positions.length === messages.length && positions.every((position, place) => position === place);
  if (isUnchanged && !notice && !replacements) return undefined;
  const kept: AgentMessage[] = notice ? [notice] : [];
  for (const position of positions) {
    const message = replacements?.get(position) ?? messages[position];
    if (message) kept.push(message);
  }
  return kept;
}

/** An exchange whose results are replaced by references is not carried: its content is not there. */
function carriedItems(
  positions: readonly number[],
  { replacements }: SelectionPlan,
  { unread }: RequestUnits,
  { messages, provenance }: SelectionRequest,
): CarriedItems {
  const sent = replacements ? positions.filter((position) => position !== unread?.assistant) : positions;
  return new CarriedItems(sent, provenance, messages);
}

/**
 * Selects one request: what is sent, and which cut is remembered if it is. Section "Context selection".
 *
 * 1. Resident input alone must fit. Calls and results must pair, also where they will not be sent.
 * 2. The remembered cut is applied, resolved in the raw history and in the groups of this request.
 * 3. Within the budget, that is the request. Over it, eviction chooses a boundary and a snap moves it to a key.
 * 4. Without a usable key, a fallback selects this request alone and the remembered cut ends.
 * 5. When everything that can leave has left and unread results still exceed the budget, they go out whole if the
 *    model can take them (protected overflow), else as references (recovery).
 *
 * Nothing is changed here: the caller commits the outcome when it uses it.
 */
import { ContextSelectionError } from "../errors.ts";
import type { AgentMessage, UserMessage } from "../messages.ts";
import type { EvictionStrategy } from "../strategies/eviction/eviction-strategy.ts";
import type { FallbackCause, FallbackStrategy } from "../strategies/fallback/fallback-strategy.ts";
import type { SnapStrategy } from "../strategies/snap/snap-strategy.ts";
import { CarriedItems } from "./carried-items.ts";
import { isInHistory } from "./frontier.ts";
import type { Cut } from "./frontier-manager.ts";
import type { RequestLimits } from "./limits.ts";
import { type NoticeFacts, pagingNotice, protectedOverflowNotice, recoveryNotice } from "./notice.ts";
import { PartsReader } from "./parts-reader.ts";
import { resultReferences } from "./recovery-mode.ts";
import { RequestUnits, type UnitSource } from "./request-units.ts";
import type { SelectionMode, SelectionReport } from "./selection-report.ts";
import { roundUp, Window } from "./window.ts";

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

/** A selected request. */
export interface SelectionOutcome {
  /** What to send; undefined when that is exactly what came in. */
  readonly messages: AgentMessage[] | undefined;
  /** The cut to remember. */
  readonly cut: Cut | undefined;
  /** Positions of the incoming messages that are sent as they are, in sending order. */
  readonly carried: readonly number[];
  /** What selection itself adds: the notice, and references that replace results. */
  readonly added: readonly AgentMessage[];
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

  /** Selects a request. Throws {@link ContextSelectionError} when no legal request within the limits exists. */
  select(request: SelectionRequest): SelectionOutcome {
    return new Selection(request, this.#strategies, this.#reader).outcome;
  }
}

/** What is to be sent, before messages are listed. */
interface Plan {
  readonly mode: SelectionMode;
  /** How many leading units are not sent. */
  readonly boundary: number;
  readonly notice: UserMessage | undefined;
  /** The cut to remember. */
  readonly cut: Cut | undefined;
  readonly tokens: number;
  readonly cause?: FallbackCause;
  /** By position: what is sent instead of a result. */
  readonly replacements?: ReadonlyMap<number, AgentMessage>;
}

class Selection {
  readonly #request: SelectionRequest;
  readonly #strategies: PagingStrategies;
  readonly #window: Window;
  readonly #isCutInHistory: boolean;
  #noticeTimestamp: number | undefined;

  constructor(request: SelectionRequest, strategies: PagingStrategies, reader: PartsReader) {
    const { cut, history, residentTokens, limits, priceOf } = request;
    const wholeResidentTokens = roundUp(residentTokens);
    if (wholeResidentTokens > limits.budgetTokens) {
      throw tooLarge("RESIDENT_INPUT_TOO_LARGE", "Resident input estimate", wholeResidentTokens, request);
    }
    this.#request = request;
    this.#strategies = strategies;
    const known = cut && history && isInHistory(cut.frontier, history) ? cut : undefined;
    this.#isCutInHistory = known === cut;
    const source: UnitSource = { ...request, frontier: known?.frontier };
    const notice: (references: NoticeFacts["references"]) => UserMessage = (references) =>
      pagingNotice(this.#noticeFacts(references));
    this.#window = new Window(
      RequestUnits.of(source, reader),
      source,
      { residentTokens, priceOf, notice },
      known?.notice,
    );
  }

  get outcome(): SelectionOutcome {
    const plan = this.#plan;
    const positions = this.#window.units.keptFrom(plan.boundary);
    const { notice, replacements } = plan;
    return {
      messages: this.#messagesAt(positions, plan),
      cut: plan.cut,
      carried: replacements ? positions.filter((position) => !replacements.has(position)) : positions,
      added: [...(notice ? [notice] : []), ...(replacements?.values() ?? [])],
      report: this.#reportOn(plan),
      carriedItems: this.#carriedBy(plan, positions),
    };
  }

  get #plan(): Plan {
    const { cut, limits, refusedTokens } = this.#request;
    if (!this.#isCutInHistory) return this.#fallBack("cut-key-unresolved");
    if (this.#window.units.boundary === undefined) return this.#fallBack("frontier-not-in-groups");
    const { start } = this.#window;
    const isWithinBudget = this.#window.tokensAt(start) <= limits.budgetTokens;
    return isWithinBudget && refusedTokens === undefined ? this.#cutAt(start, cut) : this.#advance();
  }

  #advance(): Plan {
    const { history, limits, refusedTokens } = this.#request;
    const view = this.#window.viewWithin(limits.budgetTokens);
    const destinationTokens = destination(limits, refusedTokens);
    const boundary = this.#strategies.eviction.evict({ ...view, destinationTokens });
    const tokens = this.#window.tokensAt(boundary);
    if (tokens > limits.budgetTokens) return this.#overflow();
    if (refusedTokens !== undefined && tokens > destinationTokens && this.#window.units.unread)
      return this.#overflow();
    if (!history) return this.#fallBack("raw-history-unavailable");
    if (boundary === this.#window.start) return this.#cutAt(boundary, this.#request.cut);
    const snapped = this.#strategies.snap.snap({ ...view, boundary });
    switch (snapped.kind) {
      case "keyed":
        return this.#cutAt(snapped.boundary, this.#cutBehind(snapped.boundary));
      case "no-key":
        return this.#fallBack("keyless-no-key");
      case "over-budget":
        return this.#fallBack("keyless-snap-over-budget");
    }
  }

  #cutAt(boundary: number, cut: Cut | undefined): Plan {
    const notice = this.#window.noticeAt(boundary);
    const mode = boundary === 0 ? "whole" : "paged";
    return { mode, boundary, notice, cut, tokens: this.#window.tokensAt(boundary) };
  }

  /** The cut behind the first `boundary` units with its frozen notice; the remembered one where it did not move. */
  #cutBehind(boundary: number): Cut | undefined {
    if (boundary === this.#window.start) return this.#request.cut;
    const frontier = this.#window.evicted.keyOf(boundary - 1);
    const notice = this.#window.noticeAt(boundary);
    return frontier && notice ? { frontier, notice } : undefined;
  }

  #fallBack(cause: FallbackCause): Plan {
    const window = this.#window.stateless;
    const { budgetTokens } = this.#request.limits;
    const boundary = this.#strategies.fallback.fallBack({ ...window.viewWithin(budgetTokens), cause });
    const tokens = window.tokensAt(boundary);
    if (tokens > budgetTokens) return { ...this.#overflow(), cut: undefined, cause };
    const mode = boundary === 0 ? "whole" : "stateless";
    return { mode, boundary, notice: window.noticeAt(boundary), cut: undefined, tokens, cause };
  }

  /** Everything that can leave has left, and the unread results are still too much. */
  #overflow(): Plan {
    const { limits, priceOf, refusedTokens } = this.#request;
    const { units, protectedTokens, evicted } = this.#window;
    const boundary = units.units.length;
    if (!units.unread) throw this.#tooLarge(this.#window.tokensAt(boundary));
    const facts = this.#noticeFacts(evicted.referencesBefore(boundary));
    const cut = this.#newestCut();
    const whole = protectedOverflowNotice(facts);
    const wholeTokens = roundUp(protectedTokens + units.unreadTokens + priceOf(whole));
    if (protectedTokens + priceOf(whole) > limits.budgetTokens) throw this.#tooLarge(wholeTokens);
    const inputWindowTokens = limits.inputWindowTokens ?? Number.POSITIVE_INFINITY;
    if (wholeTokens <= inputWindowTokens && refusedTokens === undefined) {
      return { mode: "protectedOverflow", boundary, notice: whole, cut, tokens: wholeTokens };
    }
    const replacements = resultReferences(units.unread, this.#request);
    const notice = recoveryNotice(facts);
    const saved = this.#savedBy(replacements);
    const tokens = roundUp(protectedTokens + units.unreadTokens + priceOf(notice) - saved);
    if (tokens > inputWindowTokens) throw this.#tooLarge(tokens);
    return { mode: "recovery", boundary, notice, cut, tokens, replacements };
  }

  /** The cut behind the newest unit that the stored history can name: what left stays out. */
  #newestCut(): Cut | undefined {
    const { units, start, evicted } = this.#window;
    let boundary = units.units.length;
    while (boundary > start && !evicted.keyOf(boundary - 1)) boundary--;
    return this.#cutBehind(boundary);
  }

  #savedBy(replacements: ReadonlyMap<number, AgentMessage>): number {
    let saved = 0;
    for (const [position, message] of replacements) {
      saved += (this.#request.messageTokens[position] ?? 0) - this.#request.priceOf(message);
    }
    return saved;
  }

  #noticeFacts(references: NoticeFacts["references"]): NoticeFacts {
    const { limits, messages, now } = this.#request;
    // Read once: a notice is made for every boundary that eviction tries.
    this.#noticeTimestamp ??= messages.reduce(
      (newest, { timestamp }) => Math.max(newest, timestamp || 0),
      now,
    );
    return { budgetTokens: limits.budgetTokens, references, timestamp: this.#noticeTimestamp };
  }

  #tooLarge(tokens: number): ContextSelectionError {
    const code = this.#window.units.hasActiveTurn ? "ACTIVE_REQUEST_TOO_LARGE" : "RESIDENT_INPUT_TOO_LARGE";
    return tooLarge(code, "Resident and retained request estimate", tokens, this.#request);
  }

  /** What to send; undefined when nothing is removed, replaced, moved or added. */
  #messagesAt(positions: readonly number[], { notice, replacements }: Plan): AgentMessage[] | undefined {
    const { messages } = this.#request;
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
  #carriedBy({ replacements }: Plan, positions: readonly number[]): CarriedItems {
    const { messages, provenance } = this.#request;
    const withheld = replacements && this.#window.units.unread?.assistant;
    const sent = positions.filter((position) => position !== withheld);
    return new CarriedItems(sent, provenance, messages);
  }

  #reportOn({ mode, boundary, notice, cut, tokens, cause }: Plan): SelectionReport {
    const { limits, residentTokens, priceOf, now } = this.#request;
    const { eviction, snap, fallback } = this.#strategies;
    const { units } = this.#window;
    const noticeTokens = notice ? priceOf(notice) : 0;
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
      tokensBefore: this.#window.tokensAt(0),
      tokensAfter: tokens,
      unitsRemoved: boundary,
      movement: cut && cut !== this.#request.cut ? "advance" : "none",
      frontier: cut?.frontier,
      fallbackCause: cause,
      strategies: { eviction: eviction.name, snap: snap.name, fallback: fallback.name },
    };
  }
}

/** Where an advance brings the request, in tokens. */
function destination(limits: RequestLimits, refusedTokens: number | undefined): number {
  if (refusedTokens === undefined) return limits.targetTokens;
  return Math.min(limits.targetTokens, Math.floor((refusedTokens * 5) / 8));
}

function tooLarge(
  code: "RESIDENT_INPUT_TOO_LARGE" | "ACTIVE_REQUEST_TOO_LARGE",
  what: "Resident input estimate" | "Resident and retained request estimate",
  tokens: number,
  { limits, residentTokens }: SelectionRequest,
): ContextSelectionError {
  const advice =
    what === "Resident input estimate"
      ? "Use a model with a larger window, raise contextPaging.tokenBudget, or turn off tools"
      : "Send a shorter prompt, use a model with a larger window, or raise contextPaging.tokenBudget";
  return new ContextSelectionError(
    code,
    `${what} of ${tokens} tokens exceeds the limit of ${limits.budgetTokens} tokens. Nothing was sent and nothing was lost. ` +
      `${advice}; /context-paging off turns paging off.`,
    { residentTokens: roundUp(residentTokens), requestTokens: tokens, budgetTokens: limits.budgetTokens },
  );
}

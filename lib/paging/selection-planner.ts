/**
 * The way from a request to what is sent of it. Sections "Context selection" and "Stable cut state".
 *
 * 1. Resident input alone must fit. Calls and results must pair, also where they will not be sent.
 * 2. The remembered cut is applied, resolved in the raw history and in the groups of this request.
 * 3. Within the budget, that is the request. Over it, eviction chooses a boundary and a snap moves it to a key.
 * 4. Without a usable key, a fallback selects this request alone and the remembered cut ends.
 * 5. When everything that can leave has left and unread results still exceed the budget, they go out whole if the
 *    model can take them (protected overflow), else as references (recovery).
 */
import type { ContextSelectionError } from "../errors.ts";
import type { AgentMessage, UserMessage } from "../messages.ts";
import type { FallbackCause } from "../strategies/fallback/fallback-strategy.ts";
import { isInHistory } from "./frontier.ts";
import type { Cut } from "./frontier-manager.ts";
import type { RequestLimits } from "./limits.ts";
import { type NoticeFacts, pagingNotice, protectedOverflowNotice, recoveryNotice } from "./notice.ts";
import type { PartsReader } from "./parts-reader.ts";
import { resultReferences } from "./recovery-mode.ts";
import type { Exchange } from "./request-structure.ts";
import { RequestUnits } from "./request-units.ts";
import type { SelectionMode } from "./selection-report.ts";
import type { PagingStrategies, SelectionRequest } from "./selection-request.ts";
import { requestTooLarge, residentTooLarge } from "./too-large.ts";
import type { UnitSource } from "./unit.ts";
import { roundUp, Window } from "./window.ts";

/** What is to be sent, before messages are listed. */
export interface SelectionPlan {
  readonly mode: SelectionMode;
  /** How many leading units are not sent. */
  readonly boundary: number;
  readonly notice: UserMessage | undefined;
  readonly noticeTokens: number;
  /** The cut to remember. */
  readonly cut: Cut | undefined;
  readonly tokens: number;
  readonly cause?: FallbackCause;
  /** By position: what is sent instead of a result. */
  readonly replacements?: ReadonlyMap<number, AgentMessage>;
  /** Tokens of these. */
  readonly replacementTokens?: number;
}

/** Decides on one request. Everything it needs to know is in the request; nothing is changed. */
export class SelectionPlanner {
  readonly #request: SelectionRequest;
  readonly #strategies: PagingStrategies;
  readonly #window: Window;
  readonly #isCutInHistory: boolean;
  #noticeTimestamp: number | undefined;

  constructor(request: SelectionRequest, strategies: PagingStrategies, reader: PartsReader) {
    const { cut, history, residentTokens, limits, priceOf } = request;
    if (roundUp(residentTokens) > limits.budgetTokens) throw residentTooLarge(request);
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

  /** The groups of the request. */
  get units(): RequestUnits {
    return this.#window.units;
  }

  /** Estimated tokens of the request as it came in. */
  get tokensBefore(): number {
    return this.#window.tokensAt(0);
  }

  /** What is to be sent. Throws {@link ContextSelectionError} when no legal request within the limits exists. */
  get plan(): SelectionPlan {
    const { cut, limits, refusedTokens } = this.#request;
    if (!this.#isCutInHistory) return this.#fallBack("cut-key-unresolved");
    if (this.#window.units.boundary === undefined) return this.#fallBack("frontier-not-in-groups");
    const { start } = this.#window;
    const isWithinBudget = this.#window.tokensAt(start) <= limits.budgetTokens;
    return isWithinBudget && refusedTokens === undefined ? this.#cutAt(start, cut) : this.#advance();
  }

  #advance(): SelectionPlan {
    const { history, limits, refusedTokens } = this.#request;
    const view = this.#window.viewWithin(limits.budgetTokens);
    const destinationTokens = destination(limits, refusedTokens);
    const boundary = this.#strategies.eviction.evict({ ...view, destinationTokens });
    const tokens = this.#window.tokensAt(boundary);
    if (this.#isTooMuch(tokens)) return this.#overflow();
    if (boundary === this.#window.start) return this.#cutAt(boundary, this.#request.cut);
    if (!history) return this.#fallBack("raw-history-unavailable");
    // After a refusal a snap may not bring back what the smaller request has to do without.
    const budgetTokens = Math.max(tokens, this.#limitTokens);
    const snapped = this.#strategies.snap.snap({ ...view, budgetTokens, boundary });
    switch (snapped.kind) {
      case "keyed":
        return this.#cutAt(snapped.boundary, this.#cutBehind(snapped.boundary));
      case "no-key":
        return this.#fallBack("keyless-no-key");
      case "over-budget":
        return this.#fallBack("keyless-snap-over-budget");
    }
  }

  #cutAt(boundary: number, cut: Cut | undefined): SelectionPlan {
    const mode = boundary === 0 ? "whole" : "paged";
    return { mode, boundary, ...noticed(this.#window, boundary), cut };
  }

  /** The cut behind the first `boundary` units with its frozen notice; the remembered one where it did not move. */
  #cutBehind(boundary: number): Cut | undefined {
    if (boundary === this.#window.start) return this.#request.cut;
    const frontier = this.#window.evicted.keyOf(boundary - 1);
    const notice = this.#window.noticeAt(boundary);
    return frontier && notice ? { frontier, notice } : undefined;
  }

  #fallBack(cause: FallbackCause): SelectionPlan {
    const window = this.#window.stateless;
    const view = window.viewWithin(this.#limitTokens);
    const boundary = this.#strategies.fallback.fallBack({ ...view, cause });
    const tokens = window.tokensAt(boundary);
    if (this.#isTooMuch(tokens)) return { ...this.#overflow(), cut: undefined, cause };
    const mode = boundary === 0 ? "whole" : "stateless";
    return { mode, boundary, ...noticed(window, boundary), cut: undefined, cause };
  }

  /** What this request may have: the budget, or less after one that the provider refused. */
  get #limitTokens(): number {
    const { limits, refusedTokens } = this.#request;
    if (refusedTokens === undefined) return limits.budgetTokens;
    return Math.min(limits.budgetTokens, destination(limits, refusedTokens));
  }

  /** Whether unread results must become references for it, if there are any. */
  #isTooMuch(tokens: number): boolean {
    if (tokens > this.#request.limits.budgetTokens) return true;
    return tokens > this.#limitTokens && this.#window.units.unread !== undefined;
  }

  /** Everything that can leave has left, and the unread results are still too much. */
  #overflow(): SelectionPlan {
    const { limits, priceOf, refusedTokens } = this.#request;
    const { units, protectedTokens, evicted } = this.#window;
    const boundary = units.units.length;
    if (!units.unread) throw this.#tooLarge(this.#window.tokensAt(boundary));
    const facts = this.#noticeFacts(evicted.referencesBefore(boundary));
    const cut = this.#newestCut();
    const whole = protectedOverflowNotice(facts);
    const noticeTokens = priceOf(whole);
    const wholeTokens = roundUp(protectedTokens + units.unreadTokens + noticeTokens);
    if (protectedTokens + noticeTokens > limits.budgetTokens) throw this.#tooLarge(wholeTokens);
    const inputWindowTokens = limits.inputWindowTokens ?? Number.POSITIVE_INFINITY;
    if (wholeTokens <= inputWindowTokens && refusedTokens === undefined) {
      return { mode: "protectedOverflow", boundary, notice: whole, noticeTokens, cut, tokens: wholeTokens };
    }
    const recovery = this.#recovery(units.unread, recoveryNotice(facts));
    if (recovery.tokens > inputWindowTokens) throw this.#tooLarge(recovery.tokens);
    return { mode: "recovery", boundary, cut, ...recovery };
  }

  /** References instead of the unread results. */
  #recovery(unread: Exchange, notice: UserMessage): Omit<SelectionPlan, "mode" | "boundary" | "cut"> {
    const { messageTokens, priceOf } = this.#request;
    const { units, protectedTokens } = this.#window;
    const replacements = resultReferences(unread, this.#request);
    const noticeTokens = priceOf(notice);
    let replacementTokens = 0;
    let replacedTokens = 0;
    for (const [position, message] of replacements) {
      replacementTokens += priceOf(message);
      replacedTokens += messageTokens[position] ?? 0;
    }
    const unreadTokens = units.unreadTokens + replacementTokens - replacedTokens;
    const tokens = roundUp(protectedTokens + noticeTokens + unreadTokens);
    return { notice, noticeTokens, tokens, replacements, replacementTokens };
  }

  /** The cut behind the newest unit that the stored history can name: what left stays out. */
  #newestCut(): Cut | undefined {
    const { units, start, evicted } = this.#window;
    let boundary = units.units.length;
    while (boundary > start && !evicted.keyOf(boundary - 1)) boundary--;
    return this.#cutBehind(boundary);
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
    return requestTooLarge(tokens, this.#window.units.hasActiveTurn ? "present" : "absent", this.#request);
  }
}

/** What a request costs at a boundary, and its notice there. */
function noticed(
  window: Window,
  boundary: number,
): Pick<SelectionPlan, "notice" | "noticeTokens" | "tokens"> {
  return {
    notice: window.noticeAt(boundary),
    noticeTokens: window.noticeTokensAt(boundary),
    tokens: window.tokensAt(boundary),
  };
}

/** Where an advance brings the request, in tokens. */
function destination(limits: RequestLimits, refusedTokens: number | undefined): number {
  if (refusedTokens === undefined) return limits.targetTokens;
  return Math.min(limits.targetTokens, Math.floor((refusedTokens * 5) / 8));
}

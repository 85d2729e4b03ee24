/**
 * Groups a request into what can leave the window and what cannot.
 *
 * Units leave in order, oldest first: prefix units, completed turns, then exchanges of the active turn. The envelope
 * and the steering of the active turn, the unread exchange and injected messages around them never leave. Messages are
 * owned, not sliced: the request that started a turn stands before its exchanges, but leaves after them. Sections
 * "Context selection" and "Stable cut state".
 */
import type { Frontier } from "./frontier.ts";
import type { Exchange } from "./request-structure.ts";
import { entryIdOf, type PlacedSegment } from "./turns.ts";
import type { Unit, UnitSource } from "./unit.ts";

/** Owner of what cannot leave. */
const KEPT = -1;
/** Owner of the unread exchange and of what belongs to it: cannot leave either, but is counted apart. */
const UNREAD = -2;
/** Number of the turn before the first one. */
const NO_TURN = -1;

interface UnitDraft {
  readonly kind: Unit["kind"];
  tokens: number;
}

/** Walks the parts once, oldest first, and gives each its owner: the number of its unit, or none of it. */
export class Grouping {
  readonly parts: readonly PlacedSegment[];
  readonly units: UnitDraft[] = [];
  readonly owners: number[] = [];
  readonly activeTurn: number;
  readonly unread: Exchange | undefined;
  boundary: number | undefined;
  protectedTokens = 0;
  unreadTokens = 0;
  readonly #source: UnitSource;
  readonly #anchor: number;
  readonly #lastExchange: number;
  #turn = NO_TURN;
  /** What the walk stands behind: the unit of an exchange or turn, or KEPT. */
  #owner = KEPT;
  /** The unit that takes the envelope and the steering of a completed turn. */
  #wholeTurn = KEPT;
  /** In a turn that was cut while it was active: the unit of the exchanges that left then. */
  #partial = KEPT;

  constructor(source: UnitSource, parts: readonly PlacedSegment[]) {
    this.#source = source;
    this.parts = parts;
    this.activeTurn = this.parts.at(-1)?.turn ?? NO_TURN;
    this.#lastExchange = this.parts.findLastIndex(({ role }) => role === "exchange");
    this.#anchor = source.frontier ? this.#find(source.frontier) : -1;
    this.unread = this.#unreadExchange();
    if (this.#wasCutBeforeFirstTurn) this.#splitTurn();
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index];
      if (part) this.#place(part, index);
    }
    if (this.#isCutTurnActive) this.boundary = this.units.length;
  }

  #place(part: PlacedSegment, index: number): void {
    if (part.turn !== this.#turn) this.#enterTurn(part.turn);
    const owner = this.#ownerOf(part, index);
    this.owners.push(owner);
    this.#count(part, owner);
    if (index === this.#anchor) this.boundary = this.#boundaryBehind(owner);
  }

  #find({ historyId }: Frontier): number {
    const { provenance } = this.#source;
    for (let index = this.parts.length - 1; index >= 0; index--) {
      const part = this.parts[index];
      if (part && entryIdOf(part, provenance) === historyId) return index;
    }
    return -1;
  }

  /** The newest exchange with calls, where it is the last that the model did and nothing new was asked since. */
  #unreadExchange(): Exchange | undefined {
    const index = this.parts.findLastIndex(
      ({ segment, role }) => role === "exchange" && segment.kind === "exchange" && segment.callIds.length > 0,
    );
    const part = this.parts[index];
    if (part?.segment.kind !== "exchange" || part.turn !== this.activeTurn || index <= this.#anchor)
      return undefined;
    return this.#isLastOfHistory(part.segment, index) ? part.segment : undefined;
  }

  #isLastOfHistory(exchange: Exchange, index: number): boolean {
    const { history, provenance, branchLag } = this.#source;
    if (!history || branchLag === "tail") return index === this.#lastExchange;
    const entryId = provenance.entryId(exchange.assistant);
    return entryId !== undefined && entryId === history.lastModelTurn?.historyId;
  }

  #enterTurn(turn: number): void {
    this.#turn = turn;
    this.#partial = KEPT;
    this.#wholeTurn = KEPT;
    if (turn !== this.activeTurn) {
      if (this.#wasCutWhileActive(turn)) this.#splitTurn();
      else this.#wholeTurn = this.#newUnit("turn");
    }
    this.#owner = this.#wholeTurn;
  }

  #wasCutWhileActive(turn: number): boolean {
    return this.parts[this.#anchor]?.turn === turn && this.#source.frontier?.extent === "exchange";
  }

  /** A run whose start the session no longer shows, cut while it was going, and now another turn is active. */
  get #wasCutBeforeFirstTurn(): boolean {
    if (this.activeTurn < 0 || !this.#wasCutWhileActive(NO_TURN)) return false;
    return this.parts.slice(0, this.#anchor).some(({ role }) => role === "steering");
  }

  /** What left of a turn while it was active, and what stayed then, are units of their own. */
  #splitTurn(): void {
    this.#partial = this.#newUnit("partial");
    this.#wholeTurn = this.#newUnit("remainder");
  }

  #ownerOf({ role, turn }: PlacedSegment, index: number): number {
    switch (role) {
      case "steering":
        // Before the first turn there is nothing else that says what the run is for, unless a later turn says it.
        return turn === NO_TURN && this.activeTurn >= 0 && !this.#isInPartial(index)
          ? this.#newUnit("prefix")
          : this.#wholeTurn;
      case "single":
      case "exchange":
        this.#owner = this.#ownerByItself(index);
        return this.#owner;
      case "injected":
        return turn === NO_TURN || index > this.#lastExchange ? KEPT : (this.owners.at(-1) ?? KEPT);
      default:
        // The envelope of the turn, or what belongs to the exchange before it.
        return this.#owner;
    }
  }

  /** Of an exchange, or of what stands on its own before the first turn. */
  #ownerByItself(index: number): number {
    const segment = this.parts[index]?.segment;
    if (segment === this.unread) return UNREAD;
    if (this.#isInPartial(index)) return this.#partial;
    if (this.#turn === NO_TURN) return this.#newUnit("prefix");
    return this.#turn === this.activeTurn ? this.#newUnit("exchange") : this.#wholeTurn;
  }

  #isInPartial(index: number): boolean {
    return this.#partial !== KEPT && index <= this.#anchor;
  }

  #newUnit(kind: Unit["kind"]): number {
    return this.units.push({ kind, tokens: 0 }) - 1;
  }

  #count({ segment, role }: PlacedSegment, owner: number): void {
    if (role === "interrupted") return;
    const tokens = this.#tokensOf(segment);
    const unit = this.units[owner];
    if (unit) unit.tokens += tokens;
    else if (owner === UNREAD) this.unreadTokens += tokens;
    else this.protectedTokens += tokens;
  }

  #tokensOf(segment: PlacedSegment["segment"]): number {
    const { messageTokens } = this.#source;
    if (segment.kind === "message") return messageTokens[segment.position] ?? 0;
    let tokens = messageTokens[segment.assistant] ?? 0;
    for (const position of segment.results) tokens += messageTokens[position] ?? 0;
    return tokens;
  }

  #boundaryBehind(owner: number): number {
    return owner < 0 ? this.units.length : owner + 1;
  }

  /**
   * Another extension took away all that followed a turn that was cut off whole: its request stays, as that of every
   * active turn, but nothing else of it comes back.
   */
  get #isCutTurnActive(): boolean {
    const isOfActiveTurn = this.activeTurn >= 0 && this.parts[this.#anchor]?.turn === this.activeTurn;
    return isOfActiveTurn && this.#source.frontier?.extent === "unit";
  }
}

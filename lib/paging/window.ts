import type { AgentMessage, UserMessage } from "../messages.ts";
import type { WindowView } from "../strategies/window-view.ts";
import { EvictedHistory, type RecoveryReferences } from "./evicted-history.ts";
import type { RequestUnits } from "./request-units.ts";
import type { Unit, UnitSource } from "./unit.ts";

/** What a request costs besides its units. */
export interface WindowPrices {
  /** System prompt and tool definitions, in tokens. */
  readonly residentTokens: number;
  readonly priceOf: (message: AgentMessage) => number;
  /** Makes the notice of a new cut. */
  readonly notice: (references: RecoveryReferences) => UserMessage;
}

/** A request at every boundary it could be cut at: what it costs there and which notice it gets. */
export class Window {
  readonly units: RequestUnits;
  /** How many leading units the remembered cut excludes. */
  readonly start: number;
  readonly #source: UnitSource;
  readonly #prices: WindowPrices;
  /** The notice of the remembered cut, sent as it is while the cut stays. */
  readonly #frozen: UserMessage | undefined;
  /** By boundary: tokens of the units that stay. */
  readonly #stayingTokens: Float64Array;
  readonly #notices = new Map<number, { readonly message: UserMessage; readonly tokens: number }>();
  #evicted: EvictedHistory | undefined;

  constructor(units: RequestUnits, source: UnitSource, prices: WindowPrices, frozen?: UserMessage) {
    this.units = units;
    this.start = frozen ? (units.boundary ?? 0) : 0;
    this.#source = source;
    this.#prices = prices;
    this.#frozen = frozen;
    this.#stayingTokens = stayingTokens(units.units);
  }

  /** The same request without a remembered cut. */
  get stateless(): Window {
    return new Window(this.units, this.#source, this.#prices);
  }

  /** What the units are called in the stored history. */
  get evicted(): EvictedHistory {
    this.#evicted ??= new EvictedHistory(this.units, this.#source);
    return this.#evicted;
  }

  /** What cannot leave, without the unread exchange and without a notice. */
  get protectedTokens(): number {
    return this.#prices.residentTokens + this.units.protectedTokens;
  }

  /** Tokens of the whole request, notice included, when the first `boundary` units have left. */
  tokensAt(boundary: number): number {
    const messages = this.units.unreadTokens + (this.#stayingTokens[boundary] ?? 0);
    return roundUp(this.protectedTokens + messages + this.noticeTokensAt(boundary));
  }

  /** The notice at this boundary; none where nothing has left. */
  noticeAt(boundary: number): UserMessage | undefined {
    return this.#noticed(boundary)?.message;
  }

  noticeTokensAt(boundary: number): number {
    return this.#noticed(boundary)?.tokens ?? 0;
  }

  /** The request as strategies see it. */
  viewWithin(budgetTokens: number): WindowView {
    return {
      units: this.units.units.map(({ kind, tokens }, unit) => ({
        kind,
        tokens,
        keyed: this.evicted.keyOf(unit) !== undefined,
      })),
      start: this.start,
      budgetTokens,
      tokensAt: (boundary) => this.tokensAt(boundary),
    };
  }

  #noticed(boundary: number): { readonly message: UserMessage; readonly tokens: number } | undefined {
    if (boundary === 0) return undefined;
    const known = this.#notices.get(boundary);
    if (known) return known;
    const isUnmoved = this.#frozen !== undefined && boundary === this.start;
    const message = isUnmoved ? this.#frozen : this.#prices.notice(this.evicted.referencesBefore(boundary));
    const made = { message, tokens: this.#prices.priceOf(message) };
    this.#notices.set(boundary, made);
    return made;
  }
}

function stayingTokens(units: readonly Unit[]): Float64Array {
  const tokens = new Float64Array(units.length + 1);
  for (let unit = units.length - 1; unit >= 0; unit--)
    tokens[unit] = (tokens[unit + 1] ?? 0) + (units[unit]?.tokens ?? 0);
  return tokens;
}

/** Calibrated prices are fractions. Rounded up, but not for what is only the noise of adding them. */
export function roundUp(tokens: number): number {
  return Math.ceil(tokens - 1e-6);
}

import { Grouping } from "./grouping.ts";
import { PartsReader } from "./parts-reader.ts";
import type { Exchange } from "./request-structure.ts";
import type { PlacedSegment } from "./turns.ts";
import type { Unit, UnitSource } from "./unit.ts";

/** The groups of one request. Immutable. */
export class RequestUnits {
  readonly units: readonly Unit[];
  /** How many leading units the frontier excludes; undefined when its anchor is not among the groups. */
  readonly boundary: number | undefined;
  /** The newest exchange, while the model has not read its results. */
  readonly unread: Exchange | undefined;
  readonly hasActiveTurn: boolean;
  /** Tokens of messages that cannot leave, without the unread exchange. */
  readonly protectedTokens: number;
  /** Tokens of the unread exchange and of the messages that belong to it. */
  readonly unreadTokens: number;
  /** The parts of the request, oldest first, with the unit each leaves with. */
  readonly parts: readonly PlacedSegment[];
  readonly #owners: readonly number[];

  private constructor(grouping: Grouping, source: UnitSource) {
    this.units = grouping.units;
    this.parts = grouping.parts;
    this.#owners = grouping.owners;
    this.boundary = source.frontier ? grouping.boundary : 0;
    this.unread = grouping.unread;
    this.hasActiveTurn = grouping.activeTurn >= 0;
    this.protectedTokens = grouping.protectedTokens;
    this.unreadTokens = grouping.unreadTokens;
  }

  /** Groups a request. Throws `INVALID_MESSAGE_STRUCTURE` when its calls and results do not pair. */
  static of(source: UnitSource, reader = new PartsReader()): RequestUnits {
    const parts = reader.read(source.messages, source.provenance);
    return new RequestUnits(new Grouping(source, parts), source);
  }

  /** Number of the unit that part `index` leaves with; undefined when it never leaves. */
  unitOf(index: number): number | undefined {
    const owner = this.#owners[index];
    return owner === undefined || owner < 0 ? undefined : owner;
  }

  /** Positions that are sent when the first `boundary` units have left, in sending order. */
  keptFrom(boundary: number): number[] {
    const kept: number[] = [];
    for (let index = 0; index < this.parts.length; index++) {
      const part = this.parts[index];
      if (!part || part.role === "interrupted" || (this.unitOf(index) ?? boundary) < boundary) continue;
      const { segment } = part;
      if (segment.kind === "message") {
        kept.push(segment.position);
      } else {
        kept.push(segment.assistant);
        for (const position of segment.results) kept.push(position);
      }
    }
    return kept;
  }
}

import { isRecoveryOnly, isRecoveryResult } from "../session/recovery-results.ts";
import { type Frontier, isInHistory } from "./frontier.ts";
import type { RequestUnits } from "./request-units.ts";
import { entryIdOf, type PlacedSegment } from "./turns.ts";
import type { UnitSource } from "./unit.ts";

/** Where a stored tool result is found. */
export interface ResultReference {
  readonly historyId: string;
  readonly toolCallId: string;
}

/** The newest of what left the window, as the recovery tools know it. */
export interface RecoveryReferences {
  readonly historyId?: string;
  readonly result?: ResultReference;
}

/**
 * What the units of one request are called in the stored history: the key of a cut behind a unit, and the references a
 * notice gives. Made only when a cut is made. Section "Stable cut state".
 */
export class EvictedHistory {
  readonly #units: RequestUnits;
  readonly #source: UnitSource;
  readonly #keys: readonly (Frontier | undefined)[];
  /** By number of leading units that left. */
  readonly #references: readonly RecoveryReferences[];

  constructor(units: RequestUnits, source: UnitSource) {
    this.#units = units;
    this.#source = source;
    this.#keys = this.#collectKeys();
    this.#references = this.#collectReferences();
  }

  /** The frontier of a cut directly behind this unit; none for a keyless unit. */
  keyOf(unit: number): Frontier | undefined {
    return this.#keys[unit];
  }

  /** The newest references among the first `boundary` units. */
  referencesBefore(boundary: number): RecoveryReferences {
    return this.#references[boundary] ?? {};
  }

  /** The first item of a unit that the history still holds stands for the unit; a cut turn keeps its anchor. */
  #collectKeys(): readonly (Frontier | undefined)[] {
    const { frontier, history } = this.#source;
    const { units, parts } = this.#units;
    if (!history) return [];
    const keys = units.map(({ kind }): Frontier | undefined => {
      if (!frontier || (kind !== "partial" && kind !== "remainder")) return undefined;
      return kind === "partial" ? frontier : { ...frontier, extent: "unit" };
    });
    parts.forEach((part, index) => {
      const unit = this.#units.unitOf(index);
      if (unit === undefined || keys[unit]) return;
      const key = this.#candidate(part, this.#extentOf(unit));
      if (key && isInHistory(key, history)) keys[unit] = key;
    });
    return keys;
  }

  /** Where no turn is active, what steers the run stays, as the start of an active turn does. */
  #extentOf(unit: number): Frontier["extent"] {
    const { units, hasActiveTurn } = this.#units;
    return units[unit]?.kind === "exchange" || !hasActiveTurn ? "exchange" : "unit";
  }

  #candidate(part: PlacedSegment, extent: Frontier["extent"]): Frontier | undefined {
    const historyId = entryIdOf(part, this.#source.provenance);
    if (historyId === undefined) return undefined;
    const { segment } = part;
    return { historyId, toolCallIds: segment.kind === "exchange" ? segment.callIds : [], extent };
  }

  #collectReferences(): readonly RecoveryReferences[] {
    const newest: RecoveryReferences[] = this.#units.units.map(() => ({}));
    this.#units.parts.forEach((part, index) => {
      const unit = this.#units.unitOf(index);
      if (unit !== undefined) newest[unit] = { ...newest[unit], ...this.#referencesTo(part) };
    });
    let known: RecoveryReferences = {};
    const collected = [known];
    for (const references of newest) {
      known = { ...known, ...references };
      collected.push(known);
    }
    return collected;
  }

  #referencesTo(part: PlacedSegment): RecoveryReferences {
    const { history, messages, provenance } = this.#source;
    const { segment } = part;
    const entryId = entryIdOf(part, provenance);
    const item = entryId === undefined ? undefined : history?.item(entryId);
    if (!item || (item.kind === "modelTurn" && isRecoveryOnly(item))) return {};
    const { historyId } = item;
    if (segment.kind === "message" || item.kind !== "modelTurn") return { historyId };
    const results = segment.results.map((position) => messages[position]);
    const readable = results.findLast(
      (result) => result?.role === "toolResult" && !isRecoveryResult(item, result),
    );
    if (readable?.role !== "toolResult") return { historyId };
    return { historyId, result: { historyId, toolCallId: readable.toolCallId } };
  }
}

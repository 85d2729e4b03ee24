/**
 * Finds the best items for a query.
 *
 * 1. Signatures say which items may hold which units of the query, and so how rare each unit is: a rare one weighs more.
 *    What has no signature yet is read.
 * 2. The weights an item may reach are an upper bound of its score. Items are read in the order of that bound, each only
 *    as long as it can still get among the best, until many in a row do not.
 * 3. Of the others it only matters whether they hold any unit at all, for the total.
 */
import type { HistoryItem } from "../../session/history-item.ts";
import type { Pace } from "../pace.ts";
import { heldUnits } from "./held-units.ts";
import type { Occurrence, QueryUnit } from "./query-unit.ts";
import type { PlacedText, SearchDocument } from "./search-document.ts";
import type { SearchQuery } from "./search-query.ts";

/** The best place for a query in an item. */
export type SearchMatch = PlacedText & Occurrence;

/** An occurrence in one of several texts, by number. */
interface TextOccurrence extends Occurrence {
  readonly text: number;
}

/** An item that holds something of the query. */
export interface SearchHit {
  readonly document: SearchDocument;
  readonly match: SearchMatch;
}

/** The result of a search. */
export interface SearchResult {
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** How many items hold anything of the query. */
  readonly total: number;
}

/** A word that only stands inside a longer one counts less. */
const INNER_QUALITY = 0.6;
/** The query as it stands counts more than all its words and pairs together. */
const PHRASE_FACTOR = 2;
/** Two words side by side decide between items that hold both, but do not make up for a third word. */
const PAIR_FACTOR = 0.3;
/** What the window still holds. */
const SEEN_WORTH = 0.5;

/** So many candidates that do not get among the best, one after the other: what follows is no better. */
const PATIENCE = 15;

/** Where to search, and how. */
export interface SearchScope {
  /** Oldest first. */
  readonly documents: readonly SearchDocument[];
  /** What the model sees anyway counts half: a question must not hide its answer. */
  readonly inWindow: (item: HistoryItem) => boolean;
  readonly limit: number;
  readonly pace: Pace;
}

/** The best documents for a query; of equals, the newest. */
export async function rankedSearch(query: SearchQuery, scope: SearchScope): Promise<SearchResult> {
  const { documents, limit, pace } = scope;
  const held: number[] = [];
  for (const document of documents) {
    held.push(heldUnits(query, document));
    if (pace.isRestDue) await pace.rest();
  }
  return new RankedSearch(query, scope, held).best(limit, pace);
}

interface Candidate {
  readonly document: SearchDocument;
  readonly position: number;
  /** The units that it may hold, one bit each. */
  readonly units: number;
  readonly worth: number;
  /** No score can be higher. */
  readonly bound: number;
}

interface ScoredHit {
  readonly document: SearchDocument;
  readonly place: TextOccurrence;
  readonly position: number;
  readonly score: number;
}

class RankedSearch {
  readonly #query: SearchQuery;
  readonly #weights: readonly number[];
  /** Numbers of the units, the weightiest first. */
  readonly #order: readonly number[];
  /** Those that need no others, the most common ahead: what holds anything holds one of them, and that is found soon. */
  readonly #basic: readonly number[];
  readonly #candidates: readonly Candidate[];

  constructor(query: SearchQuery, { documents, inWindow }: SearchScope, held: readonly number[]) {
    this.#query = query;
    this.#weights = this.#weigh(held);
    this.#order = this.#weights
      .map((_, at) => at)
      .sort((one, other) => this.#weight(other) - this.#weight(one));
    this.#basic = this.#order.toReversed().filter((at) => query.units[at]?.needs === 0);
    const candidates: Candidate[] = [];
    documents.forEach((document, position) => {
      const units = held[position] ?? 0;
      if (units === 0) return;
      const worth = inWindow(document.item) ? SEEN_WORTH : 1;
      candidates.push({ document, position, units, worth, bound: worth * this.#bound(units) });
    });
    this.#candidates = candidates.sort(byBound);
  }

  async best(limit: number, pace: Pace): Promise<SearchResult> {
    const hits: ScoredHit[] = [];
    let total = 0;
    let inVain = 0;
    for (const candidate of this.#candidates) {
      const last = hits[limit - 1];
      const hit = inVain < PATIENCE ? this.#score(candidate, last) : undefined;
      inVain = last && !hit ? inVain + 1 : 0;
      if (hit) {
        hits.push(hit);
        hits.sort(byScore).splice(limit);
      }
      if (hit || this.#holdsAny(candidate)) total++;
      if (pace.isRestDue) await pace.rest();
    }
    return { hits: hits.flatMap(placed), total };
  }

  #weight(unit: number): number {
    return this.#weights[unit] ?? 0;
  }

  #weigh(masks: readonly number[]): readonly number[] {
    const holders = this.#query.units.map(() => 0);
    for (const mask of masks) {
      for (let at = 0; at < holders.length; at++) holders[at] = (holders[at] ?? 0) + ((mask >>> at) & 1);
    }
    const weights = holders.map((count, at) => {
      const rarity = Math.log(1 + masks.length / Math.max(1, count));
      return this.#query.units[at]?.kind === "pair" ? PAIR_FACTOR * rarity : rarity;
    });
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight, at) =>
      this.#query.units[at]?.kind === "phrase" ? PHRASE_FACTOR * all : weight,
    );
  }

  #bound(mask: number): number {
    let bound = 0;
    for (const at of this.#order) bound += ((mask >>> at) & 1) * this.#weight(at);
    return bound;
  }

  #holdsAny({ document, units }: Candidate): boolean {
    // Without a signature it has been read already.
    if (!document.signature) return true;
    for (const text of document.texts) {
      for (const at of this.#basic) {
        if ((units >>> at) & 1 && this.#query.units[at]?.isIn(text)) return true;
      }
    }
    return false;
  }

  /**
   * Reads a candidate: each unit counts once, where it counts most. None when it holds nothing, and as soon as it can
   * no longer beat `last`: of two that are equal, the newer one is better.
   */
  #score(
    { document, position, units, worth, bound }: Candidate,
    last: ScoredHit | undefined,
  ): ScoredHit | undefined {
    let possible = bound;
    let best = 0;
    let place: TextOccurrence | undefined;
    for (const at of this.#order) {
      if (last && (possible < last.score || (possible === last.score && position < last.position)))
        return undefined;
      if (!((units >>> at) & 1)) continue;
      const weight = worth * this.#weight(at);
      const found = this.#query.units[at] && bestOccurrence(this.#query.units[at], document.texts);
      const value = found ? weight * (found.isWhole ? 1 : INNER_QUALITY) : 0;
      possible -= weight - value;
      if (value <= best) continue;
      best = value;
      place = found;
    }
    return place && { document, position, score: possible, place };
  }
}

/** The first whole occurrence in any of the texts, else the first of all. */
function bestOccurrence(unit: QueryUnit, texts: readonly string[]): TextOccurrence | undefined {
  let first: TextOccurrence | undefined;
  for (let text = 0; text < texts.length; text++) {
    const found = unit.find(texts[text] ?? "");
    if (found?.isWhole) return { ...found, text };
    if (found) first ??= { ...found, text };
  }
  return first;
}

function placed({ document, place: { text, ...occurrence } }: ScoredHit): SearchHit[] {
  const place = document.placedTexts[text];
  return place ? [{ document, match: { ...place, ...occurrence } }] : [];
}

function byBound(one: Candidate, other: Candidate): number {
  return other.bound - one.bound || other.position - one.position;
}

function byScore(one: ScoredHit, other: ScoredHit): number {
  return other.score - one.score || other.position - one.position;
}

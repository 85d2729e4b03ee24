/**
 * Finds the best items for a query.
 *
 * 1. Signatures say which items may hold which units of the query, and so how rare each unit is: a rare one weighs more.
 * 2. The weights an item may reach are an upper bound of its score. Items are read in the order of that bound, and only
 *    as long as it can still beat the best that were read.
 * 3. Of the others it only matters whether they hold any unit at all, for the total.
 *
 * So a search reads few texts, and its result is the same as if it had read all.
 */
import type { Output, TextLeaf } from "../output.ts";
import type { Occurrence } from "./query-unit.ts";
import type { SearchDocument } from "./search-document.ts";
import type { SearchQuery } from "./search-query.ts";

/** The best place for a query in an item. */
export interface SearchMatch extends Occurrence {
  readonly output: Output;
  readonly leaf: TextLeaf;
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

/** The best `limit` of the documents (oldest first) for the query; of equals, the newest. */
export function rankedSearch(
  query: SearchQuery,
  documents: readonly SearchDocument[],
  limit: number,
): SearchResult {
  return new RankedSearch(query, documents).best(limit);
}

interface Candidate {
  readonly document: SearchDocument;
  readonly position: number;
  /** The units that it may hold, one bit each. */
  readonly units: number;
  /** No score can be higher. */
  readonly bound: number;
}

interface ScoredHit extends SearchHit {
  readonly position: number;
  readonly score: number;
}

class RankedSearch {
  readonly #query: SearchQuery;
  readonly #weights: readonly number[];
  readonly #candidates: readonly Candidate[];

  constructor(query: SearchQuery, documents: readonly SearchDocument[]) {
    this.#query = query;
    const units = Int32Array.from(documents, (document) => this.#unitsIn(document));
    this.#weights = this.#weigh(units);
    const candidates: Candidate[] = [];
    documents.forEach((document, position) => {
      const mask = units[position] ?? 0;
      if (mask !== 0) candidates.push({ document, position, units: mask, bound: this.#sum(mask) });
    });
    this.#candidates = candidates.sort(byBound);
  }

  best(limit: number): SearchResult {
    const hits: ScoredHit[] = [];
    let total = 0;
    for (const candidate of this.#candidates) {
      const last = hits[limit - 1];
      if (last && last.score >= candidate.bound && !isAhead(candidate, last)) {
        if (this.#holdsAny(candidate)) total++;
        continue;
      }
      const hit = this.#score(candidate);
      if (!hit) continue;
      total++;
      hits.push(hit);
      hits.sort(byScore).splice(limit);
    }
    return { hits, total };
  }

  #unitsIn({ signature }: SearchDocument): number {
    let mask = 0;
    this.#query.units.forEach((unit, at) => {
      if (unit.mayBeIn(signature)) mask |= 1 << at;
    });
    return mask;
  }

  #weigh(masks: Int32Array): readonly number[] {
    const rarities = this.#query.units.map((_, at) => {
      const holders = masks.reduce((count, mask) => count + ((mask >>> at) & 1), 0);
      return Math.log(1 + masks.length / Math.max(1, holders));
    });
    const all = rarities.reduce((sum, rarity) => sum + rarity, 0);
    return this.#query.units.map(({ kind }, at) =>
      kind === "phrase" ? PHRASE_FACTOR * all : (rarities[at] ?? 0),
    );
  }

  #sum(mask: number): number {
    return this.#weights.reduce((sum, weight, at) => sum + ((mask >>> at) & 1) * weight, 0);
  }

  #holdsAny({ document, units }: Candidate): boolean {
    const looked = this.#query.units.filter((_, at) => (units >>> at) & 1).reverse();
    for (const { leaf } of document.texts()) {
      if (looked.some((unit) => unit.isIn(leaf.text))) return true;
    }
    return false;
  }

  /** Reads a candidate: each unit counts once, where it counts most. */
  #score({ document, position, units }: Candidate): ScoredHit | undefined {
    const reached = new Float64Array(this.#weights.length);
    let match: SearchMatch | undefined;
    let best = 0;
    for (const { output, leaf } of document.texts()) {
      for (let at = 0; at < reached.length; at++) {
        const weight = this.#weights[at] ?? 0;
        if (!((units >>> at) & 1) || (reached[at] ?? 0) >= weight) continue;
        const found = this.#query.units[at]?.find(leaf.text);
        if (!found) continue;
        const value = found.isWhole ? weight : INNER_QUALITY * weight;
        reached[at] = Math.max(reached[at] ?? 0, value);
        if (value <= best) continue;
        best = value;
        match = { ...found, output, leaf };
      }
    }
    const score = reached.reduce((sum, value) => sum + value, 0);
    return match && { document, position, score, match };
  }
}

function byBound(one: Candidate, other: Candidate): number {
  return other.bound - one.bound || other.position - one.position;
}

function byScore(one: ScoredHit, other: ScoredHit): number {
  return other.score - one.score || other.position - one.position;
}

/** Of two that may be equal, the newer one wins. */
function isAhead(candidate: Candidate, last: ScoredHit): boolean {
  return candidate.bound === last.score && candidate.position > last.position;
}

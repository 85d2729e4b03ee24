import { HistoryNavigatorError, type RecoveryAbortedError } from "../errors.ts";
import type { ImageContent } from "../messages.ts";
import type { HistoryItem } from "../session/history-item.ts";
import { RecoveryView } from "../session/recovery-view.ts";
import { IMAGE_TOKENS, type TokenEstimator } from "../usage/token-estimator.ts";
import { sequencesOf } from "./browse-walk.ts";
import {
  BROWSE_PARAMETERS,
  type BrowseInput,
  LOAD_PARAMETERS,
  type LoadInput,
  SEARCH_PARAMETERS,
  type SearchInput,
} from "./inputs.ts";
import { type LoadedItems, loadedItems, type PlacedDocument } from "./loaded-items.ts";
import { Pace } from "./pace.ts";
import { inputFault, type ParametersSchema } from "./parameters.ts";
import { type Reference, referenceTo, withinReply } from "./reference.ts";
import { matchesFilters } from "./search/filters.ts";
import { rankedSearch, type SearchHit, type SearchScope } from "./search/ranked-search.ts";
import { SearchDocument } from "./search/search-document.ts";
import { SearchQuery } from "./search/search-query.ts";
import { SignatureBacklog } from "./search/signature-backlog.ts";
import { tooLargeText } from "./too-large.ts";

/** What a reply depends on besides the history. */
export interface RecoveryScope {
  /** Effective budget of the requests, in tokens. */
  readonly budgetTokens: number;
  /** Whether the latest request still carried the item. */
  readonly inWindow: (item: HistoryItem) => boolean;
}

/** What a search found. */
export interface SearchReply {
  readonly references: readonly Reference[];
  /** How many items match. */
  readonly total: number;
  /** With `load`: the first three. */
  readonly items?: readonly object[];
  readonly images: readonly ImageContent[];
}

const DEFAULT_REFERENCES = 5;
const MOST_LOADED = 3;

/**
 * Search, browse and load over the visible history. Section "History navigation" of ARCHITECTURE.md.
 *
 * It follows the history: what it knows of an item stays while the item stays, and no text is kept twice. All errors
 * are {@link HistoryNavigatorError}, or {@link RecoveryAbortedError} for a call that was stopped; none changes anything.
 */
export class HistoryNavigator {
  readonly #estimator: TokenEstimator;
  readonly #view = new RecoveryView();
  /** The items as of the last update, hidden ones too. */
  readonly #items: HistoryItem[] = [];
  /** The visible ones; the index is the sequence number. */
  #documents: SearchDocument[] = [];
  readonly #backlog = new SignatureBacklog();

  constructor(estimator: TokenEstimator) {
    this.#estimator = estimator;
  }

  /** Follows the history. Items are immutable, so only those that are new or another object cost anything. */
  update(items: readonly HistoryItem[]): void {
    const first = firstDifference(this.#items, items);
    if (first === this.#items.length && first === items.length) return;
    const left = new Set(this.#items.splice(first));
    const known = new Map<HistoryItem, SearchDocument>();
    while (left.has(this.#documents.at(-1)?.item as HistoryItem)) {
      const document = this.#documents.pop();
      if (document) known.set(document.item, document);
    }
    for (const item of items.slice(first)) {
      this.#items.push(item);
      if (!this.#view.isVisible(item)) continue;
      this.#documents.push(known.get(item) ?? new SearchDocument(this.#view, item));
    }
  }

  /** Finds items: best first, or newest first for an empty query. Rejects as soon as `pace` says that it was stopped. */
  async search(input: SearchInput, scope: RecoveryScope, pace = new Pace()): Promise<SearchReply> {
    check(SEARCH_PARAMETERS, input);
    const { query, limit = DEFAULT_REFERENCES, load = false } = input;
    const { inWindow } = scope;
    // What is appended meanwhile is not part of this search.
    const all = [...this.#documents];
    const documents = all.filter((document) => matchesFilters(document, input));
    const { hits, total } = await this.#find(query, { documents, inWindow, limit, pace });
    const references = hits.flatMap(({ document, match }) => {
      const source = { documents: all, sequence: all.indexOf(document), inWindow };
      return referenceTo(match ? { ...source, match } : source);
    });
    const reply = { references: withinReply(references), total, images: [] };
    if (!load) return reply;
    const best = hits.slice(0, MOST_LOADED);
    const placed = best.map(({ document }) => ({ document, sequence: all.indexOf(document) }));
    return { ...reply, ...(await this.#load(placed, scope, pace)) };
  }

  /** Walks through the history: references in ascending order. */
  browse(input: BrowseInput, scope: RecoveryScope): { readonly references: readonly Reference[] } {
    check(BROWSE_PARAMETERS, input);
    const references = this.#sequencesFor(input).flatMap((sequence) =>
      referenceTo({ documents: this.#documents, sequence, inWindow: scope.inWindow }),
    );
    return { references: withinReply(references) };
  }

  /** Loads items exactly, all or none, in the order asked. Rejects as soon as `pace` says that it was stopped. */
  async load(input: LoadInput, scope: RecoveryScope, pace = new Pace()): Promise<LoadedItems> {
    check(LOAD_PARAMETERS, input);
    const placed = input.historyIds.map((historyId) => {
      const document = this.#document(historyId, "UNKNOWN_HISTORY_ID");
      return { document, sequence: this.#documents.indexOf(document) };
    });
    return this.#load(placed, scope, pace);
  }

  async #find(text: string, scope: SearchScope): Promise<Found> {
    const query = SearchQuery.parse(text);
    const { documents, limit } = scope;
    if (query.units.length === 0) {
      const newest = documents.slice(-limit).reverse();
      return { hits: newest.map((document) => ({ document })), total: documents.length };
    }
    const exact = await rankedSearch(query, scope);
    const found = exact.total > 0 ? exact : await rankedSearch(SearchQuery.relaxed(text), scope);
    this.#backlog.add(documents);
    void this.#backlog.work();
    return found;
  }

  async #load(placed: readonly PlacedDocument[], scope: RecoveryScope, pace: Pace): Promise<LoadedItems> {
    const loaded = loadedItems(this.#view, placed);
    const limitTokens = Math.floor(scope.budgetTokens / 2);
    let tokens = loaded.images.length * IMAGE_TOKENS;
    for (const item of loaded.items) {
      await pace.rest();
      tokens += this.#estimator.text(JSON.stringify(item));
    }
    if (tokens <= limitTokens) return loaded;
    const documents = placed.map(({ document }) => document);
    throw new HistoryNavigatorError(
      "HISTORY_ITEMS_TOO_LARGE",
      tooLargeText(documents, { tokens, limitTokens }),
    );
  }

  #sequencesFor(input: BrowseInput): number[] {
    const { historyId, sequence, direction, count = DEFAULT_REFERENCES, stride = 1 } = input;
    if (historyId !== undefined && sequence !== undefined) {
      throw invalid("Give historyId or sequence, not both.");
    }
    const last = this.#documents.length - 1;
    const isAnchored = historyId !== undefined || sequence !== undefined;
    const walk = { direction, count, stride, last };
    return sequencesOf(isAnchored ? { ...walk, anchor: this.#anchor(historyId, sequence) } : walk);
  }

  #anchor(historyId: string | undefined, sequence: number | undefined): number {
    if (historyId !== undefined) {
      return this.#documents.indexOf(this.#document(historyId, "UNKNOWN_HISTORY_ANCHOR"));
    }
    if (sequence !== undefined && sequence < this.#documents.length) return sequence;
    throw new HistoryNavigatorError(
      "UNKNOWN_HISTORY_ANCHOR",
      `There is no item ${sequence}: the history has ${this.#documents.length} items, numbered from 0.`,
    );
  }

  #document(historyId: string, code: "UNKNOWN_HISTORY_ID" | "UNKNOWN_HISTORY_ANCHOR"): SearchDocument {
    const found = this.#documents.filter(({ item }) => item.historyId === historyId);
    const [document] = found;
    if (document && found.length === 1) return document;
    throw new HistoryNavigatorError(
      code,
      found.length > 1
        ? `${found.length} items of this session share the historyId ${JSON.stringify(historyId)}. ` +
            "Find the one you mean with browse_history by sequence."
        : `This branch has no visible item ${JSON.stringify(historyId)}. ` +
            "Take a historyId from search_history or browse_history.",
    );
  }
}

interface Found {
  readonly hits: readonly (Pick<SearchHit, "document"> & Partial<SearchHit>)[];
  readonly total: number;
}

function firstDifference(known: readonly HistoryItem[], items: readonly HistoryItem[]): number {
  let index = 0;
  while (index < known.length && known[index] === items[index]) index++;
  return index;
}

function check(schema: ParametersSchema, input: unknown): void {
  const fault = inputFault(schema, input);
  if (fault) throw invalid(fault);
}

function invalid(message: string): HistoryNavigatorError {
  return new HistoryNavigatorError("INVALID_HISTORY_NAVIGATOR_INPUT", message);
}

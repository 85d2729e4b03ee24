import { Pace } from "../pace.ts";
import type { SearchDocument } from "./search-document.ts";

/**
 * Items that were searched before they had a signature. A first search does without: to read an item once is several
 * times cheaper than to sign it. Later ones gain, so what was read is signed while nobody waits, or before the next
 * search.
 */
export class SignatureBacklog {
  readonly #documents: SearchDocument[] = [];

  /** Notes the items of a search that have no signature yet. */
  add(documents: readonly SearchDocument[]): void {
    for (const document of documents) if (!document.signature) this.#documents.push(document);
  }

  /** Signs them while nobody waits: bit by bit, from the next turn of the event loop on. */
  async workLater(): Promise<void> {
    const pace = new Pace();
    await pace.rest();
    await this.work(pace);
  }

  /** Signs them. Several may work at the same time. */
  async work(pace: Pace): Promise<void> {
    for (let document = this.#documents.pop(); document; document = this.#documents.pop()) {
      document.sign();
      if (pace.isRestDue) await pace.rest();
    }
  }
}

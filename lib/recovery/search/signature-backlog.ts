import { Pace } from "../pace.ts";
import type { SearchDocument } from "./search-document.ts";

/**
 * Items that were searched before they had a signature. To read an item once is several times cheaper than to sign it, so
 * a search never waits for signatures: they are made afterwards, while nobody waits, and later searches gain.
 */
export class SignatureBacklog {
  readonly #documents: SearchDocument[] = [];

  /** Notes the items of a search that have no signature yet. */
  add(documents: readonly SearchDocument[]): void {
    for (const document of documents) if (!document.signature) this.#documents.push(document);
  }

  /** Signs them bit by bit, from the next turn of the event loop on. Several may work at the same time. */
  async work(): Promise<void> {
    const pace = new Pace();
    await pace.rest();
    for (let document = this.#documents.pop(); document; document = this.#documents.pop()) {
      document.sign();
      if (pace.isRestDue) await pace.rest();
    }
  }
}

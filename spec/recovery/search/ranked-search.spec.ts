import { expect } from "chai";
import fc from "fast-check";
import { Pace } from "../../../lib/recovery/pace.ts";
import { rankedSearch, type SearchResult } from "../../../lib/recovery/search/ranked-search.ts";
import { SearchDocument } from "../../../lib/recovery/search/search-document.ts";
import { SearchQuery } from "../../../lib/recovery/search/search-query.ts";
import { RecoveryView } from "../../../lib/session/recovery-view.ts";
import { branch } from "../../support/branch-builder.ts";
import { itemsOf } from "../../support/history.ts";

const WORDS = ["cut", "frontier", "Session", "sessionManager", "of", "文件", "a-b", "x"];

describe("rankedSearch", () => {
  const texts = fc.array(
    fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 8 }).map((words) => words.join(" ")),
    { minLength: 1, maxLength: 30 },
  );
  const query = fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
    .map((words) => words.join(" "));

  /** Searches items with or without signatures. */
  const searching = (all: readonly string[], text: string, signed: "signed" | "unsigned") => {
    const items = itemsOf(all.reduce((building, one) => building.user(one), branch()).entries);
    const documents = items.map((item) => new SearchDocument(new RecoveryView(), item));
    if (signed === "signed") for (const document of documents) document.sign();
    return (limit: number) =>
      rankedSearch(SearchQuery.parse(text), { documents, inWindow: () => false, limit, pace: new Pace() });
  };
  const positions = ({ hits }: SearchResult) => hits.map(({ document }) => document.item.historyId);

  for (const signed of ["signed", "unsigned"] as const) {
    it(`the best of a few are the first of all, and the total counts all: ${signed}`, async () => {
      await fc.assert(
        fc.asyncProperty(texts, query, fc.integer({ min: 1, max: 5 }), async (all, text, limit) => {
          const search = searching(all, text, signed);
          const whole = await search(all.length);
          const few = await search(limit);
          expect(few.total).to.equal(whole.total).and.equal(whole.hits.length);
          expect(positions(few)).to.deep.equal(positions(whole).slice(0, limit));
        }),
      );
    });
  }

  it("finds the same items before they have signatures and after", async () => {
    await fc.assert(
      fc.asyncProperty(texts, query, async (all, text) => {
        const [before, after] = await Promise.all(
          (["unsigned", "signed"] as const).map((signed) => searching(all, text, signed)(all.length)),
        );
        expect(before && positions(before)).to.have.members((after && positions(after)) ?? []);
        expect(before?.total).to.equal(after?.total);
      }),
    );
  });
});

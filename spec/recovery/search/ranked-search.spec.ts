import { expect } from "chai";
import fc from "fast-check";
import { rankedSearch } from "../../../lib/recovery/search/ranked-search.ts";
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

  it("the best of a few are the first of all, and the total counts all", () => {
    fc.assert(
      fc.property(texts, query, fc.integer({ min: 1, max: 5 }), (all, text, limit) => {
        const items = itemsOf(all.reduce((building, one) => building.user(one), branch()).entries);
        const documents = items.map((item) => new SearchDocument(new RecoveryView(), item));
        const search = (most: number) =>
          rankedSearch(SearchQuery.parse(text), { documents, inWindow: () => false, limit: most });
        const whole = search(all.length);
        const few = search(limit);
        expect(few.total).to.equal(whole.total).and.equal(whole.hits.length);
        expect(few.hits.map(({ document }) => document)).to.deep.equal(
          whole.hits.slice(0, limit).map(({ document }) => document),
        );
      }),
    );
  });
});

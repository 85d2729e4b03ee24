import { expect } from "chai";
import fc from "fast-check";
import { heldUnits } from "../../../lib/recovery/search/held-units.ts";
import { SearchDocument } from "../../../lib/recovery/search/search-document.ts";
import { SearchQuery } from "../../../lib/recovery/search/search-query.ts";
import { RecoveryView } from "../../../lib/session/recovery-view.ts";
import { branch } from "../../support/branch-builder.ts";
import { itemsOf } from "../../support/history.ts";

const WORDS = [
  "cut",
  "of",
  "th",
  "theory",
  "SessionManager",
  "session",
  "manager",
  "文件",
  "件系",
  "a-b",
  "—",
];
const SEPARATORS = [" ", "\n", "_", "", "，"];

function documentOf(text: string): SearchDocument[] {
  return itemsOf(branch().user(text).entries).map((item) => new SearchDocument(new RecoveryView(), item));
}

describe("heldUnits", () => {
  const spelt = fc
    .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...SEPARATORS)), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => parts.flat().join(""));

  it("never leaves out what an item holds, without a signature and with one", () => {
    fc.assert(
      fc.property(spelt, spelt, (text, asked) => {
        const query = SearchQuery.parse(asked);
        for (const document of documentOf(`${text} ${asked.slice(0, 12)}`)) {
          const found = query.units.map((unit) => document.texts.some((one) => unit.isIn(one)));
          for (const step of ["unsigned", "signed"]) {
            const held = heldUnits(query, document);
            found.forEach((isFound, at) => {
              if (isFound) expect((held >>> at) & 1, `${step} ${query.units[at]?.kind}`).to.equal(1);
            });
            document.sign();
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it("knows words and phrases of an item without a signature, and guesses pairs", () => {
    const query = SearchQuery.parse("stable cut");
    const [holds] = documentOf("a stable, then a cut");
    const kinds = query.units.flatMap(({ kind }, at) =>
      holds && (heldUnits(query, holds) >>> at) & 1 ? [kind] : [],
    );
    expect(kinds).to.deep.equal(["pair", "term", "term"]);
    const [lacks] = documentOf("stably cutting");
    expect(lacks && heldUnits(SearchQuery.parse("stable zebra"), lacks)).to.equal(0);
  });
});

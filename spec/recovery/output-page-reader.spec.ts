import { expect } from "chai";
import type { PageInput } from "../../lib/recovery/inputs.ts";
import { type OutputPage, OutputPageReader } from "../../lib/recovery/output-page-reader.ts";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { codeOf, projectionOf } from "../support/history.ts";
import { prose } from "../support/prose.ts";

const estimator = new TokenEstimator();
const reader = new OutputPageReader(estimator);

function read(building: BranchBuilder, input: PageInput, budgetTokens = 1_000_000): OutputPage {
  return reader.read(input, projectionOf(building.entries), budgetTokens);
}

/** Follows nextOffset to the end. */
function pages(building: BranchBuilder, input: PageInput, budgetTokens?: number): OutputPage[] {
  const read_: OutputPage[] = [];
  for (let offset: number | null = 0; offset !== null; offset = read_.at(-1)?.nextOffset ?? null) {
    read_.push(read(building, { ...input, offset }, budgetTokens));
  }
  return read_;
}

const joined = (all: readonly OutputPage[]) => all.map(({ text }) => text).join("");

describe("OutputPageReader", () => {
  const message = (text: string) => branch().user(text);
  const user: PageInput = { historyId: "00000001", source: "user" };

  it("pages are slices of the JSON text and join to exactly that text", () => {
    const building = message(prose(1, 20_000));
    const expected = JSON.stringify(building.messages[0]);
    const all = pages(building, user);
    expect(joined(all)).to.equal(expected);
    expect(all[0]).to.deep.include({ offset: 0, nextOffset: 8_000, totalCharacters: expected.length });
    expect(all.at(-1)?.nextOffset).to.equal(null);
    expect(joined(pages(building, { ...user, limit: 32_000 }))).to.equal(expected);
  });

  it("reads all four sources at their original address", () => {
    const building = branch()
      .user("u")
      .assistant({ thinking: "hm", text: "said", calls: [{ name: "read", id: "c" }] })
      .result("out")
      .bash("ls", "b");
    const [stored, turn, result, bash] = building.messages;
    const content = turn?.role === "assistant" ? turn.content : [];
    const text = (input: PageInput) => read(building, input).text;
    expect(text(user)).to.equal(JSON.stringify(stored));
    expect(text({ historyId: "00000002", source: "assistant", contentIndex: 1 })).to.equal(
      JSON.stringify(content[1]),
    );
    expect(text({ historyId: "00000002", source: "assistant", contentIndex: 2 })).to.equal(
      JSON.stringify(content[2]),
    );
    expect(text({ historyId: "00000002", source: "toolResult", toolCallId: "c" })).to.equal(
      JSON.stringify(result),
    );
    expect(text({ historyId: "00000004", source: "context" })).to.equal(JSON.stringify(bash));
  });

  it("an id that comes back in later turns means the result of the turn that is asked for", () => {
    const building = branch();
    for (const text of ["one", "two", "three"])
      building.assistant({ calls: [{ name: "read", id: "read:0" }] }).results(text);
    const texts = ["00000001", "00000003", "00000005"].map(
      (historyId) => read(building, { historyId, source: "toolResult", toolCallId: "read:0" }).text,
    );
    expect(texts.map((text) => /"text":"(\w+)"/.exec(text)?.[1])).to.deep.equal(["one", "two", "three"]);
  });

  it("a page never splits a surrogate pair; a lone half is given back as stored", () => {
    const building = message(`${"🙂".repeat(101)}\ud83d${"🙂".repeat(50)}`);
    const expected = JSON.stringify(building.messages[0]);
    for (const limit of [1, 2, 3, 7, 64]) {
      const all = pages(building, { ...user, limit });
      expect(joined(all), `limit ${limit}`).to.equal(expected);
      for (const { text } of all) expect(text).not.to.match(/\p{Cs}/u);
    }
    const inside = expected.indexOf("🙂") + 1;
    expect(read(building, { ...user, offset: inside, limit: 4 })).to.deep.include({
      offset: inside - 1,
      text: "🙂🙂",
    });
  });

  it("a page is cut at a quarter of the budget, and always makes progress", () => {
    const building = message(`${prose(1, 30_000)}${"文".repeat(5_000)}${"🙂".repeat(500)}`);
    const expected = JSON.stringify(building.messages[0]);
    for (const budgetTokens of [4_000, 1_000]) {
      const all = pages(building, { ...user, limit: 32_000 }, budgetTokens);
      expect(joined(all)).to.equal(expected);
      for (const { text } of all) expect(estimator.text(text)).to.be.at.most(budgetTokens / 4);
    }
    const tiny = message("🙂".repeat(20));
    expect(joined(pages(tiny, user, 1))).to.equal(JSON.stringify(tiny.messages[0]));
  });

  it("refuses recovery results by call name, by result name and by nested calls", () => {
    const building = branch()
      .assistant({
        calls: ["load_history", "read", "codemode", "read"].map((name, n) => ({ name, id: `c${n}` })),
      })
      .result({ callId: "c0", toolName: "renamed" })
      .result({ callId: "c1", toolName: "search_history" })
      .result({
        callId: "c2",
        nestedCalls: { complete: true, calls: [{ id: "n", name: "load_history", status: "ok" }] },
      })
      .result({ callId: "c3" });
    const codes = ["c0", "c1", "c2", "c3"].map((toolCallId) =>
      codeOf(() => read(building, { historyId: "00000001", source: "toolResult", toolCallId })),
    );
    expect(codes).to.deep.equal(["RECOVERY_OUTPUT", "RECOVERY_OUTPUT", "RECOVERY_OUTPUT", "no error"]);
  });

  it("rejects omitted blocks, and says what else is wrong with an address", () => {
    const building = branch()
      .assistant({ thinking: "hm", text: "said", calls: [{ name: "read", id: "c" }] })
      .results("r")
      .user("u");
    const turn = { historyId: "00000001" };
    const cases: readonly (readonly [input: unknown, code: string])[] = [
      [{ ...turn, source: "assistant", contentIndex: 0 }, "OMITTED_OUTPUT"],
      [{ ...turn, source: "assistant", contentIndex: 3 }, "UNKNOWN_OUTPUT"],
      [{ ...turn, source: "toolResult", toolCallId: "d" }, "UNKNOWN_OUTPUT"],
      [{ ...turn, source: "user" }, "UNKNOWN_OUTPUT"],
      [{ historyId: "00000003", source: "context" }, "UNKNOWN_OUTPUT"],
      [{ historyId: "nowhere", source: "user" }, "UNKNOWN_HISTORY_ID"],
      [{ historyId: "00000003", source: "user", offset: 9_999 }, "INVALID_OUTPUT_PAGE_INPUT"],
      [{ ...turn, source: "assistant" }, "INVALID_OUTPUT_PAGE_INPUT"],
      [{ ...turn, source: "toolResult" }, "INVALID_OUTPUT_PAGE_INPUT"],
      [{ ...turn, source: "user", limit: 1.5 }, "INVALID_OUTPUT_PAGE_INPUT"],
      [{ source: "user" }, "INVALID_OUTPUT_PAGE_INPUT"],
      [null, "INVALID_OUTPUT_PAGE_INPUT"],
    ];
    for (const [input, code] of cases) {
      expect(
        codeOf(() => read(building, input as PageInput)),
        JSON.stringify(input),
      ).to.equal(code);
    }
  });
});

import { expect } from "chai";
import { type RenderedReply, renderedCall, renderedResult } from "../../lib/recovery/rendering.ts";

/** Shows the colours as tags. */
const theme = {
  fg: (color: string, text: string) => `<${color}>${text}</${color}>`,
  bold: (text: string) => text,
};
const plain = (text = "") => text.replace(/<\/?\w+>/g, "");

function result(name: string, args: unknown, reply: Partial<RenderedReply>): readonly (string | undefined)[] {
  const whole = { result: { content: [], details: {} }, expanded: false, isError: false, args, ...reply };
  return renderedResult(name, whole, theme);
}

const references = [
  {
    sequence: 3,
    kind: "modelTurn",
    historyId: "a1",
    tools: ["bash", "read"],
    failed: true,
    preview: "the needle",
  },
  { sequence: 1, kind: "user", historyId: "b2", tools: [], failed: false, preview: "" },
];

describe("rows of the recovery tools", () => {
  it("a call without result shows what it is about; with one, the result's row does", () => {
    const shown = (name: string, args: unknown) =>
      plain(renderedCall(name, args, theme, { isPartial: true })[0]);
    expect(shown("search_history", { query: "needle" })).to.equal("search_history “needle”");
    expect(shown("search_history", { query: "" })).to.equal("search_history newest");
    expect(shown("search_history", undefined)).to.equal("search_history");
    expect(shown("browse_history", { direction: "around", sequence: 4 })).to.equal(
      "browse_history around #4",
    );
    expect(shown("load_history", { historyIds: ["a", "b"] })).to.equal("load_history a, b");
    expect(shown("read_context_output", { historyId: "a", source: "user" })).to.equal(
      "read_context_output a user",
    );
    expect(renderedCall("load_history", {}, theme, { isPartial: false })).to.deep.equal([""]);
  });

  it("one calm line collapsed", () => {
    const line = (name: string, args: unknown, details: unknown) => {
      const rows = result(name, args, { result: { content: [], details } });
      expect(rows).to.have.length(1);
      return plain(rows[0]);
    };
    expect(line("search_history", { query: "needle" }, { references, total: 3 })).to.equal(
      "search_history “needle” - 3 hits",
    );
    expect(line("search_history", { query: "x" }, { references, total: 1, items: [{}] })).to.equal(
      "search_history “x” - 1 hit, 1 item loaded",
    );
    expect(line("browse_history", { direction: "forward" }, { references })).to.equal(
      "browse_history forward - 2 items",
    );
    expect(line("load_history", { historyIds: ["a"] }, { items: [{}] })).to.equal(
      "load_history a - 1 item loaded",
    );
    expect(
      line(
        "read_context_output",
        { historyId: "a", source: "user" },
        { offset: 8, totalCharacters: 50, text: "12345" },
      ),
    ).to.equal("read_context_output a user - characters 8 to 13 of 50");
  });

  it("the list when expanded", () => {
    const [, body] = result(
      "search_history",
      { query: "x" },
      { expanded: true, result: { content: [], details: { references } } },
    );
    expect(plain(body).split("\n")).to.deep.equal([
      "#3 modelTurn a1 bash, read (failed)  the needle",
      "#1 user b2",
    ]);
  });

  it("errors in the error colour, their first line collapsed", () => {
    const content = [{ type: "text", text: "CODE: what happened\nwhat to do" }];
    const reply = { isError: true, result: { content, details: {} } };
    const [line = "", none] = result("load_history", {}, reply);
    expect(line).to.contain("<error>- CODE: what happened</error>");
    expect(none).to.equal(undefined);
    expect(result("load_history", {}, { ...reply, expanded: true })[1]).to.equal(
      "<error>CODE: what happened\nwhat to do</error>",
    );
  });

  it("control characters never reach the terminal, and long arguments are cut", () => {
    const query = `\u001b[31m${"🙂".repeat(100)}\nsecond line`;
    const [line] = renderedCall("search_history", { query }, theme, { isPartial: true });
    expect(plain(line)).not.to.match(/\p{Cc}/u);
    expect(plain(line).length).to.be.below(160);
    const details = { references: [{ ...references[0], preview: "\u001b[2J" }] };
    const [, body] = result("search_history", {}, { expanded: true, result: { content: [], details } });
    expect(body).not.to.match(/[^\P{Cc}\n]/u);
  });
});

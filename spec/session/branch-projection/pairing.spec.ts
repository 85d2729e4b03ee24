import { expect } from "chai";
import { HistoryProjectionError } from "../../../lib/errors.ts";
import { BranchProjection } from "../../../lib/session/branch-projection.ts";
import { type BranchBuilder, branch } from "../../support/branch-builder.ts";

const read = { name: "read" };
const c1 = { name: "read", id: "c1" };
const c2 = { name: "read", id: "c2" };

function projectionOf({ path }: BranchBuilder): BranchProjection {
  const projection = new BranchProjection();
  projection.update(path);
  return projection;
}

/** Results of each model turn, as texts. */
function pairs(building: BranchBuilder): string[] {
  return projectionOf(building).items.flatMap((item) =>
    item.kind === "modelTurn" ? [item.toolResults.map(({ content }) => textOf(content)).join("+")] : [],
  );
}

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map(({ text }) => text ?? "").join("");
}

describe("BranchProjection: pairing of calls and results", () => {
  it("pairs the results with their calls in whatever order they come", () => {
    const building = branch()
      .user("u")
      .assistant({ calls: [c1, c2] });
    building.result({ callId: "c2", text: "two" }).result({ callId: "c1", text: "one" });
    expect(pairs(building)).to.deep.equal(["two+one"]);
  });

  it("pairs by position: ids that come back in later turns are ordinary", () => {
    const building = branch().user("u");
    for (const text of ["one", "two", "three"])
      building.assistant({ calls: [{ ...read, id: "x:0" }] }).result(text);
    expect(pairs(building)).to.deep.equal(["one", "two", "three"]);
  });

  it("pairs by position: two calls of one response may share an id", () => {
    const building = branch().assistant({ calls: [c1, c1] });
    building.result({ callId: "c1", text: "one" }).result({ callId: "c1", text: "two" });
    expect(pairs(building)).to.deep.equal(["one+two"]);
  });

  it("leaves the newest normal incomplete exchange out until it is complete", () => {
    const building = branch()
      .user("u")
      .assistant({ calls: [c1, c2] })
      .result("one");
    expect(projectionOf(building).items.map(({ kind }) => kind)).to.deep.equal(["user"]);
    expect(projectionOf(building).lastModelTurn).to.equal(undefined);
    expect(pairs(building.custom("note").result("two"))).to.deep.equal(["one+two"]);
  });

  it("places a turn where its response stands, also when context items came before its last result", () => {
    const building = branch()
      .user("u")
      .assistant({ calls: [c1] })
      .custom("note")
      .result("one");
    const kinds = projectionOf(building).items.map(({ kind }) => kind);
    expect(kinds).to.deep.equal(["user", "modelTurn", "context"]);
  });

  it("reads a response whose content is missing as one without calls", () => {
    const building = branch().user("u").assistant({ content: [] });
    const damaged = building.path.map((entry) => JSON.parse(JSON.stringify(entry)));
    for (const content of [null, [null]]) {
      damaged[1].message.content = content;
      const projection = new BranchProjection();
      projection.update(damaged);
      expect(projection.items).to.have.lengthOf(2);
    }
  });

  it("reports the first damage of a branch, whatever damage follows", () => {
    const building = branch().user("u").result({ callId: "c8" }).user("u2").result({ callId: "c9" });
    expect(projectionOf(building).error?.entryId).to.equal("00000002");
  });

  it("names the calls that have no result", () => {
    const building = branch()
      .assistant({ calls: [c1, c2] })
      .assistant({ text: "a" });
    expect(projectionOf(building).error?.message).to.contain("c1, c2");
  });

  const rejections: [rule: string, building: () => BranchBuilder, code: string, entryId: string][] = [
    [
      "a result before any response is an orphan",
      () => branch().result({ callId: "c9" }).user("u"),
      "ORPHAN_TOOL_RESULT",
      "00000001",
    ],
    [
      "a result after a user message is an orphan",
      () => branch().user("u").assistant({ text: "a" }).user("u2").result({ callId: "c9" }),
      "ORPHAN_TOOL_RESULT",
      "00000004",
    ],
    [
      "a result that comes after the user went on from a killed run is an orphan",
      () =>
        branch()
          .user("u")
          .assistant({ calls: [c1] })
          .user("u2")
          .result({ callId: "c1" }),
      "ORPHAN_TOOL_RESULT",
      "00000004",
    ],
    [
      "a second result of a call is a duplicate",
      () =>
        branch()
          .assistant({ calls: [c1, c2] })
          .result({ callId: "c1" })
          .result({ callId: "c1" }),
      "DUPLICATE_TOOL_RESULT",
      "00000003",
    ],
    [
      "a second result of a complete turn is a duplicate, also behind context items",
      () =>
        branch()
          .assistant({ calls: [c1] })
          .results()
          .custom("x")
          .result({ callId: "c1" }),
      "DUPLICATE_TOOL_RESULT",
      "00000004",
    ],
    [
      "a duplicate of an interrupted turn is an error too",
      () =>
        branch()
          .assistant({ calls: [c1], stopReason: "aborted" })
          .results()
          .result({ callId: "c1" }),
      "DUPLICATE_TOOL_RESULT",
      "00000003",
    ],
    [
      "a result of a call that the response did not make is misassigned",
      () =>
        branch()
          .assistant({ calls: [c1] })
          .result({ callId: "c2" }),
      "MISMATCHED_TOOL_RESULT",
      "00000002",
    ],
    [
      "a result of an older response's call is misassigned",
      () =>
        branch()
          .assistant({ calls: [c1] })
          .results()
          .assistant({ text: "a" })
          .result({ callId: "c1" }),
      "MISMATCHED_TOOL_RESULT",
      "00000004",
    ],
    [
      "a normal incomplete exchange before another model turn is an error at the response",
      () =>
        branch()
          .user("u")
          .assistant({ calls: [c1, c2] })
          .result("one")
          .assistant({ text: "a" }),
      "INCOMPLETE_TOOL_RESULTS",
      "00000002",
    ],
  ];
  for (const [rule, building, code, entryId] of rejections) {
    it(`rejects: ${rule}`, () => {
      const projection = projectionOf(building());
      expect(projection.error).to.be.instanceOf(HistoryProjectionError);
      expect(projection.error).to.include({ code, entryId });
      expect(() => projection.items).to.throw(HistoryProjectionError, entryId);
      expect(projection.item("00000001")).to.equal(undefined);
      expect(projection.lastModelTurn).to.equal(undefined);
    });

    it(`says where and what to do: ${rule}`, () => {
      expect(projectionOf(building()).error?.message).to.contain(entryId).and.contain("/tree");
    });
  }
});

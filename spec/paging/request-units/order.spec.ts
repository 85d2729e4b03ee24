import { expect } from "chai";
import { RequestUnits } from "../../../lib/paging/request-units.ts";
import { type BranchBuilder, branch } from "../../support/branch-builder.ts";
import { unitSource, unitSteps } from "../../support/unit-steps.ts";

const calls = [{ name: "read" }];
const exchange = (building: BranchBuilder, n: number) =>
  building.assistant({ text: `a${n}`, calls }).result(`r${n}`);

describe("RequestUnits: what leaves, and in which order", () => {
  it("prefix units leave first, then completed turns, then exchanges of the active turn", () => {
    const building = branch()
      .assistant({ text: "a0" })
      .bash("b0", "out")
      .user("u1")
      .assistant({ text: "a1" });
    exchange(exchange(building.user("u2"), 2), 3);
    expect(unitSteps(building.assistant({ text: "a4" }))).to.deep.equal([
      "prefix prefix turn exchange exchange exchange",
      "a0 b0 u1 a1 u2 a2 r2 a3 r3 a4",
      "b0 u1 a1 u2 a2 r2 a3 r3 a4",
      "u1 a1 u2 a2 r2 a3 r3 a4",
      "u2 a2 r2 a3 r3 a4",
      "u2 a3 r3 a4",
      "u2 a4",
      "u2",
    ]);
  });

  it("a completed turn reaches to the next turn start and leaves as one", () => {
    const building = exchange(exchange(branch().user("u1").custom("x"), 1), 2).user("steer");
    building.assistant({ text: "a3" }).bash("b", "out").user("u2");
    expect(unitSteps(building)).to.deep.equal(["turn", "u1 x a1 r1 a2 r2 steer a3 b u2", "u2"]);
  });

  it("the envelope and every steering message of the active turn never leave", () => {
    const building = exchange(branch().user("u1").custom("x"), 1).user("s1");
    exchange(building, 2).user("s2");
    expect(unitSteps(exchange(building, 3)).at(-1)).to.equal("u1 x s1 s2 a3 r3");
  });

  it("a custom-started turn keeps its custom messages while it is active", () => {
    const building = exchange(exchange(branch().custom("job").custom("more"), 1), 2);
    expect(unitSteps(building)).to.deep.equal(["exchange", "job more a1 r1 a2 r2", "job more a2 r2"]);
  });

  it("runs, summaries and custom messages in the active turn leave with the exchange before them", () => {
    const building = exchange(branch().user("u1"), 1).custom("x").bash("b", "out").branchSummary("s", "y");
    expect(unitSteps(exchange(building, 2))).to.deep.equal(["exchange", "u1 a1 r1 x b s a2 r2", "u1 a2 r2"]);
  });

  it("runs and summaries before the first exchange stay with the envelope", () => {
    const building = branch().user("u1").bash("b", "out").branchSummary("s", "y");
    expect(unitSteps(exchange(exchange(building, 1), 2)).at(-1)).to.equal("u1 b s a2 r2");
  });

  it("a compaction summary before the first turn is a prefix unit", () => {
    const building = branch().user("gone");
    building.user("u1").compaction("sum", building.leafId).assistant({ text: "a1" }).user("u2");
    expect(unitSteps(building)).to.deep.equal(["prefix turn", "sum u1 a1 u2", "u1 a1 u2", "u2"]);
  });

  it("only the turn that was cut while it was active leaves in two parts", () => {
    const building = branch().user("u1").assistant({ text: "a1" }).user("u2");
    const { leafId } = exchange(building, 2).assistant({ text: "a3" }).user("u3").assistant({ text: "a4" });
    building.user("u4");
    const call = { name: "read", id: "call-1" };
    const frontier = { historyId: "00000004", toolCallIds: [call.id], extent: "exchange" } as const;
    expect(leafId).to.equal("00000008");
    expect(unitSteps(building, { frontier })).to.deep.equal([
      "turn partial remainder turn",
      "u1 a1 u2 a2 r2 a3 u3 a4 u4",
      "u2 a2 r2 a3 u3 a4 u4",
      "u2 a3 u3 a4 u4",
      "u3 a4 u4",
      "u4",
    ]);
  });

  it("without any turn every exchange is a prefix unit, and steering stays: it says what the run is for", () => {
    const building = exchange(branch(), 1).user("steer");
    expect(unitSteps(exchange(exchange(building, 2), 3))).to.deep.equal([
      "prefix prefix",
      "a1 r1 steer a2 r2 a3 r3",
      "steer a2 r2 a3 r3",
      "steer a3 r3",
    ]);
  });

  it("a cut behind steering that stays excludes what stands before it, and no more", () => {
    const building = exchange(branch(), 1).user("steer");
    const frontier = { historyId: building.leafId, toolCallIds: [], extent: "unit" } as const;
    expect(RequestUnits.of(unitSource(exchange(exchange(building, 2), 3), { frontier })).boundary).to.equal(
      1,
    );
  });

  it("steering before the first turn leaves by itself where a later turn says what the run is for", () => {
    const building = exchange(branch(), 1).user("steer").assistant({ text: "a2" }).user("u3");
    expect(unitSteps(building)[0]).to.equal("prefix prefix prefix");
  });

  it("a run cut before the first turn is one unit once a turn begins, and its steering leaves directly after it", () => {
    const building = exchange(exchange(branch().bash("b", "out"), 1).user("steer"), 2);
    const frontier = { historyId: "00000005", toolCallIds: ["c2"], extent: "exchange" } as const;
    exchange(building, 3).assistant({ text: "a4" }).user("u5");
    expect(unitSteps(building, { frontier })).to.deep.equal([
      "partial remainder prefix prefix",
      "b a1 r1 steer a2 r2 a3 r3 a4 u5",
      "steer a3 r3 a4 u5",
      "a3 r3 a4 u5",
      "a4 u5",
      "u5",
    ]);
  });

  it("a run cut before the first turn stays in single units where nothing steered what left", () => {
    const building = exchange(exchange(branch().bash("b", "out"), 1), 2);
    const frontier = { historyId: "00000004", toolCallIds: ["c2"], extent: "exchange" } as const;
    building.user("steer").assistant({ text: "a3" }).user("u4");
    const kinds = unitSteps(building, { frontier })[0];
    expect(kinds).to.equal("prefix prefix prefix prefix prefix");
  });

  it("interrupted responses leave every request with their results, and cost nothing", () => {
    const building = branch()
      .user("u1")
      .assistant({ text: "a1 #900", calls, stopReason: "aborted" })
      .result("r1 #900");
    building.user("u2").assistant({ text: "a2", calls }).user("u3");
    const units = RequestUnits.of(unitSource(building));
    expect(unitSteps(building)).to.deep.equal(["turn turn", "u1 u2 u3", "u2 u3", "u3"]);
    expect(units.units.map(({ tokens }) => tokens)).to.deep.equal([100, 100]);
    expect(units.protectedTokens).to.equal(100);
  });

  it("counts each unit with all of its messages, and what is protected apart", () => {
    const building = exchange(branch().user("u1 #7").assistant({ text: "a1 #20" }).user("u2 #300"), 2).custom(
      "x #1000",
    );
    building.assistant({ text: "a3 #5000", calls }).result("r3 #20000");
    const units = RequestUnits.of(unitSource(building));
    expect(units.units.map(({ tokens }) => tokens)).to.deep.equal([27, 1200]);
    expect(units).to.include({ protectedTokens: 300, unreadTokens: 25_000, hasActiveTurn: true });
  });

  it("has no active turn where nothing started one", () =>
    expect(RequestUnits.of(unitSource(branch().assistant({ text: "a1" }))).hasActiveTurn).to.equal(false));
});

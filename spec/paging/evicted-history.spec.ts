import { expect } from "chai";
import type { ToolResultMessage } from "../../lib/messages.ts";
import { EvictedHistory } from "../../lib/paging/evicted-history.ts";
import type { Frontier } from "../../lib/paging/frontier.ts";
import { RequestUnits } from "../../lib/paging/request-units.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { type GroupingDraft, unitSource } from "../support/unit-steps.ts";

const c1 = { name: "read", id: "c1" };
const c2 = { name: "bash", id: "c2" };

function evicted(
  building: BranchBuilder,
  draft?: GroupingDraft,
): { keys: string[]; history: EvictedHistory } {
  const source = unitSource(building, draft);
  const units = RequestUnits.of(source);
  const history = new EvictedHistory(units, source);
  const keys = units.units.map((_, unit) => shown(history.keyOf(unit)));
  return { keys, history };
}

function shown(key: Frontier | undefined): string {
  if (!key) return "keyless";
  return [key.extent, key.historyId.slice(-1), ...key.toolCallIds].join(" ");
}

const keys = (building: BranchBuilder, draft?: GroupingDraft) => evicted(building, draft).keys;
const references = (building: BranchBuilder, draft?: GroupingDraft) => {
  const { history, keys: found } = evicted(building, draft);
  return history.referencesBefore(found.length);
};

describe("EvictedHistory: keys", () => {
  it("a completed turn has the user message that started it", () =>
    expect(
      keys(
        branch()
          .user("u1")
          .assistant({ calls: [c1] })
          .results()
          .assistant({ text: "a2" })
          .user("u2"),
      ),
    ).to.deep.equal(["unit 1"]));

  it("a custom-started turn has its first exchange: custom messages are no keys", () => {
    const building = branch()
      .custom("job")
      .assistant({ calls: [c1] })
      .results()
      .assistant({ text: "a2" });
    expect(keys(building.user("u1"))).to.deep.equal(["unit 2 c1"]);
  });

  it("a prefix exchange and an exchange of the active turn have their response with its call ids", () => {
    const building = branch()
      .assistant({ calls: [c1, c2] })
      .results()
      .bash("b", "out")
      .user("u1");
    building
      .assistant({ calls: [c2] })
      .results()
      .assistant({ text: "a3" });
    expect(keys(building)).to.deep.equal(["unit 1 c1 c2", "keyless", "exchange 6 c2", "exchange 8"]);
  });

  it("a prefix unit that is a summary, a run or a custom message has none", () => {
    const building = branch().bash("b", "out").branchSummary("s", "x").custom("x").user("u1");
    expect(keys(building)).to.deep.equal(["keyless", "keyless", "keyless"]);
  });

  it("a turn of interrupted responses and custom messages has none", () => {
    const building = branch().custom("job").assistant({ text: "a", stopReason: "error" }).user("u1");
    expect(keys(building)).to.deep.equal(["keyless"]);
  });

  it("an exchange that the host has not stored yet has none", () => {
    const building = branch()
      .user("u1")
      .assistant({ calls: [c1] })
      .results()
      .assistant({ text: "a2" });
    expect(keys(building, { unstored: 1, branchLag: "tail" })).to.deep.equal(["exchange 2 c1", "keyless"]);
  });

  it("nothing has one where the raw history is unavailable", () => {
    const building = branch().result({ callId: "c9" }).user("u1").assistant({ text: "a" }).user("u2");
    expect(keys(building, { change: (messages) => messages.slice(1) })).to.deep.equal(["keyless"]);
  });

  it("a turn that was cut while it was active keeps its anchor for both of its parts", () => {
    const frontier: Frontier = { historyId: "00000002", toolCallIds: ["c1"], extent: "exchange" };
    const building = branch()
      .user("u1")
      .assistant({ calls: [c1] })
      .results()
      .assistant({ calls: [c2] });
    building.results().user("u2").assistant({ text: "a" }).user("u3");
    expect(keys(building.assistant({ text: "b" }).user("u4"), { frontier })[0]).to.equal("exchange 2 c1");
  });

  it("a custom-only remainder has the anchor of its model exchange", () => {
    const frontier: Frontier = { historyId: "00000002", toolCallIds: ["c1"], extent: "exchange" };
    const building = branch()
      .custom("job")
      .assistant({ calls: [c1] })
      .results()
      .bash("b", "out")
      .user("u1");
    expect(keys(building, { frontier })).to.deep.equal(["exchange 2 c1", "unit 2 c1"]);
  });
});

describe("EvictedHistory: references", () => {
  const turn = (building: BranchBuilder, id: string) =>
    building
      .user("u")
      .assistant({ calls: [{ name: "read", id }] })
      .results();

  it("are none before anything has left", () =>
    expect(evicted(turn(branch(), "c1").user("u")).history.referencesBefore(0)).to.deep.equal({}));

  it("are the newest evicted item and the newest evicted result", () => {
    const building = turn(turn(branch(), "c1"), "c2").assistant({ text: "a" }).bash("b", "out").user("u");
    expect(references(building)).to.deep.equal({
      historyId: "00000008",
      result: { historyId: "00000005", toolCallId: "c2" },
    });
  });

  it("are those among the units that left, not of those that stay", () => {
    const building = turn(turn(branch(), "c1").assistant({ text: "a" }), "c2")
      .assistant({ text: "a" })
      .user("u");
    expect(evicted(building).history.referencesBefore(1)).to.deep.equal({
      historyId: "00000004",
      result: { historyId: "00000002", toolCallId: "c1" },
    });
  });

  it("name the last of several results", () => {
    const building = branch()
      .user("u")
      .assistant({ calls: [c1, c2] })
      .results()
      .assistant({ text: "a" })
      .user("u");
    expect(references(building).result).to.deep.equal({ historyId: "00000002", toolCallId: "c2" });
  });

  it("never name a turn of recovery tools, or a result of one", () => {
    const recovery = { name: "load_history", id: "c9" };
    const building = turn(branch(), "c1")
      .assistant({ calls: [recovery] })
      .results()
      .bash("b", "out", "withheld");
    expect(references(building.user("u"))).to.deep.equal({
      historyId: "00000002",
      result: { historyId: "00000002", toolCallId: "c1" },
    });
    const mixed = branch()
      .user("u")
      .assistant({ calls: [c1, recovery] })
      .results()
      .assistant({ text: "a" })
      .user("u");
    expect(references(mixed).result).to.deep.equal({ historyId: "00000002", toolCallId: "c1" });
  });

  it("never name a result that the page reader refuses: of a tool that itself called a recovery tool", () => {
    const nestedCalls = { calls: [{ name: "load_history" }] } as unknown as NonNullable<
      ToolResultMessage["nestedCalls"]
    >;
    const building = turn(branch(), "c1").assistant({ calls: [{ name: "script", id: "c9" }] });
    building.result({ nestedCalls }).bash("b", "out", "withheld");
    expect(references(building.user("u"))).to.deep.equal({
      historyId: "00000004",
      result: { historyId: "00000002", toolCallId: "c1" },
    });
  });

  it("name nothing that the raw history does not hold", () => {
    const building = branch().bash("secret", "s", "withheld").user("u");
    expect(references(building)).to.deep.equal({});
    const other = { role: "assistant" as const, timestamp: 7, content: [] };
    const inject = { change: (messages: object[]) => [{ ...messages[1], ...other }, ...messages] as never };
    expect(
      evicted(branch().user("u").assistant({ text: "a" }), inject).history.referencesBefore(1),
    ).to.deep.equal({});
  });
});

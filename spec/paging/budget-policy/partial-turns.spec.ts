import { expect } from "chai";
import { type BranchBuilder, branch } from "../../support/branch-builder.ts";
import { labelOf } from "../../support/labels.ts";
import { PagingSession } from "../../support/paging-session.ts";
import { exchanges, turns } from "../../support/talk.ts";

const session = () => new PagingSession({ budget: 1000, target: 500 });

/** A session that was cut inside the turn that `start` begins: six exchanges, of which the newest two stay. */
function cutInside(start: (building: BranchBuilder) => BranchBuilder) {
  const paging = session();
  const building = exchanges(start(branch()), 1, 6);
  const outcome = paging.request(building);
  return { paging, building, outcome };
}

describe("BudgetPolicy: turns that are cut while they are active", () => {
  it("lose their oldest exchanges and keep the request they work on", () => {
    const { paging, building, outcome } = cutInside((start) => start.user("u1"));
    expect(paging.sent(building)).to.equal("notice u1 a6 r6");
    expect(outcome.cut?.frontier).to.deep.equal({
      historyId: "0000000a",
      toolCallIds: ["c5"],
      extent: "exchange",
    });
  });

  it("are anchored by their last excluded exchange where a custom message started them", () => {
    const { paging, building, outcome } = cutInside((start) => start.custom("job").custom("more"));
    expect(paging.sent(building)).to.equal("notice job more a6 r6");
    expect(outcome.cut?.frontier).to.include({ historyId: "0000000b", extent: "exchange" });
  });

  it("keep the request and the surviving suffix in place once they are completed", () => {
    const { paging, building } = cutInside((start) => start.user("u1"));
    turns(building.assistant({ text: "done" }), 2, 2);
    expect(paging.sent(building)).to.equal("notice u1 a6 r6 done u2 a2");
  });

  it("lose the completed remainder as one at a later advance", () => {
    const { paging, building } = cutInside((start) => start.user("u1"));
    turns(building.assistant({ text: "done" }), 2, 4);
    const outcome = paging.request(building.user("u5"), { target: 900 });
    expect(paging.sent(building)).to.equal("notice u2 a2 u3 a3 u4 a4 u5");
    expect(outcome.cut?.frontier).to.deep.equal({
      historyId: "0000000a",
      toolCallIds: ["c5"],
      extent: "unit",
    });
  });

  it("never bring back an exchange that left, whether the turn is active, completed or gone", () => {
    const { paging, building } = cutInside((start) => start.user("u1"));
    for (let n = 2; n <= 12; n++) {
      const sent = paging.sent(turns(building, n, n)).split(" ");
      expect(sent).not.to.include.members(["a1"]);
      expect(sent.filter((label) => ["r1", "r2", "r3", "r4", "r5"].includes(label))).to.deep.equal([]);
    }
  });

  it("lose a custom-only remainder by the anchor of its model exchange: it is not keyless", () => {
    const paging = session();
    const building = exchanges(branch().custom("job"), 1, 5);
    paging.request(building.assistant({ text: "done" }), { budget: 400, target: 150 });
    expect(paging.frontiers.prepare()?.frontier).to.include({ historyId: "0000000c", extent: "exchange" });
    turns(building.user("u1"), 2, 3);
    const outcome = paging.request(building.user("u4"), { budget: 690, target: 650 });
    expect(paging.sent(building)).to.equal("notice u1 u2 a2 u3 a3 u4");
    expect(outcome.report.fallbackCause).to.equal(undefined);
    expect(outcome.cut?.frontier).to.deep.equal({ historyId: "0000000c", toolCallIds: [], extent: "unit" });
  });

  it("are cut again further on while they stay active", () => {
    const { paging, building } = cutInside((start) => start.user("u1"));
    const { cut } = paging.request(exchanges(building, 7, 12));
    expect(paging.sent(building)).to.equal("notice u1 a12 r12");
    expect(cut?.frontier.toolCallIds).to.deep.equal(["c11"]);
  });

  it("keep every steering message in place while they are active", () => {
    const paging = session();
    const building = exchanges(branch().user("u1"), 1, 2).user("s1");
    exchanges(building, 3, 4).user("s2");
    expect(paging.sent(exchanges(building, 5, 6))).to.equal("notice u1 s1 s2 a6 r6");
    expect(paging.sent(exchanges(building, 7, 7))).to.equal("notice u1 s1 s2 a6 r6 a7 r7");
  });

  describe("whose start a compaction took away", () => {
    /** Six exchanges, steered behind the first two and at the end; the newest one and the steering stay. */
    function steered() {
      const paging = session();
      const building = exchanges(branch(), 1, 2).user("s1");
      exchanges(building, 3, 6).user("s2");
      expect(paging.sent(building)).to.equal("notice s1 a6 r6 s2");
      return { paging, building };
    }

    it("keep the steering at every cut while they are going", () => {
      const { paging, building } = steered();
      expect(paging.sent(exchanges(building, 7, 12))).to.equal("notice s1 s2 a12 r12");
    });

    it("keep the steering and the surviving suffix in place once another turn begins", () => {
      const { paging, building } = steered();
      building.assistant({ text: "done" }).user("u2");
      expect(paging.sent(building)).to.equal("notice s1 a6 r6 s2 done u2");
    });

    it("lose the steering at the next advance, before what follows the cut, and nothing comes back", () => {
      const { paging, building } = steered();
      turns(building.assistant({ text: "done" }), 2, 3);
      const whole = paging.request(building.user("u4"), { budget: 2000 }).report.tokensAfter;
      const outcome = paging.request(building, { budget: whole - 1, target: whole - 1 });
      expect(outcome.messages?.map(labelOf).join(" ")).to.equal("notice a6 r6 s2 done u2 a2 u3 a3 u4");
      expect(outcome.cut?.frontier).to.deep.equal({
        historyId: "0000000a",
        toolCallIds: ["c5"],
        extent: "unit",
      });
      building.assistant({ text: "a4" }).user("u5");
      expect(paging.sent(building, { budget: 2000 })).to.equal("notice a6 r6 s2 done u2 a2 u3 a3 u4 a4 u5");
    });
  });

  it("hold the budget over one long turn, and keep its task", () => {
    const paging = new PagingSession({ budget: 30_000, target: 18_750 });
    const building = branch().user("task");
    for (let n = 1; n <= 100; n++) {
      const outcome = paging.request(exchanges(building, n, n, "#1900"));
      expect(outcome.report.tokensAfter).to.be.at.most(30_000);
      expect(outcome.messages?.map(labelOf).slice(0, 2) ?? []).to.deep.equal(
        n < 15 ? [] : ["notice", "task"],
      );
    }
  });
}).timeout(20_000);

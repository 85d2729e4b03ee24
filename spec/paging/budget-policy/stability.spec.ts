import { expect } from "chai";
import type { AgentMessage } from "../../../lib/messages.ts";
import { branch } from "../../support/branch-builder.ts";
import { PagingSession, piMessages } from "../../support/paging-session.ts";
import { exchanges, turns } from "../../support/talk.ts";

const session = () => new PagingSession({ budget: 1000, target: 500 });

describe("BudgetPolicy: a stable prefix", () => {
  it("makes each request an extension of the one before, between advances, over turns and tool runs", () => {
    const paging = session();
    const building = branch();
    let previous: AgentMessage[] = [];
    let advances = 0;
    const step = () => {
      const { messages, report } = paging.request(building);
      const sent = messages ?? piMessages(building.path);
      if (report.movement === "advance") advances++;
      else expect(sent.slice(0, previous.length)).to.deep.equal(previous);
      previous = sent;
    };
    for (let n = 1; n <= 12; n++) {
      building.user(`u${n}`);
      step();
      for (let call = 1; call <= n % 4; call++) {
        exchanges(building, n * 10 + call, n * 10 + call);
        if (call === 2) building.user("steer").custom("x");
        step();
      }
      building.assistant({ text: `a${n}` }).bash("b", "out");
    }
    expect(advances).to.be.within(4, 12);
  });

  it("moves the cut rarely: each advance frees the room between budget and target", () => {
    const paging = new PagingSession({ budget: 16_000, target: 10_000 });
    const building = branch();
    let advances = 0;
    for (let n = 1; n <= 150; n++) {
      if (paging.request(turns(building, n, n).user("next")).report.movement === "advance") advances++;
      building.assistant({ text: "done" });
    }
    // 400 tokens a step: the first advance after 16 000 / 400 = 40 steps, then one every 6 000 / 400 = 15.
    expect(advances).to.be.within(7, 9);
  });

  it("only moves the cut forward", () => {
    const paging = session();
    const building = branch();
    let last = 0;
    for (let n = 1; n <= 30; n++) {
      const { cut } = paging.request(turns(building, n, n));
      const at = Number.parseInt(cut?.frontier.historyId ?? "0", 16);
      expect(at).to.be.at.least(last);
      last = at;
    }
    expect(last).to.be.greaterThan(40);
  });

  it("adds nothing behind the kept messages: the notice comes before everything", () => {
    const building = turns(branch(), 1, 6);
    const { messages } = session().request(building);
    expect(messages?.slice(1)).to.deep.equal(piMessages(building.path).slice(8));
  });

  it("sends the very objects that came in, unchanged and in their order", () => {
    const paging = session();
    const building = exchanges(turns(branch(), 1, 6).user("u7"), 7, 9);
    const incoming = piMessages(building.path);
    const before = structuredClone(incoming);
    const { messages } = paging.requestOf(incoming, building);
    expect(messages).to.have.length.greaterThan(2);
    for (const message of messages?.slice(1) ?? []) expect(incoming).to.include(message);
    expect(incoming).to.deep.equal(before);
  });

  it("says unchanged where nothing is removed, replaced, moved or added", () => {
    const building = exchanges(branch().custom("x").bash("b", "out").user("u1"), 1, 1);
    expect(session().request(building).messages).to.equal(undefined);
  });

  it("sends a list where only an interrupted response is left out, without a notice", () => {
    const building = branch().user("u1").assistant({ text: "a1", stopReason: "aborted" }).user("u2");
    expect(session().request(building).report).to.include({ mode: "whole", noticeTokens: 0 });
    expect(session().sent(building)).to.equal("u1 u2");
  });

  it("sends a list where only the newest response is left out, because it was interrupted", () => {
    const building = branch().user("u1").assistant({ text: "a1", stopReason: "aborted" });
    expect(session().sent(building)).to.equal("u1");
    expect(
      session().sent(exchanges(branch().user("u1"), 1, 1).assistant({ text: "", calls: [{ name: "read" }] })),
    ).to.equal("u1 a1 r1");
  });

  it("sends a list where only a custom message moved behind the results, the same object", () => {
    const calls = [{ name: "read" }, { name: "read" }];
    const building = branch()
      .user("u1")
      .assistant({ text: "a1", calls })
      .result("r1")
      .custom("x")
      .result("r2");
    const incoming = piMessages(building.path);
    const { messages, report } = session().requestOf(incoming, building);
    expect(messages).to.deep.equal([0, 1, 2, 4, 3].map((position) => incoming[position]));
    expect(messages?.[4]).to.equal(incoming[3]);
    expect(report.tokensAfter).to.equal(500);
  });

  it("keeps its prefix when a turn that was cut while it was active is completed", () => {
    const paging = session();
    const building = exchanges(turns(branch(), 1, 2).user("u3"), 1, 6);
    const cut = paging.request(building).messages ?? [];
    const next = paging.request(building.assistant({ text: "a3 #10" })).messages ?? [];
    const after = paging.request(building.user("u4 #10")).messages ?? [];
    expect(next.slice(0, cut.length)).to.deep.equal(cut);
    expect(after.slice(0, next.length)).to.deep.equal(next);
    expect(after).to.have.lengthOf(next.length + 1);
  });
}).timeout(20_000);

import { expect } from "chai";
import { branch } from "../../support/branch-builder.ts";
import { NOTICE_TOKENS, PagingSession, sentBy } from "../../support/paging-session.ts";
import { exchanges, turns } from "../../support/talk.ts";

const session = () => new PagingSession({ budget: 1000, target: 500 });

describe("BudgetPolicy: when the cut advances", () => {
  it("does not while the whole request is within the budget, and leaves it unchanged", () => {
    const outcome = session().request(turns(branch(), 1, 4));
    expect(outcome.messages).to.equal(undefined);
    expect(outcome.cut).to.equal(undefined);
    expect(outcome.report).to.include({ mode: "whole", movement: "none", unitsRemoved: 0, noticeTokens: 0 });
    expect(outcome.report).to.include({ tokensBefore: 800, tokensAfter: 800 });
  });

  it("does not at exactly the budget", () =>
    expect(session().request(turns(branch(), 1, 5)).messages).to.equal(undefined));

  it("does one token above the budget", () => {
    const outcome = session().request(turns(branch(), 1, 4).user("u5").assistant({ text: "a5 #101" }));
    expect(outcome.report).to.include({ mode: "paged", movement: "advance", tokensBefore: 1001 });
  });

  it("counts resident input", () => {
    expect(session().request(turns(branch(), 1, 4), { resident: 200 }).messages).to.equal(undefined);
    expect(session().request(turns(branch(), 1, 4), { resident: 201 }).report.movement).to.equal("advance");
  });

  it("compares what stays, with its frozen notice, after a cut: between target and budget and at the budget nothing moves", () => {
    const paging = session();
    const building = turns(branch(), 1, 6);
    const { cut } = paging.request(building);
    expect(paging.request(building.user("u7")).report.tokensAfter).to.equal(NOTICE_TOKENS + 500);
    building.assistant({ text: "a7" }).user("u8").assistant({ text: "a8 #280" });
    const atBudget = paging.request(building);
    expect(atBudget.report).to.include({ tokensAfter: 1000, movement: "none" });
    expect(atBudget.cut).to.equal(cut);
    expect(paging.request(building.user("u9 #1")).report.movement).to.equal("advance");
  });

  it("cuts no further than the target asks, notice included", () => {
    expect(session().sent(turns(branch(), 1, 6))).to.equal("notice u5 a5 u6 a6");
    const exact = turns(branch(), 1, 4)
      .user("u5")
      .assistant({ text: "a5" })
      .user("u6")
      .assistant({ text: "a6 #180" });
    expect(
      session().request(exact.user("u7 #521"), { budget: 1100, target: 1021 }).report.tokensAfter,
    ).to.equal(1021);
  });

  it("cuts to the budget with a target that is as high", () => {
    const outcome = session().request(turns(branch(), 1, 6), { target: 1000 });
    expect(outcome.report).to.include({ tokensAfter: 820, movement: "advance" });
  });

  it("never brings excluded history back, however much lower the estimate becomes", () => {
    const paging = session();
    const building = turns(branch(), 1, 6);
    paging.request(building);
    expect(paging.sent(building, { budget: 100_000, target: 60_000 })).to.equal("notice u5 a5 u6 a6");
    expect(paging.sent(building.user("u7"), { budget: 100_000 })).to.equal("notice u5 a5 u6 a6 u7");
  });

  it("never brings it back either where another extension took away all that came after the cut", () => {
    const paging = session();
    const building = turns(branch(), 1, 6);
    paging.request(building);
    expect(paging.sent(building, { change: (messages) => messages.slice(0, 8) })).to.equal("notice u4");
    const first = session();
    const long = turns(branch().user("u1").assistant({ text: "a1 #500" }), 2, 4);
    first.request(long, { target: 900 });
    expect(first.sent(long, { change: (messages) => messages.slice(0, 2) })).to.equal("notice u1");
  });

  it("pages the first request of a session that is already too large", () => {
    const outcome = session().request(turns(branch(), 1, 40));
    expect(outcome.report.tokensAfter).to.be.at.most(500);
  });
});

describe("BudgetPolicy: what a cut takes", () => {
  it("the oldest first: prefix units, completed turns, then exchanges of the active turn", () => {
    const building = turns(branch().assistant({ text: "a0" }), 1, 2).user("u3");
    exchanges(building, 3, 6);
    const at = (target: number) => session().sent(building, { budget: 1000, target });
    expect(at(1000)).to.equal("notice u3 a3 r3 a4 r4 a5 r5 a6 r6");
    expect(at(720)).to.equal("notice u3 a4 r4 a5 r5 a6 r6");
    expect(at(320)).to.equal("notice u3 a6 r6");
  });

  it("leaves a protected request and its unread results whatever the target, and says what it left", () => {
    const building = exchanges(turns(branch(), 1, 2).user("u3 #400"), 3, 3, "#300");
    const outcome = session().request(building);
    expect(sentBy(outcome, building)).to.equal("notice u3 a3 r3");
    expect(outcome.report).to.include({
      tokensAfter: 820,
      protectedTokens: 800,
      mode: "paged",
      unitsRemoved: 2,
    });
  });

  it("takes every completed turn at once when what is protected exceeds the target", () => {
    const building = turns(branch(), 1, 3).user("u4 #600");
    expect(session().sent(building)).to.equal("notice u4");
  });

  it("takes every completed turn at once before a keyless boundary is adjusted", () => {
    const building = turns(branch(), 1, 3).custom("job").assistant({ text: "x", stopReason: "error" });
    const outcome = session().request(building.user("u4 #700"));
    expect(sentBy(outcome, building)).to.equal("notice job u4");
    expect(outcome.report).to.include({ mode: "paged", unitsRemoved: 3 });
    expect(outcome.cut?.frontier.historyId).to.equal("00000005");
  });

  it("reports budget, target, resident and protected tokens and the strategies", () => {
    const { report } = session().request(turns(branch(), 1, 6), { resident: 50, now: 5 });
    expect(report).to.deep.include({
      time: 5,
      budgetTokens: 1000,
      targetTokens: 500,
      residentTokens: 50,
      noticeTokens: NOTICE_TOKENS,
      tokensBefore: 1250,
      frontier: { historyId: "00000007", toolCallIds: [], extent: "unit" },
      fallbackCause: undefined,
      strategies: { eviction: "fifo", snap: "keyed-boundary", fallback: "stateless-fifo" },
    });
  });
});

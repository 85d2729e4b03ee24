import { expect } from "chai";
import type { AgentMessage } from "../../../lib/messages.ts";
import { branch } from "../../support/branch-builder.ts";
import { labelOf } from "../../support/labels.ts";
import { PagingSession, sentBy } from "../../support/paging-session.ts";
import { exchanges, turns } from "../../support/talk.ts";

const session = () => new PagingSession({ budget: 1000, target: 800 });

/** A raw branch that breaks the pairing rules; what goes out of it does not. */
const damaged = () => branch().result({ callId: "c9", text: "orphan" });
const change = (messages: AgentMessage[]) => messages.filter((message) => labelOf(message) !== "orphan");

describe("BudgetPolicy: after the provider refused a request as too large", () => {
  it("advances once although the estimate is within the budget", () => {
    const paging = session();
    const building = turns(branch(), 1, 5);
    const outcome = paging.request(building, { refusedTokens: 1000 });
    expect(outcome.report).to.include({ movement: "advance", mode: "paged", tokensAfter: 620 });
    expect(paging.request(building).report).to.include({ movement: "none", tokensAfter: 620 });
  });

  it("goes down to 5/8 of the refused estimate, or to the target where that is lower", () => {
    const at = (refusedTokens: number, target: number) =>
      session().request(turns(branch(), 1, 5), { refusedTokens, target }).report.tokensAfter;
    expect(at(1000, 800)).to.equal(620);
    expect(at(992, 800)).to.equal(620);
    expect(at(991, 800)).to.equal(420);
    expect(at(1000, 500)).to.equal(420);
  });

  it("sends unread results whole where they fit the smaller request", () => {
    const building = exchanges(turns(branch(), 1, 3).user("u4"), 4, 4);
    expect(session().sent(building, { refusedTokens: 800 })).to.equal("notice u4 a4 r4");
    // 5/8 of 512 are exactly the 320 tokens of what stays.
    expect(session().sent(building, { refusedTokens: 512 })).to.equal("notice u4 a4 r4");
    expect(session().sent(building, { refusedTokens: 511 })).to.equal("recovery-notice u4 a4 reference");
  });

  it("sends unread results as references where they do not, although they are within the budget", () => {
    const building = exchanges(turns(branch(), 1, 2).user("u3"), 3, 3, "#400");
    const outcome = session().request(building, { refusedTokens: 950 });
    expect(sentBy(outcome, building)).to.equal("recovery-notice u3 a3 reference");
    expect(outcome.report).to.include({ mode: "recovery", movement: "advance" });
  });

  it("never sends them whole in protected-overflow mode", () => {
    const building = exchanges(branch().user("u1"), 1, 1, "#1500");
    expect(session().request(building).report.mode).to.equal("protectedOverflow");
    expect(session().request(building, { refusedTokens: 1700 }).report.mode).to.equal("recovery");
  });

  it("leaves a request in which nothing can leave as it is", () => {
    const outcome = session().request(branch().user("u1 #900"), { refusedTokens: 900 });
    expect(outcome.messages).to.equal(undefined);
    expect(outcome.cut).to.equal(undefined);
    expect(outcome.report).to.include({ mode: "whole", fallbackCause: undefined });
  });

  it("keeps the cut where nothing more can leave", () => {
    const paging = session();
    const building = turns(branch(), 1, 4).user("u5 #700");
    const { cut } = paging.request(building);
    expect(paging.request(building, { refusedTokens: 720 }).cut).to.equal(cut);
  });

  it("goes down as far without usable provenance, not only to the budget", () => {
    const paging = session();
    const building = turns(damaged(), 1, 6);
    const { report } = paging.request(building, { change });
    expect(report).to.include({ fallbackCause: "raw-history-unavailable", tokensAfter: 820 });
    const smaller = paging.request(building, { change, refusedTokens: report.tokensAfter });
    expect(smaller.report).to.include({ fallbackCause: "raw-history-unavailable", tokensAfter: 420 });
    expect(paging.request(building, { change }).report.tokensAfter).to.equal(820);
  });

  it("sends references there too, where unread results do not fit the smaller request", () => {
    const building = exchanges(turns(damaged(), 1, 2).user("u3"), 3, 3, "#400");
    const outcome = session().request(building, { change, refusedTokens: 900 });
    expect(sentBy(outcome, building, { change })).to.equal("recovery-notice u3 a3 reference");
    expect(outcome.cut).to.equal(undefined);
  });

  it("goes down as far although a snap to a key would not", () => {
    const paging = session();
    const building = turns(branch(), 1, 1)
      .custom("job #400")
      .assistant({ text: "failed", stopReason: "error" });
    const { report } = paging.request(turns(building, 2, 2).user("u3"), { refusedTokens: 900 });
    expect(report).to.include({ fallbackCause: "keyless-snap-over-budget", tokensAfter: 320 });
  });

  it("needs no fallback where nothing has to leave", () => {
    const outcome = session().request(damaged().user("u1"), { change, refusedTokens: 900 });
    expect(outcome.report).to.include({ mode: "whole", fallbackCause: undefined });
  });
});

import { expect } from "chai";
import { ContextSelectionError } from "../../../lib/errors.ts";
import type { AgentMessage } from "../../../lib/messages.ts";
import { branch } from "../../support/branch-builder.ts";
import { caught } from "../../support/caught.ts";
import { textOf } from "../../support/labels.ts";
import { PagingSession, piMessages, sentBy } from "../../support/paging-session.ts";
import { exchanges, turns } from "../../support/talk.ts";

const session = () => new PagingSession({ budget: 1000, target: 500 });

/** Two turns, then a request whose unread results alone exceed the budget: 100 + 100 + 1500. */
const scene = () => exchanges(turns(branch(), 1, 2).user("u3"), 3, 3, "#1500");
const WHOLE = 1720;

describe("BudgetPolicy: protected overflow", () => {
  it("sends the unread exchange whole behind its own notice, everything else gone", () => {
    const outcome = session().request(scene());
    expect(sentBy(outcome, scene())).to.equal("overflow-notice u3 a3 r3");
    expect(outcome.report).to.include({ mode: "protectedOverflow", tokensAfter: WHOLE, unitsRemoved: 2 });
  });

  it("needs the whole to fit the input window, where that is known", () => {
    expect(session().request(scene(), { inputWindow: WHOLE }).report.mode).to.equal("protectedOverflow");
    expect(session().request(scene(), { inputWindow: WHOLE - 1 }).report.mode).to.equal("recovery");
  });

  it("begins one token above the budget", () => {
    const at = (price: number) =>
      session().request(exchanges(turns(branch(), 1, 2).user("u3"), 3, 3, `#${price}`));
    expect(at(780).report).to.include({ mode: "paged", tokensAfter: 1000 });
    expect(at(781).report.mode).to.equal("protectedOverflow");
  });

  it("needs the rest of the request to fit the budget, notice included", () => {
    const at = (price: number) => session().request(exchanges(branch().user(`u1 #${price}`), 1, 1, "#1500"));
    expect(at(980).report).to.include({ mode: "protectedOverflow", tokensAfter: 2600 });
    expect(caught(() => at(981), ContextSelectionError).code).to.equal("ACTIVE_REQUEST_TOO_LARGE");
  });

  it("begins with the first exchange of a session as well, with nothing to evict", () => {
    const building = exchanges(branch().user("u1"), 1, 1, "#1500");
    expect(session().sent(building)).to.equal("overflow-notice u1 a1 r1");
  });

  it("keeps steering and the custom messages that belong to the exchange", () => {
    const building = scene().custom("x #2000").user("steer");
    expect(session().sent(building)).to.equal("overflow-notice u3 a3 r3 x steer");
  });

  it("never sends an interrupted exchange", () => {
    const building = scene()
      .assistant({ text: "a4", calls: [{ name: "read" }], stopReason: "aborted" })
      .results();
    expect(session().sent(building)).to.equal("overflow-notice u3 a3 r3");
  });
});

describe("BudgetPolicy: recovery", () => {
  const recovered = (building = scene()) => {
    const incoming = piMessages(building.path);
    const outcome = session().requestOf(incoming, building, { inputWindow: 1200 });
    return { incoming, outcome, sent: outcome.messages ?? [] };
  };
  const calls = [
    { name: "read", id: "c1" },
    { name: "bash", id: "c2" },
  ];

  it("sends references instead of the results, behind a recovery notice", () => {
    const { outcome } = recovered();
    expect(sentBy(outcome, scene())).to.equal("recovery-notice u3 a3 reference");
    expect(outcome.report).to.include({ mode: "recovery", tokensAfter: 250 });
  });

  it("keeps ids, tool names, error flags and times of the results, and gives each the exact call that reads it", () => {
    const building = branch().user("u1").assistant({ text: "a1", calls });
    building.result({ text: "r1 #900" }).result({ text: "r2 #900", isError: true });
    const { incoming, sent } = recovered(building);
    for (const [index, toolCallId] of ["c1", "c2"].entries()) {
      const stored = incoming[index + 2];
      const message = sent[index + 3];
      if (stored?.role !== "toolResult" || message?.role !== "toolResult") throw new Error("no result");
      const { content, ...rest } = message;
      expect(rest).to.deep.equal(fieldsOf(stored));
      expect(content.map(({ type }) => type)).to.deep.equal(["text"]);
      expect(callIn(message)).to.deep.equal({ historyId: "00000002", source: "toolResult", toolCallId });
    }
  });

  it("changes no incoming message, and sends all others as they came", () => {
    const building = scene();
    const before = piMessages(building.path);
    const { incoming, sent } = recovered(building);
    expect(incoming).to.deep.equal(before);
    expect(sent[1]).to.equal(incoming[4]);
    expect(sent[2]).to.equal(incoming[5]);
  });

  it("says how to find a result that the host has not stored yet", () => {
    const building = exchanges(branch().user("u1"), 1, 1, "#1500");
    const outcome = session().request(building, { unstored: 2, branchLag: "tail", inputWindow: 1200 });
    const text = outcome.messages?.[3] ? textOf(outcome.messages[3]) : "";
    expect(text).to.contain("browse_history").and.contain('"c1"');
  });

  it("a result of a recovery tool is not paged again: it says to ask for less", () => {
    const building = branch()
      .user("u1")
      .assistant({ text: "a1", calls: [{ name: "load_history", id: "c1" }] })
      .result({ text: "r1 #1500" });
    const [result] = recovered(building).sent.filter(({ role }) => role === "toolResult");
    const text = result ? textOf(result) : "";
    expect(text).to.contain("Call load_history again for less").and.not.contain("read_context_output");
  });

  it("sends references that are exactly as large as the input window", () => {
    const at = (inputWindow: number) =>
      session().request(exchanges(branch().user("u1"), 1, 1, "#1500"), { inputWindow });
    expect(at(250).report).to.include({ mode: "recovery", tokensAfter: 250 });
    expect(() => at(249)).to.throw(ContextSelectionError, "250 tokens");
  });

  it("fails where even the references do not fit the input window", () => {
    const building = exchanges(branch().user("u1"), 1, 1, "#1500");
    building.assistant({ text: "a2 #1100", calls: calls.slice(0, 1) }).result("r2 #900");
    const error = caught(() => session().request(building, { inputWindow: 1200 }), ContextSelectionError);
    expect(error.code).to.equal("ACTIVE_REQUEST_TOO_LARGE");
    expect(error.estimates).to.deep.include({ requestTokens: 100 + 20 + 1100 + 30, budgetTokens: 1000 });
  });
});

describe("BudgetPolicy: what remains of protected overflow and recovery", () => {
  for (const [mode, inputWindow] of [
    ["protectedOverflow", 5000],
    ["recovery", 1200],
  ] as const) {
    it(`${mode} commits the frontier of what it evicted, and that stays evicted`, () => {
      const paging = session();
      const building = scene();
      const outcome = paging.request(building, { inputWindow });
      expect(outcome.report).to.include({ mode, movement: "advance" });
      expect(outcome.cut?.frontier).to.deep.equal({ historyId: "00000003", toolCallIds: [], extent: "unit" });
      expect(paging.sent(building, { budget: 9000 })).to.equal("notice u3 a3 r3");
    });

    it(`${mode} lets the frozen notice wait, and it returns unchanged`, () => {
      const paging = session();
      const building = turns(branch(), 1, 6);
      const cut = paging.request(building).cut;
      const { frontier } = cut ?? {};
      exchanges(building.user("u7"), 7, 7, "#1500");
      const waiting = paging.request(building, { inputWindow, now: Date.UTC(2027, 0, 1) });
      expect(waiting.report.mode).to.equal(mode);
      const again = paging.request(building, { inputWindow, now: Date.UTC(2027, 0, 2) });
      expect(again.cut).to.equal(waiting.cut);
      expect(again.report.movement).to.equal("none");
      expect(waiting.cut?.frontier).not.to.deep.equal(frontier);
      const resumed = paging.request(building, { budget: 9000, now: Date.UTC(2027, 0, 3) });
      expect(resumed.report.mode).to.equal("paged");
      expect(resumed.messages?.[0]).to.equal(waiting.cut?.notice);
    });

    it(`${mode} keeps a cut that nothing was added to, with its notice`, () => {
      const paging = session();
      const building = turns(branch(), 1, 5).user("u6");
      const { cut } = paging.request(building, { target: 150 });
      expect(paging.request(exchanges(building, 6, 6, "#1500"), { inputWindow }).cut).to.equal(cut);
      expect(paging.request(building, { budget: 9000 }).messages?.[0]).to.equal(cut?.notice);
    });

    it(`${mode} commits the newest key where the last evicted unit has none`, () => {
      const paging = session();
      const building = turns(branch(), 1, 2)
        .custom("job")
        .assistant({ text: "x", stopReason: "error" })
        .user("u3");
      const { cut, report } = paging.request(exchanges(building, 3, 3, "#1500"), { inputWindow });
      expect(report).to.include({ mode, unitsRemoved: 3 });
      expect(cut?.frontier.historyId).to.equal("00000003");
    });
  }

  it("the exchange itself becomes evictable once the model has read it", () => {
    const paging = session();
    const building = scene();
    paging.request(building);
    expect(paging.sent(building.assistant({ text: "a4" }))).to.equal("notice u3 a4");
  });
});

function fieldsOf({ role, toolCallId, toolName, isError, timestamp }: ToolResult): object {
  return { role, toolCallId, toolName, isError, timestamp };
}

type ToolResult = Extract<AgentMessage, { role: "toolResult" }>;

/** The arguments of the one read_context_output call in the text. */
function callIn(message: AgentMessage): unknown {
  const found = /read_context_output\((\{.*?\})\)/.exec(textOf(message));
  return JSON.parse(found?.[1] ?? "null");
}

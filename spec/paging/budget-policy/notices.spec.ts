import { expect } from "chai";
import type { AgentMessage } from "../../../lib/messages.ts";
import { branch } from "../../support/branch-builder.ts";
import { textOf } from "../../support/labels.ts";
import { PagingSession, type RequestDraft } from "../../support/paging-session.ts";
import { exchanges, turns } from "../../support/talk.ts";

const session = () => new PagingSession({ budget: 1000, target: 500 });
const START = Date.UTC(2026, 5, 1);
const HOUR = 3_600_000;

function noticeOf(
  paging: PagingSession,
  building = turns(branch(), 1, 6),
  draft: RequestDraft = {},
): AgentMessage {
  const [notice] = paging.request(building, draft).messages ?? [];
  if (!notice) throw new Error("nothing was evicted");
  return notice;
}

describe("BudgetPolicy: the notice", () => {
  it("stands in front of everything, injected messages included", () => {
    const inject = (messages: AgentMessage[]): AgentMessage[] => [
      { role: "user", content: "inj", timestamp: 7 },
      ...messages,
    ];
    expect(session().sent(turns(branch(), 1, 6), { change: inject })).to.match(/^notice inj u/);
  });

  it("reports the effective budget, not the configured one", () =>
    expect(textOf(noticeOf(session(), turns(branch(), 1, 6), { inputWindow: 900 }))).to.contain("900-token"));

  it("names the newest evicted item and an evicted result", () => {
    const building = turns(exchanges(branch().user("u0"), 1, 2).assistant({ text: "done" }), 1, 3);
    const text = textOf(noticeOf(session(), building.user("u4")));
    expect(text).to.contain('historyId "0000000a"');
    expect(text).to.contain(
      'read_context_output({"historyId":"00000004","source":"toolResult","toolCallId":"c2"})',
    );
  });

  it("has the time of the request, or of its newest message where that is later", () => {
    expect(noticeOf(session(), undefined, { now: START }).timestamp).to.equal(START);
    const building = turns(branch(), 1, 6);
    const newest = building.messages.at(-1)?.timestamp;
    expect(noticeOf(session(), building, { now: 1000 }).timestamp).to.equal(newest);
  });

  it("is not misled by a message without a timestamp", () => {
    const strip = (messages: AgentMessage[]) =>
      messages.map((message) => ({ ...message, timestamp: Number.NaN }));
    const { messages } = session().request(turns(branch(), 1, 6), { change: strip, now: START });
    for (const message of messages?.slice(0, 1) ?? []) expect(message.timestamp).to.equal(START);
  });

  it("is frozen, content and time, until the next advance", () => {
    const paging = session();
    const building = turns(branch(), 1, 6);
    const first = noticeOf(paging, building, { now: START });
    const copy = structuredClone(first);
    for (const n of [7, 8]) {
      const next = noticeOf(paging, turns(building, n, n), { now: START + n * HOUR, budget: 1000 - n });
      expect(next).to.equal(first);
      expect(next).to.deep.equal(copy);
    }
    const advanced = noticeOf(paging, turns(building, 9, 10), { now: START + 20 * HOUR });
    expect(advanced.timestamp).to.equal(START + 20 * HOUR);
    expect(textOf(advanced)).not.to.equal(textOf(first));
    expect(first).to.deep.equal(copy);
  });

  it("is made anew after a reset", () => {
    const paging = session();
    noticeOf(paging, undefined, { now: START });
    paging.frontiers.reset();
    expect(noticeOf(paging, undefined, { now: START + HOUR }).timestamp).to.equal(START + HOUR);
  });

  it("is not sent while nothing has left", () => {
    const building = branch().user("u1").assistant({ text: "a1", stopReason: "error" }).user("u2");
    expect(session().sent(building)).not.to.contain("notice");
  });

  it("is never part of the raw history or of the projected session", () => {
    const paging = session();
    noticeOf(paging);
    expect(JSON.stringify(paging.projection.items)).not.to.contain("context-paging");
    expect(JSON.stringify(paging.projection.session.messages)).not.to.contain("context-paging");
  });
});

import { expect } from "chai";
import type { AssistantMessage } from "../../lib/messages.ts";
import { type EndingRun, RefusedRequest } from "../../lib/paging/refused-request.ts";

const run = (stopReason: AssistantMessage["stopReason"], changes: Partial<EndingRun> = {}): EndingRun => ({
  message: { role: "assistant", content: [], stopReason, timestamp: 1 } as unknown as AssistantMessage,
  isHidden: true,
  isOverflow: stopReason === "error",
  canContinue: true,
  ...changes,
});

describe("RefusedRequest", () => {
  it("remembers the refused estimate until the next request is selected", () => {
    const refused = new RefusedRequest();
    expect(refused.tokens).to.equal(undefined);
    refused.refuse(900);
    expect(refused.tokens).to.equal(900);
    refused.settle();
    expect(refused.tokens).to.equal(undefined);
  });

  it("lets a run go on by itself once, and a new prompt again", () => {
    const refused = new RefusedRequest();
    expect(refused.end(run("error"), 900)).to.equal("continue");
    expect(refused.tokens).to.equal(900);
    refused.settle();
    expect(refused.end(run("error"), 700)).to.equal("unanswered");
    expect(refused.tokens, "the next prompt's request is smaller still").to.equal(700);
    refused.beginRun();
    expect(refused.end(run("error"), 500)).to.equal("continue");
  });

  it("lets a run go on only where Pi hid the response and can ask again", () => {
    for (const change of [{ isHidden: false }, { canContinue: false }])
      expect(new RefusedRequest().end(run("error", change), 900)).to.equal("unanswered");
  });

  it("takes a response that was cut off for too large where Pi hid it, or where the run went on for one", () => {
    const refused = new RefusedRequest();
    expect(refused.end(run("length", { isHidden: false }), 900)).to.equal("answered");
    expect(refused.tokens).to.equal(undefined);
    expect(refused.end(run("length"), 900)).to.equal("continue");
    expect(refused.end(run("length", { isHidden: false }), 900)).to.equal("unanswered");
  });

  it("leaves every other end alone: a response that failed for another reason, an answer", () => {
    const refused = new RefusedRequest();
    for (const end of [run("error", { isOverflow: false }), run("stop"), run("aborted")])
      expect(refused.end(end, 900)).to.equal("answered");
    expect(refused.tokens).to.equal(undefined);
  });
});

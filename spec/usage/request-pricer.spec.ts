import { expect } from "chai";
import sinon from "sinon";
import type { AgentMessage } from "../../lib/messages.ts";
import type { PagingRequest } from "../../lib/paging/paging-request.ts";
import { Provenance } from "../../lib/paging/provenance.ts";
import { BranchProjection } from "../../lib/session/branch-projection.ts";
import { RequestPricer } from "../../lib/usage/request-pricer.ts";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { tokens } from "../support/measured-session.ts";

class Desk {
  readonly estimator = new TokenEstimator();
  readonly pricer = new RequestPricer(this.estimator);
  readonly #projection = new BranchProjection();

  price(session: BranchBuilder, fields: Partial<PagingRequest> = {}): number[] {
    const request = { ...REQUEST, messages: structuredClone(session.messages), ...fields };
    this.#projection.update(session.path);
    const provenance = Provenance.trace(request.messages, this.#projection.session.messages, "none");
    const { residentTokens, messageTokens } = this.pricer.price(request, provenance);
    return [residentTokens, ...Array.from(messageTokens)];
  }
}

const MODEL = { provider: "mock-chat", id: "mock-model", api: "openai-completions" };
const REQUEST: PagingRequest = {
  messages: [],
  resident: { systemPrompt: tokens(100), tools: [] },
  model: MODEL,
  window: undefined,
  status: undefined,
  branch: [],
  branchLag: "none",
  foreignThinking: "dropped",
};
const thinking = () =>
  branch()
    .user(tokens(5))
    .assistant({ thinking: tokens(70), text: tokens(10) });

describe("RequestPricer", () => {
  it("prices resident input once and each message by its place", () => {
    expect(
      new Desk().price(
        branch()
          .user(tokens(7))
          .assistant({ text: tokens(9) }),
      ),
    ).to.deep.equal([100, 7, 9]);
  });

  it("counts thinking only where it is replayed: to the model that wrote it, or as text", () => {
    const desk = new Desk();
    expect(desk.price(thinking())).to.deep.equal([100, 5, 80]);
    for (const change of [{ provider: "x" }, { id: "x" }, { api: "x" }]) {
      const model = { ...MODEL, ...change };
      expect(desk.price(thinking(), { model })).to.deep.equal([100, 5, 10]);
      expect(desk.price(thinking(), { model, foreignThinking: "text" })).to.deep.equal([100, 5, 80]);
    }
    expect(desk.price(thinking(), { model: undefined })).to.deep.equal([100, 5, 80]);
  });

  it("estimates a stored message once, and again only when its content changes", () => {
    const desk = new Desk();
    const session = branch()
      .user(tokens(7))
      .assistant({ text: tokens(9) });
    const estimate = sinon.spy(desk.estimator, "message");
    desk.price(session);
    desk.price(session);
    expect(estimate.callCount).to.equal(2);
    session.user(tokens(3));
    desk.price(session);
    expect(estimate.callCount).to.equal(3);
    const [prompt, ...rest] = structuredClone(session.messages);
    const edited = { ...prompt, content: tokens(8) } as AgentMessage;
    expect(desk.price(session, { messages: [edited, ...rest] })).to.deep.equal([100, 8, 9, 3]);
    expect(estimate.callCount).to.equal(4);
  });

  it("does not take one message for another in its place that is as long", () => {
    const desk = new Desk();
    const session = branch().user("Go").user(tokens(7));
    desk.price(session);
    session.goTo(session.entries[0]?.id ?? "").user("漢".repeat(28));
    expect(desk.price(session)).to.deep.equal([100, 1, 28]);
  });

  it("prices outgoing-only messages as they are", () => {
    const session = branch().user(tokens(7));
    const messages = [
      { role: "user", content: tokens(4), timestamp: 1 } as AgentMessage,
      ...session.messages,
    ];
    expect(new Desk().price(session, { messages })).to.deep.equal([100, 4, 7]);
  });

  it("prices resident input anew when the prompt or a tool changes", () => {
    const desk = new Desk();
    const tool = { name: "read", description: "Reads", parameters: { type: "object" } };
    const price = (systemPrompt: string, tools = [tool]) =>
      desk.price(branch(), { resident: { systemPrompt, tools } })[0] ?? 0;
    const first = price(tokens(100));
    const estimate = sinon.spy(desk.estimator, "residentInput");
    expect(price(tokens(100), [{ ...tool }])).to.equal(first);
    expect(estimate.callCount).to.equal(0);
    expect(price(tokens(101))).to.equal(first + 1);
    for (const change of [{ name: "r" }, { description: tokens(50) }, { parameters: { type: tokens(9) } }])
      expect(price(tokens(101), [{ ...tool, ...change }])).to.not.equal(first + 1);
    expect(price(tokens(101), [])).to.equal(101);
  });
});

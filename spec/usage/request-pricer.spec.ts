import { expect } from "chai";
import sinon from "sinon";
import type { AgentMessage } from "../../lib/messages.ts";
import type { PagingRequest } from "../../lib/paging/paging-request.ts";
import { Provenance } from "../../lib/paging/provenance.ts";
import { BranchProjection } from "../../lib/session/branch-projection.ts";
import { RequestPricer } from "../../lib/usage/request-pricer.ts";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { piMessages } from "../support/paging-session.ts";

const MODEL = { provider: "mock-chat", id: "mock-model", api: "openai-completions" };

/** A pricer and an estimator that counts what it is asked. */
function pricing() {
  const estimator = new TokenEstimator();
  const asked = sinon.spy(estimator, "message");
  const resident = sinon.spy(estimator, "residentInput");
  const pricer = new RequestPricer(estimator);
  const projection = new BranchProjection();
  const price = (building: BranchBuilder, draft: Partial<PagingRequest> = {}) => {
    projection.update(building.path);
    const request: PagingRequest = {
      messages: piMessages(building.path),
      resident: { systemPrompt: "Be brief.", tools: [] },
      model: MODEL,
      window: undefined,
      status: undefined,
      branch: building.path,
      branchLag: "none",
      foreignThinking: "dropped",
      ...draft,
    };
    const provenance = Provenance.trace(request.messages, projection.session.messages, "none");
    const { residentTokens, messageTokens } = pricer.price(request, provenance);
    return { residentTokens, messageTokens: Array.from(messageTokens) };
  };
  return { pricer, price, asked, resident };
}

const estimated = (messages: readonly AgentMessage[]) =>
  messages.map((message) => new TokenEstimator().message(message).tokens);

describe("RequestPricer", () => {
  it("prices every message by position and the resident input once", () => {
    const building = branch().user("hello there").assistant({ text: "hi" }).bash("ls", "a b c");
    expect(pricing().price(building)).to.deep.equal({
      residentTokens: new TokenEstimator().residentInput({ systemPrompt: "Be brief.", tools: [] }),
      messageTokens: estimated(building.messages),
    });
  });

  it("estimates a stored message once while the session grows, although Pi hands over fresh clones", () => {
    const { price, asked } = pricing();
    const building = branch().user("one").assistant({ text: "two" });
    price(building);
    price(building.user("three"));
    price(building);
    expect(asked.callCount).to.equal(3);
  });

  it("does not take one message for another in its place that is as long", () => {
    const { price } = pricing();
    const building = branch().user("Go").user("abcd".repeat(7));
    price(building);
    building.goTo(building.entries[0]?.id ?? "").user("漢".repeat(28));
    expect(price(building).messageTokens).to.deep.equal([1, 28]);
  });

  it("prices a message as it goes out where another extension changed it, and as stored once it no longer does", () => {
    const { price } = pricing();
    const building = branch().user("a long text of many words");
    const [stored] = price(building).messageTokens;
    const changed = piMessages(building.path).map(
      (message) => ({ ...message, content: "short" }) as AgentMessage,
    );
    expect(price(building, { messages: changed }).messageTokens).to.deep.equal(estimated(changed));
    expect(price(building).messageTokens).to.deep.equal([stored]);
  });

  it("prices what another extension injected anew each time", () => {
    const { price, asked } = pricing();
    const building = branch().user("one");
    const messages: AgentMessage[] = [
      ...piMessages(building.path),
      { role: "custom", customType: "x", content: "injected", display: false, timestamp: 7 },
    ];
    price(building, { messages });
    expect(price(building, { messages }).messageTokens).to.deep.equal(estimated(messages));
    expect(asked.callCount).to.equal(3);
  });

  it("counts thinking only where it is replayed: to the model that wrote it", () => {
    const building = branch().assistant({ text: "x", thinking: "deep thoughts of many words" });
    const at = (draft: Partial<PagingRequest>) => pricing().price(building, draft).messageTokens[0] ?? 0;
    const own = at({});
    const without = at({ model: { ...MODEL, id: "other" } });
    expect(own - without).to.equal(new TokenEstimator().message(messageOf(building)).thinkingTokens);
    expect(at({ model: { ...MODEL, provider: "other" } })).to.equal(without);
    expect(at({ model: { ...MODEL, api: "other" } })).to.equal(without);
    expect(at({ model: undefined })).to.equal(own);
    expect(at({ model: { ...MODEL, id: "other" }, foreignThinking: "text" })).to.equal(own);
  });

  it("prices anew with another model: thinking that was dropped is not counted from memory", () => {
    const { price } = pricing();
    const building = branch().assistant({ text: "x", thinking: "deep thoughts of many words" });
    const [own] = price(building).messageTokens;
    const [foreign] = price(building, { model: { ...MODEL, id: "other" } }).messageTokens;
    expect(foreign).to.be.lessThan(own ?? 0);
    expect(price(building).messageTokens).to.deep.equal([own]);
  });

  it("estimates resident input again only when the prompt or a tool changed", () => {
    const { price, resident } = pricing();
    const building = branch().user("one");
    const tool = { name: "read", description: "Reads.", parameters: { type: "object" } };
    const changes: PagingRequest["resident"][] = [
      { systemPrompt: "a", tools: [tool] },
      { systemPrompt: "a", tools: [{ ...tool }] },
      { systemPrompt: "b", tools: [tool] },
      { systemPrompt: "b", tools: [] },
      { systemPrompt: "b", tools: [{ ...tool, name: "write" }] },
      { systemPrompt: "b", tools: [{ ...tool, name: "write", description: "Writes." }] },
      { systemPrompt: "b", tools: [{ ...tool, name: "write", description: "Writes.", parameters: {} }] },
      { systemPrompt: "b", tools: [tool, tool] },
      { systemPrompt: "b", tools: [tool, { ...tool, name: "write" }] },
    ];
    const counts = changes.map((input) => {
      price(building, { resident: input });
      return resident.callCount;
    });
    expect(counts).to.deep.equal([1, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("prices a message that selection adds, thinking included", () => {
    const building = branch().assistant({ text: "x", thinking: "thoughts" });
    const { tokens, thinkingTokens } = new TokenEstimator().message(messageOf(building));
    expect(pricing().pricer.priceOf(messageOf(building))).to.equal(tokens + thinkingTokens);
  });
});

function messageOf({ messages }: BranchBuilder): AgentMessage {
  const [message] = messages;
  if (!message) throw new Error("no message");
  return message;
}

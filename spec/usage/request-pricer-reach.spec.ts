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

/** The kind of text changes behind its first characters, so that its size tells another price. */
const HEX = `${"word ".repeat(20)}${"0a1b2c3d".repeat(100)}`;

/** A pricer with a spy on what it reads; prices by message. */
function pricing(change = (messages: AgentMessage[]) => messages) {
  const estimator = new TokenEstimator();
  const asked = sinon.spy(estimator, "message");
  const pricer = new RequestPricer(estimator);
  const projection = new BranchProjection();
  const price = (building: BranchBuilder, reachTokens?: number) => {
    projection.update(building.path);
    const messages = change(piMessages(building.path));
    const request: PagingRequest = {
      messages,
      resident: { systemPrompt: "", tools: [] },
      model: undefined,
      window: undefined,
      status: undefined,
      branch: building.path,
      branchLag: "none",
      foreignThinking: "dropped",
    };
    const provenance = Provenance.trace(messages, projection.session.messages, "none");
    return Array.from(pricer.price(request, provenance, reachTokens).messageTokens);
  };
  const begin = (building: BranchBuilder, reachTokens: number) => {
    projection.update(building.path);
    pricer.begin(projection.session.messages, reachTokens);
  };
  return { price, begin, asked };
}

/** A user message and three exchanges of one result each; every result costs 600 tokens, by its size 201. */
const scene = () => {
  const building = branch().user("go");
  for (let exchange = 0; exchange < 3; exchange++) {
    building.assistant({ text: "a", calls: [{ name: "read" }] }).result(HEX);
  }
  return building;
};
const exact = () => pricing().price(scene());

describe("RequestPricer: what is out of reach", () => {
  it("is priced by its size and not read: newer messages alone exceed what a request holds", () => {
    const { price, asked } = pricing();
    const prices = price(scene(), 100);
    expect(prices[6]).to.equal(exact()[6]);
    expect(prices[2]).to.be.below(exact()[2] ?? 0);
    expect(asked.callCount).to.equal(3); // the prompt, and the newest exchange
  });

  it("reaches exactly as far as a request may", () => {
    const newest = exact()[6] ?? 0;
    const at = (reachTokens: number) => pricing().price(scene(), reachTokens)[4];
    expect(at(newest + (exact()[5] ?? 0))).to.equal(exact()[4]);
    expect(at(newest - 1)).to.be.below(exact()[4] ?? 0);
  });

  it("user and custom messages are always read: they may be protected, wherever they stand", () => {
    const building = branch().user(HEX).custom(HEX);
    for (let exchange = 0; exchange < 3; exchange++) building.assistant({ text: HEX });
    expect(pricing().price(building, 1).slice(0, 2)).to.deep.equal(pricing().price(building).slice(0, 2));
  });

  it("the newest exchange is always read: it may be protected, whatever follows it", () => {
    const building = scene().user(HEX).custom(HEX);
    expect(pricing().price(building, 1).slice(5)).to.deep.equal(pricing().price(building).slice(5));
  });

  it("interrupted exchanges take no room: they never go out", () => {
    for (const end of [{ stopReason: "aborted" } as const, { calls: [{ name: "read" }, { name: "bash" }] }]) {
      const building = branch().user("go").assistant({ text: HEX }).user("on");
      building.assistant({ calls: [{ name: "read" }], ...end }).result(HEX);
      building.user("on").assistant({ text: "a" }).user("on");
      expect(pricing().price(building, 100)).to.deep.equal(pricing().price(building));
    }
  });

  it("is read once it comes within reach", () => {
    const { price } = pricing();
    const building = scene();
    price(building, 100);
    expect(price(building)).to.deep.equal(exact());
  });

  it("keeps its price where it was read before", () => {
    const { price, asked } = pricing();
    const building = scene();
    price(building);
    asked.resetHistory();
    expect(price(building, 100)).to.deep.equal(exact());
    expect(asked.callCount).to.equal(0);
  });

  /** Price of one result that is out of reach. */
  const priceFarBack = (content: unknown): number | undefined => {
    const building = branch()
      .user("go")
      .assistant({ text: "a", calls: [{ name: "read" }] })
      .result();
    Object.assign(building.messages.at(-1) ?? {}, { content });
    return pricing().price(building.assistant({ text: HEX }), 1)[2];
  };
  const text = (value: unknown) => ({ type: "text", text: value });

  it("costs by its size what its first characters cost: Chinese text is no cheaper there", () => {
    expect(priceFarBack([text("漢".repeat(1_000))])).to.be.within(1_000, 1_010);
    expect(priceFarBack([text("1".repeat(1_000))])).to.be.within(500, 510);
    expect(priceFarBack([text("word".repeat(250)), text("漢".repeat(1_000))])).to.be.within(500, 510);
  });

  it("costs no less than a quarter of a token a character, also where the first block is no text", () => {
    const long = text("word".repeat(250));
    for (const first of [
      null,
      {},
      { type: "newKind", text: "漢".repeat(64) },
      text(7),
      text(""),
      text(undefined),
    ])
      expect(priceFarBack([first, long]), JSON.stringify(first)).to.be.within(250, 300);
    expect(priceFarBack("word".repeat(250))).to.equal(250);
    expect(priceFarBack([])).to.equal(1);
    expect(priceFarBack(undefined)).to.equal(1);
  });

  it("what another extension added is always read: it stays as long as what it stands by", () => {
    const building = branch().user("go").assistant({ text: HEX });
    const added = branch().assistant({ text: "added" }).messages;
    const { price, asked } = pricing((messages) => [...added, ...messages]);
    expect(price(building, 1)[0]).to.equal(2);
    expect(asked.calledWith(added[0])).to.equal(true);
  });

  it("an image beside text there costs what it always costs", () => {
    const image = { type: "image", data: "A".repeat(100_000), mimeType: "image/png" };
    expect(priceFarBack([text("abcd"), null, image])).to.equal(1_201);
  });

  it("an image there does not cost its base64 length", () => {
    const building = branch()
      .user("go")
      .assistant({ text: "a", calls: [{ name: "read" }] });
    building.result({ content: [{ type: "image", data: "A".repeat(100_000), mimeType: "image/png" }] });
    building.assistant({ text: HEX });
    expect(pricing().price(building, 1)[2]).to.equal(1200);
  });
});

describe("RequestPricer: the beginning of a session", () => {
  it("estimates all that the first request can hold: that reads nothing, and gets the same prices", () => {
    const { price, begin, asked } = pricing();
    const building = scene();
    begin(building, 100);
    asked.resetHistory();
    const prices = price(building, 100);
    expect(asked.callCount).to.equal(0);
    expect(prices).to.deep.equal(pricing().price(scene(), 100));
  });

  it("takes no room for what a context edit hides: no request holds it", () => {
    const { price, begin, asked } = pricing();
    const building = branch().user("go").assistant({ text: HEX }).user("on").assistant({ text: HEX });
    building.contextEdit(building.leafId).assistant({ text: "a" });
    begin(building, 100);
    asked.resetHistory();
    price(building, 100);
    expect(asked.callCount).to.equal(0);
  });

  it("forgets the session before it", () => {
    const { price, begin, asked } = pricing();
    const building = scene();
    price(building);
    asked.resetHistory();
    begin(building, Number.POSITIVE_INFINITY);
    expect(asked.callCount).to.equal(7);
  });
});

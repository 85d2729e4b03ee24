/** Section "Provider-backed usage": each rule by its name. Figures are worked out by hand: see MeasuredSession. */
import { expect } from "chai";
import sinon from "sinon";
import type { AgentMessage, AssistantMessage } from "../../lib/messages.ts";
import { branch } from "../support/branch-builder.ts";
import {
  injected,
  MeasuredSession,
  type Prices,
  type SendOptions,
  tokens,
} from "../support/measured-session.ts";

/** Resident 100, a prompt of 300, a response of 100: 500 tokens by local estimates. */
const LOCAL: Prices = { resident: 100, messages: [300, 100] };

/** The prices of the request after one that the provider counted as `total`. */
function pricesAfter(total: number, options: { sent?: SendOptions; next?: SendOptions } = {}): Prices {
  const session = new MeasuredSession().user(300);
  session.send(options.sent);
  return session.answer(total).send(options.next);
}

const sum = ({ resident, messages }: Prices) => messages.reduce((total, price) => total + price, resident);

describe("UsageCalibrator", () => {
  describe("without a valid response anchor", () => {
    it("uses the heuristic fallback before the first answer", () => {
      const session = new MeasuredSession().user(300);
      expect(session.send()).to.deep.equal({ resident: 100, messages: [300] });
    });

    it("is no other message of the same time", () => {
      const twin = (messages: ReturnType<typeof injected>[]) => [
        ...messages,
        { ...injected(20), timestamp: messages.at(-1)?.timestamp ?? 0 },
      ];
      expect(pricesAfter(1_000, { next: { edit: twin } }).messages).to.deep.equal([600, 200, 20]);
    });

    it("is no response that another extension added behind it", () => {
      const twin = (messages: AgentMessage[]): AgentMessage[] => [
        ...messages,
        ...branch().assistant({ text: tokens(300) }).messages,
      ];
      expect(pricesAfter(1_000, { next: { edit: twin } }).messages).to.deep.equal([600, 200, 300]);
    });

    it("stands at whatever place of the next request", () => {
      const next = { edit: (messages: ReturnType<typeof injected>[]) => messages.slice(1) };
      expect(pricesAfter(1_000, { next }).messages).to.deep.equal([200]);
    });

    it("uses it again when the response is not in the next request", () => {
      const next = { edit: (messages: ReturnType<typeof injected>[]) => messages.slice(0, 1) };
      expect(pricesAfter(1_000, { next }).messages).to.deep.equal([300]);
    });

    it("does not learn from a response that failed or was aborted", () => {
      for (const stopReason of ["error", "aborted"] as const) {
        const session = new MeasuredSession().user(300);
        session.send();
        expect(session.answer(1_000, 100, { stopReason }).send({ status: 1_000 })).to.deep.equal(LOCAL);
      }
    });

    it("learns from a response that began in the millisecond in which its request went out", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      const timestamp = Date.parse(session.session.path.at(-1)?.timestamp ?? "") + 500;
      const [response] = branch().assistant({
        text: tokens(100),
        usage: { totalTokens: 1_000 },
      }).messages;
      session.session.message({ ...response, timestamp } as AgentMessage);
      session.tellResponse();
      expect(session.send().messages).to.deep.equal([600, 200]);
    });

    it("does not learn from a response that no request waits for", () => {
      const session = new MeasuredSession().user(300);
      expect(session.answer(1_000).send()).to.deep.equal(LOCAL);
    });
  });

  describe("undercount", () => {
    it("goes to the resident input in proportion at the first observation, the rest scales the measured messages and the response", () => {
      expect(pricesAfter(1_000)).to.deep.equal({ resident: 200, messages: [600, 200] });
    });

    it("makes the next estimate start from the measured total", () => {
      for (const total of [501, 777, 1_400]) expect(sum(pricesAfter(total))).to.be.closeTo(total, 1e-9);
    });

    it("of a later observation can lower the resident overhead", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(1_000).user(400).send();
      // Local 1,000 and measured 1,100: 10 of the 100 are the resident input's.
      const prices = session.answer(1_100).send();
      expect(prices.resident).to.be.closeTo(110, 1e-9);
      expect(sum(prices)).to.be.closeTo(1_100, 1e-9);
    });

    it("that is larger does not raise the fixed overhead floor", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(600).send();
      session.user(400).send();
      const prices = session.answer(1_300).send();
      expect(prices.resident).to.be.closeTo(120, 1e-9);
      expect(sum(prices)).to.be.closeTo(1_300, 1e-9);
    });

    it("leaves its share with the resident input, also where that shrinks", () => {
      const session = new MeasuredSession().user(300);
      session.residentTokens = 1_000;
      session.send();
      expect(session.answer(2_800).send().resident).to.equal(2_000);
      session.residentTokens = 100;
      expect(session.send().resident).to.equal(1_100);
    });

    it("is all the resident input's where nothing else has an estimate", () => {
      const session = new MeasuredSession().user(0);
      session.send();
      expect(session.answer(300, 0).send()).to.deep.equal({ resident: 300, messages: [0, 0] });
    });

    it("counts a prompt that was not stored yet when it went out first in the session", () => {
      const session = new MeasuredSession();
      session.branchLag = "tail";
      const { messages } = new MeasuredSession().user(300);
      session.send({ edit: () => messages, status: "none" });
      session.user(300);
      expect(session.answer(1_000).send()).to.deep.equal({ resident: 200, messages: [600, 200] });
    });

    it("keeps the overhead where a later total is an overestimate", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(700).user(400).send();
      expect(session.answer(950).send().resident).to.be.closeTo(140, 1e-9);
    });

    it("counts what the host had not stored when the request went out", () => {
      const session = new MeasuredSession();
      session.branchLag = "tail";
      const { session: stored } = session.user(200);
      stored.assistant({ text: tokens(58), calls: [{ name: "ls" }] });
      const { leafId } = stored;
      stored.results(tokens(40));
      const { messages } = session;
      stored.goTo(leafId);
      session.send({ edit: () => messages, status: "none" });
      // 100 resident, 200, 60 and 40 in the request, 100 in the response.
      stored.message(messages.at(-1) as AssistantMessage);
      expect(session.answer(1_000).send()).to.deep.equal({ resident: 200, messages: [400, 120, 80, 200] });
    });

    it("beyond four times the estimate, or below a quarter, says nothing about single messages", () => {
      expect(pricesAfter(5_000).messages).to.deep.equal([1_200, 400]);
      expect(pricesAfter(25).messages).to.deep.equal([75, 25]);
    });
  });

  describe("overestimate", () => {
    it("is corrected, too: prices go below the local estimates (D16)", () => {
      const prices = pricesAfter(250);
      expect(prices.resident).to.be.closeTo(50, 1e-9);
      expect(prices.messages[0]).to.be.closeTo(150, 1e-9);
      expect(sum(prices)).to.be.closeTo(250, 1e-9);
    });

    it("leaves with the messages that it was learned from", () => {
      const session = new MeasuredSession().user(3_000);
      session.send();
      const [prompt = 0, response = 0] = session.answer(1_600).send().messages;
      expect(prompt).to.be.closeTo(1_500, 1e-9);
      expect(response, "what stays is no cheaper than half of its estimate").to.be.closeTo(50, 1e-9);
    });

    it("shrinks with the resident input", () => {
      const session = new MeasuredSession().user(300);
      session.residentTokens = 10_000;
      session.send();
      expect(session.answer(5_200).send().resident).to.be.closeTo(5_000, 1e-9);
      session.residentTokens = 100;
      expect(session.send().resident).to.be.closeTo(50, 1e-9);
    });
  });

  describe("keeps local estimates", () => {
    it("of new messages", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      expect(session.answer(1_000).user(70).send().messages).to.deep.equal([600, 200, 70]);
    });

    it("of outgoing-only messages, and does not spread their cost", () => {
      const edit = (messages: ReturnType<typeof injected>[]) => [injected(500), ...messages];
      expect(pricesAfter(2_000, { sent: { edit }, next: { edit } })).to.deep.equal({
        resident: 200,
        messages: [500, 975, 325],
      });
    });

    it("of notices: they count in the request that was measured", () => {
      const prices = pricesAfter(1_600, { sent: { notice: 100 } });
      expect(prices.resident).to.be.closeTo(100 + 1_000 / 6, 1e-9);
      expect(sum(prices)).to.be.closeTo(1_500, 1e-9);
    });

    it("of restored history: messages that were not in the measured request", () => {
      const session = new MeasuredSession().user(900).user(300);
      session.send({ carried: [1] });
      expect(session.answer(1_000).send().messages).to.deep.equal([900, 600, 200]);
    });

    it("of no message that goes out in another order: some move behind the results that they came before", () => {
      const pricesOf = (carried: readonly number[]) => {
        const session = new MeasuredSession().user(100).user(200).user(300);
        session.send({ carried });
        return session.answer(1_600).send().messages;
      };
      expect(pricesOf([0, 2, 1])).to.deep.equal(pricesOf([0, 1, 2]));
    });

    it("never transfers a removed message's cost to what stays", () => {
      const session = new MeasuredSession().user(900).user(100);
      session.send();
      session.answer(2_400);
      const before = session.send();
      const after = session.send({ edit: (messages) => messages.slice(1) });
      expect(after).to.deep.equal({ resident: before.resident, messages: before.messages.slice(1) });
    });

    it("prices a measured message that another extension changed by what goes out", () => {
      const edit = (messages: ReturnType<typeof injected>[]) =>
        messages.map((message) => (message.role === "user" ? { ...message, content: tokens(30) } : message));
      expect(pricesAfter(1_000, { next: { edit } }).messages).to.deep.equal([60, 200]);
    });
  });

  describe("ignores impossible usage", () => {
    const values = [
      undefined,
      null,
      {},
      { totalTokens: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      { totalTokens: Number.NaN },
      { totalTokens: -5 },
      { totalTokens: "123" },
      { totalTokens: Number.POSITIVE_INFINITY },
      { totalTokens: 1.5 },
      { input: -10, output: 20 },
      { input: Number.NaN, totalTokens: 0 },
    ];
    for (const usage of values) {
      it(`${usage && "input" in usage ? "parts " : ""}${JSON.stringify(usage)} ${String(usage?.totalTokens)} (D09, D10)`, () => {
        const session = new MeasuredSession().user(300);
        session.send();
        session.answer(1_000, 100);
        const response = session.session.messages.at(-1) as AssistantMessage;
        Object.assign(response, { usage });
        const other = new MeasuredSession();
        other.user(300).send();
        other.session.message(response);
        other.tellResponse();
        expect(other.send({ status: 500 })).to.deep.equal(LOCAL);
      });
    }

    it("keeps what was measured before", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(1_000).user(70).send();
      session.session.assistant({ text: tokens(10) });
      session.tellResponse();
      expect(session.send().messages).to.deep.equal([600, 200, 70, 10]);
    });

    it("takes the parts where there is no total", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(1_000, 100, { usage: { input: 700, cacheRead: 150, cacheWrite: 50, output: 100 } });
      expect(session.send()).to.deep.equal({ resident: 200, messages: [600, 200] });
    });

    it("totals of another request: a response that began before the newest one went out (D14)", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.session.assistant({ text: tokens(100), usage: { totalTokens: 1_000 } });
      session.user(50).send();
      session.tellResponse();
      expect(session.send({ status: 1_050 }).messages).to.deep.equal([300, 100, 50]);
    });
  });

  describe("Pi's status total", () => {
    it("confirms the measured total once the full persistent tail is undone", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(1_000).user(40).session.custom(tokens(30)).bash("ls", tokens(20));
      expect(session.status).to.equal(1_000 + 40 + 30 + 21);
      expect(session.send().messages.slice(0, 3)).to.deep.equal([600, 200, 40]);
    });

    it("includes system updates, which no request shows", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(1_000).session.message({ role: "system", content: tokens(60), timestamp: 1 });
      session.user(40);
      expect(session.status).to.equal(1_100);
      expect(session.send().messages).to.deep.equal([600, 200, 40]);
    });

    it("includes system updates, whatever stands between them and the response", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      const { session: stored } = session.answer(1_000);
      const [response] = stored.messages.slice(-1);
      stored.message({ role: "system", content: tokens(60), timestamp: 1 });
      stored.message({ role: "user", content: tokens(40), timestamp: response?.timestamp ?? 0 });
      stored.assistant({ text: tokens(10), stopReason: "error" });
      expect(session.status).to.equal(1_110);
      expect(session.send().messages).to.deep.equal([600, 200, 40, 10]);
    });

    it("includes no system updates of before the response", () => {
      const session = new MeasuredSession();
      session.session.message({ role: "system", content: tokens(60), timestamp: 1 });
      session.user(300).send();
      expect(session.answer(1_000).send().messages).to.deep.equal([600, 200]);
    });

    it("includes nothing that a context edit hides", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(1_000).user(40).session.custom(tokens(30));
      session.session.contextEdit(session.session.leafId);
      expect(session.status).to.equal(1_040);
      expect(session.send().messages).to.deep.equal([600, 200, 40]);
    });

    it("includes messages that another extension took out of the request", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(1_000).session.custom(tokens(30));
      session.user(40);
      const edit = (messages: ReturnType<typeof injected>[]) =>
        messages.filter(({ role }) => role !== "custom");
      expect(session.send({ edit }).messages).to.deep.equal([600, 200, 40]);
    });

    it("does not include outgoing-only messages", () => {
      const edit = (messages: ReturnType<typeof injected>[]) => [...messages, injected(25)];
      expect(pricesAfter(1_000, { next: { edit } }).messages).to.deep.equal([600, 200, 25]);
    });

    it("that does not match does not reuse message weights", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(1_000).send();
      expect(session.user(50).send().messages[0]).to.equal(600);
      session.answer(1_100);
      expect(session.send({ status: 22_000 })).to.deep.equal({
        resident: 100,
        messages: [300, 100, 50, 100],
      });
    });

    it("that is unknown, as after a compaction, confirms nothing", () => {
      expect(pricesAfter(1_000, { next: { status: null } })).to.deep.equal(LOCAL);
    });

    it("is not asked for where Pi has none: the response's own usage stands", () => {
      expect(pricesAfter(1_000, { next: { status: "none" } }).resident).to.equal(200);
    });

    it("covers conversation that the host has not stored yet", () => {
      const session = new MeasuredSession();
      session.branchLag = "tail";
      const { session: stored } = session.user(300);
      session.send();
      const { leafId } = stored;
      session.answer(1_000, 100, { text: tokens(98), calls: [{ name: "ls" }] });
      stored.results(tokens(40));
      const { messages, status } = session;
      stored.goTo(leafId);
      // The response has no place in the session yet, so its own price stays the local one.
      expect(session.send({ edit: () => messages, status }).messages).to.deep.equal([600, 100, 40]);
    });
  });

  describe("a total that contradicts its request", () => {
    /** One request of 1,000 tokens after another; the provider counts what it says. */
    function run(totals: readonly number[], windowTokens?: number): MeasuredSession {
      const session = new MeasuredSession().user(900);
      const options = windowTokens === undefined ? {} : { windowTokens };
      for (const total of totals) {
        session.send(options);
        session.answer(total, 0);
      }
      return session;
    }

    it("is ignored once: doubled and summed totals move no price (D15)", () => {
      for (const totals of [
        [1_000, 2_020],
        [1_000, 1_000, 8_240],
        [1_000, 300],
      ])
        expect(sum(run(totals).send()), String(totals)).to.be.closeTo(1_000, 1e-9);
    });

    it("is believed the second time in a row", () => {
      expect(sum(run([1_000, 2_020, 2_020]).send())).to.be.closeTo(2_020, 1e-9);
    });

    it("is ignored again after a good one", () => {
      expect(sum(run([1_000, 2_020, 1_020, 8_240]).send())).to.be.closeTo(1_020, 1e-9);
    });

    it("is one that is above the model's window, also the first", () => {
      expect(sum(run([2_500], 2_000).send({ windowTokens: 2_000 }))).to.equal(1_000);
      expect(sum(run([2_500, 2_500], 2_000).send({ windowTokens: 2_000 }))).to.be.closeTo(2_500, 1e-9);
    });

    it("is one that is more than half as much again or less than two thirds, and none at exactly that", () => {
      expect(sum(run([1_000, 1_500]).send())).to.be.closeTo(1_500, 1e-9);
      expect(sum(run([1_000, 1_501]).send())).to.be.closeTo(1_000, 1e-9);
      expect(sum(run([1_500, 1_000]).send())).to.be.closeTo(1_000, 1e-9);
      expect(sum(run([1_500, 999]).send())).to.be.closeTo(1_500, 1e-9);
    });

    it("is none that fills the model's window exactly", () => {
      const windowTokens = 2_000;
      expect(sum(run([2_000], windowTokens).send({ windowTokens }))).to.be.closeTo(2_000, 1e-9);
    });

    it("is none for what was added since the last accepted total", () => {
      const session = run([1_000]);
      session.user(4_000).send();
      session.answer(5_100, 0);
      expect(sum(session.send())).to.be.closeTo(5_100, 1e-9);
    });

    it("is none for a long response", () => {
      const session = new MeasuredSession().user(100);
      session.send();
      session.answer(300, 100).send();
      session.answer(2_500, 2_000);
      expect(sum(session.send())).to.be.closeTo(2_500, 1e-9);
    });

    it("is none for what left since", () => {
      const session = new MeasuredSession().user(3_000).user(900);
      session.send();
      session.answer(4_000, 0).send({ carried: [1, 2] });
      session.answer(1_010, 0);
      expect(session.send().messages[1]).to.be.closeTo(909, 1);
    });
  });

  describe("knows which model answered", () => {
    const other = { model: "other" };

    it("keeps one overhead for each", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(600, 100).send();
      expect(session.send().resident).to.be.closeTo(120, 1e-9);
      session.answer(1_200, 100, other);
      // 600 by local estimates, 100 of them resident: that takes 100 of the 600 that are missing.
      expect(session.send().resident).to.be.closeTo(200, 1e-9);
      session.answer(1_400, 100);
      expect(session.send().resident, "its own floor").to.be.closeTo(120, 1e-9);
    });

    it("does not judge a total by what another model counted", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(1_000, 0).send();
      session.answer(500, 0, other);
      expect(sum(session.send())).to.be.closeTo(500, 1e-9);
    });

    it("takes the one behind a virtual model (D23)", () => {
      const session = new MeasuredSession().user(300);
      session.send();
      session.answer(1_000, 0).send();
      session.session.assistant({ usage: { totalTokens: 500 } });
      Object.assign(session.session.messages.at(-1) ?? {}, { responseModel: "physical" });
      session.tellResponse();
      expect(sum(session.send())).to.be.closeTo(500, 1e-9);
    });
  });

  describe("tells how far a request reaches by local estimates", () => {
    it("as far as the budget before anything was measured, four times as far after: a price falls to a quarter at most", () => {
      const session = new MeasuredSession().user(300);
      const reach = () => session.calibrator.reachTokens(1_000);
      expect(reach()).to.equal(1_000);
      session.send();
      expect(reach(), "a request that waits").to.equal(1_000);
      session.answer(1_000);
      expect(reach(), "an answer that waits").to.equal(4_000);
      session.send();
      expect(reach(), "prices").to.equal(4_000);
      session.calibrator.clear();
      expect(reach(), "nothing any more").to.equal(1_000);
    });
  });

  it("forgets everything when cleared: prices, overheads, the request that waits, and a contradiction", () => {
    const session = new MeasuredSession().user(300);
    session.send();
    session.answer(1_000);
    session.calibrator.clear();
    expect(session.send(), "an answer that waits").to.deep.equal(LOCAL);
    session.calibrator.clear();
    session.answer(1_000, 0);
    expect(session.send({ status: 1_000 }), "a request that waits").to.deep.include({ resident: 100 });
    session.answer(600, 0).send();
    session.calibrator.clear();
    expect(session.send(), "prices").to.deep.include({ resident: 100 });
    session.answer(5_000, 0);
    expect(session.send().resident, "overheads").to.be.above(200);
    session.calibrator.clear();
    const options = { windowTokens: 2_000 };
    for (const round of [1, 2]) {
      session.send(options);
      session.answer(9_000, 0);
      expect(session.send(options), `contradiction ${round}`).to.deep.include({ resident: 100 });
      session.calibrator.clear();
    }
  });

  it("serializes and copies nothing for messages that it has priced before", () => {
    const session = new MeasuredSession().user(300);
    session.session.assistant({ calls: [{ name: "read", args: { path: "a" } }] }).results(tokens(50));
    session.send();
    const { messages } = session;
    const stringify = sinon.spy(JSON, "stringify");
    const clone = sinon.spy(globalThis, "structuredClone");
    try {
      session.send({ edit: () => messages, status: "none" });
      expect(stringify.callCount).to.equal(0);
      expect(clone.callCount, "but for the clone that stands for Pi's").to.equal(1);
    } finally {
      sinon.restore();
    }
  });
});

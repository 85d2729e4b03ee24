/** Requests that the provider refuses although they were within the budget: contract of overflows. */
import { expect } from "chai";
import { OVERFLOW, PagingScene } from "../support/paging-scene.ts";
import { prose } from "../support/prose.ts";

const NOT_ANSWERED =
  "error: The request was too large for the provider, and the prompt was not answered. " +
  "Send it again: the next request is smaller.";
const GO_ON = { continue: true };
const LENGTH_STOP = { text: "It begins", stopReason: "length" } as const;

for (const [name, draft] of [
  ["a refusal", OVERFLOW],
  ["a length stop", LENGTH_STOP],
] as const) {
  describe(`overflow by ${name}`, () => {
    let scene: PagingScene;

    beforeEach(async () => {
      scene = await PagingScene.withCut();
      await scene.emit("before_agent_start");
    });

    it("goes on once, without a word", async () => {
      expect(await scene.overflow("hidden", draft)).to.deep.equal(GO_ON);
      expect(scene.pi.told).to.deep.equal([]);
    });

    it("forces one advance to 5/8 of the refused request, and only one", async () => {
      const refused = await scene.request();
      await scene.overflow("hidden", draft);
      const next = await scene.request();
      expect(next.characters).to.be.within(0.4 * refused.characters, 0.7 * refused.characters);
      const { noticeTime } = await scene.turns(1).prompt().request();
      expect(noticeTime).to.equal(next.noticeTime);
    });

    it("a second failure ends the run: the user is told, and the next request is smaller still", async () => {
      await scene.overflow("hidden", draft);
      const second = await scene.request();
      expect(await scene.overflow("shown", draft)).to.equal(undefined);
      expect(scene.pi.told).to.deep.equal([NOT_ANSWERED]);
      expect((await scene.prompt().request()).characters).to.be.lessThan(0.85 * second.characters);
    });

    it("a second failure does not go on, even where Pi would", async () => {
      await scene.overflow("hidden", draft);
      await scene.request();
      expect(await scene.overflow("hidden", draft)).to.equal(undefined);
      expect(scene.pi.told).to.deep.equal([NOT_ANSWERED]);
    });

    it("the next prompt may go on again", async () => {
      await scene.overflow("hidden", draft);
      await scene.request();
      scene.session.assistant({ text: "Done." });
      await scene.emit("before_agent_start");
      await scene.prompt().request();
      expect(await scene.overflow("hidden", draft)).to.deep.equal(GO_ON);
    });

    it("tells the user where Pi cannot go on", async () => {
      expect(await scene.overflow("hidden", draft, false)).to.equal(undefined);
      expect(scene.pi.told).to.deep.equal([NOT_ANSWERED]);
    });

    it("is left to Pi while paging is off", async () => {
      await scene.command("off");
      expect(await scene.overflow("hidden", draft)).to.equal(undefined);
      expect(scene.pi.told).to.have.length(1);
      await scene.command("on");
      const { characters } = await scene.request();
      expect((await scene.request()).characters).to.equal(characters);
    });
  });
}

describe("overflow", () => {
  let scene: PagingScene;

  beforeEach(async () => {
    scene = await PagingScene.withCut();
  });

  it("with Pi's compaction switched off, which hides nothing, is told and shrinks the next request", async () => {
    const refused = await scene.request();
    expect(await scene.overflow("shown", OVERFLOW, true)).to.equal(undefined);
    expect(scene.pi.told).to.deep.equal([NOT_ANSWERED]);
    expect((await scene.prompt().request()).characters).to.be.lessThan(0.7 * refused.characters);
  });

  it("replaces unread results that still do not fit", async () => {
    const text = prose(1, 8_000);
    scene.session.assistant({ calls: [{ name: "read" }] }).results(text);
    const whole = await scene.request();
    expect(JSON.stringify(whole.messages)).to.contain(text.slice(0, 80));
    await scene.overflow("hidden");
    const next = await scene.request();
    expect(JSON.stringify(next.messages)).to.contain("read_context_output");
    expect(JSON.stringify(next.messages)).to.not.contain(text.slice(0, 80));
  });

  it("shrinks every request of the run where no cut can be remembered", async () => {
    const damaged = await PagingScene.open();
    damaged.session.result("nobody asked");
    damaged.turns(16).prompt();
    const request = () => damaged.request(damaged.messages.slice(1));
    const refused = await request();
    expect(await damaged.overflow("hidden")).to.deep.equal(GO_ON);
    const retried = await request();
    damaged.session.assistant({ calls: [{ name: "read" }] }).results("little");
    for (const { characters } of [retried, await request()])
      expect(characters).to.be.within(0.4 * refused.characters, 0.7 * refused.characters);
  });

  it("is none when the response is good, cut off at its own limit, or failed for another reason", async () => {
    const before = await scene.request();
    for (const draft of [
      { text: "Done." },
      LENGTH_STOP,
      { stopReason: "aborted" },
      { stopReason: "error", errorMessage: "429 rate limit" },
    ] as const) {
      expect(await scene.overflow("shown", draft, true), JSON.stringify(draft)).to.equal(undefined);
    }
    expect(scene.pi.told).to.deep.equal([]);
    expect((await scene.prompt().request()).noticeTime).to.equal(before.noticeTime);
  });

  it("is none when the user ends Pi's wait for a retry: the failed response is hidden, but not too large", async () => {
    const before = await scene.request();
    const failed = { stopReason: "error", errorMessage: "503 overloaded" } as const;
    expect(await scene.overflow("hidden", failed)).to.equal(undefined);
    expect(scene.pi.told).to.deep.equal([]);
    expect((await scene.prompt().request()).noticeTime).to.equal(before.noticeTime);
  });

  it("is none before the first response", async () => {
    const fresh = await PagingScene.open();
    fresh.prompt();
    expect(await fresh.emit("agent_before_settle", { context: { canContinue: true } })).to.equal(undefined);
    expect(fresh.pi.told).to.deep.equal([]);
  });
});

describe("overflow on the legacy host, which does not ask", () => {
  let scene: PagingScene;

  beforeEach(async () => {
    scene = await PagingScene.withCut({ host: "legacy" });
  });

  it("is told at the end of the run, and the next request is smaller", async () => {
    const refused = await scene.request();
    await scene.overflow("shown");
    expect(scene.pi.told).to.deep.equal([NOT_ANSWERED]);
    expect((await scene.prompt().request()).characters).to.be.lessThan(0.7 * refused.characters);
  });

  it("is told when an answer breaks off before the model's own limit, not at that limit", async () => {
    scene.pi.model = { provider: "p", id: "m", api: "openai-completions", maxTokens: 4096 };
    await scene.overflow("shown", { stopReason: "length", usage: { output: 4096 } });
    expect(scene.pi.told).to.deep.equal([]);
    await scene.overflow("shown", { stopReason: "length", usage: { output: 100 } });
    expect(scene.pi.told).to.deep.equal([NOT_ANSWERED]);
  });

  it("is not told for other ends of a run, nor while paging is off", async () => {
    await scene.overflow("shown", { text: "Done." });
    await scene.overflow("shown", { stopReason: "error", errorMessage: "503 overloaded" });
    await scene.emit("agent_end", { messages: [] });
    expect(scene.pi.told).to.deep.equal([]);
    await scene.command("off");
    await scene.overflow("shown");
    expect(scene.pi.told).to.have.length(1);
  });
});

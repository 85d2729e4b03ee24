/** The warning of a target that leaves no headroom: sections "Settings and limits" and "Lifecycle". */
import { expect } from "chai";
import type { AgentMessage } from "../../lib/messages.ts";
import { PagingScene } from "../support/paging-scene.ts";

const HIGH = { tokenBudget: 3_000, trimToTokens: 3_000 };

describe("high-target warning", () => {
  it("names the pair and what to do", async () => {
    const scene = await PagingScene.open({ paging: HIGH });
    await scene.prompt().request();
    expect(scene.pi.told).to.have.length(1);
    expect(scene.pi.told[0])
      .to.match(/^warning: contextPaging\.trimToTokens \(3000\) is not below tokenBudget \(3000\)/)
      .and.contain("Set a lower trimToTokens");
  });

  it("comes with the first request that uses the pair, not before", async () => {
    const scene = await PagingScene.open({ paging: HIGH });
    await scene.command("status");
    expect(scene.pi.told.filter((text) => text.startsWith("warning"))).to.deep.equal([]);
    await scene.prompt().request(scene.turns(1).messages.slice(3));
    expect(
      scene.pi.told.filter((text) => text.startsWith("warning")),
      "after a failed one",
    ).to.deep.equal([]);
    await scene.request();
    expect(scene.pi.told.filter((text) => text.startsWith("warning"))).to.have.length(1);
  });

  it("comes once, and its mark survives model switches, session starts and the switch of paging", async () => {
    const scene = await PagingScene.open({ paging: HIGH });
    await scene.prompt().request();
    scene.pi.model = { provider: "p", id: "other", api: "openai-completions", contextWindow: 2_000 };
    await scene.emit("model_select");
    await scene.request();
    scene.pi.sessionId = "session-2";
    await scene.emit("session_start", { reason: "new" });
    await scene.request();
    await scene.command("off");
    await scene.command("on");
    await scene.request();
    expect(scene.pi.told.filter((text) => text.startsWith("warning"))).to.have.length(1);
  });

  it("comes for each pair", async () => {
    const modelOverrides = { "p/other": { tokenBudget: 2_000 }, "p/third": { trimToTokens: 9_000 } };
    const scene = await PagingScene.open({ paging: { ...HIGH, modelOverrides } });
    for (const id of ["m", "other", "third", "m", "other"]) {
      scene.pi.model = { provider: "p", id, api: "openai-completions" };
      await scene.emit("model_select");
      await scene.prompt().request();
    }
    const pairs = scene.pi.told.map((text) => text.match(/\d+/g)?.join());
    expect(pairs).to.deep.equal(["3000,3000", "3000,2000", "9000,3000"]);
  });

  it("comes again in another instance: after a restart of Pi", async () => {
    for (const scene of [
      await PagingScene.open({ paging: HIGH }),
      await PagingScene.open({ paging: HIGH }),
    ]) {
      await scene.prompt().request();
      expect(scene.pi.told).to.have.length(1);
    }
  });

  it("never comes for an implicit target, even one that equals a tiny budget", async () => {
    const scene = await PagingScene.open({ paging: { tokenBudget: 1 } });
    scene.pi.systemPrompt = "";
    const smallest: AgentMessage = { role: "user", content: "go", timestamp: 1 };
    expect(await scene.request([smallest])).to.include({ isAborted: false });
    expect(scene.pi.told).to.deep.equal([]);
  });

  it("the cut destination is then the budget, and the cut still only moves forward", async () => {
    const scene = await PagingScene.open({ paging: HIGH });
    const first = await scene.cut();
    const low = await (await PagingScene.open()).cut();
    expect(first.characters).to.be.greaterThan(1.5 * low.characters);
    expect((await scene.request()).noticeTime).to.equal(first.noticeTime);
    const next = await scene.turns(4).prompt().request();
    expect(next.noticeTime).to.not.equal(first.noticeTime);
    const oldest = (sent: typeof next) => sent.messages[1]?.timestamp ?? 0;
    expect(oldest(next)).to.be.greaterThan(oldest(first));
  });
});

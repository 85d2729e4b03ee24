/** Reported faults, group E: Pi's own compaction. */
import { expect } from "chai";
import { branch } from "../support/branch-builder.ts";
import { illegalities } from "../support/legal-request.ts";
import { OVERFLOW, PagingScene } from "../support/paging-scene.ts";
import { prose } from "../support/prose.ts";

const compaction = (scene: PagingScene, fields: object) =>
  scene.emit("session_before_compact", { branchEntries: scene.session.path, ...fields });
const CANCEL = { cancel: true };

describe("D26 compaction off but overflow still compacts", () => {
  // Which compaction is meant on the legacy host, which does not say: spec/host/unit/compaction-reason.spec.ts.
  it("threshold and overflow are cancelled, manual is not, whether Pi would retry or not", async () => {
    const scene = await PagingScene.withCut();
    for (const willRetry of [true, false]) {
      expect(await compaction(scene, { reason: "overflow", willRetry })).to.deep.equal(CANCEL);
      expect(await compaction(scene, { reason: "threshold", willRetry })).to.deep.equal(CANCEL);
      expect(await compaction(scene, { reason: "manual", willRetry })).to.equal(undefined);
    }
    expect(scene.pi.told).to.deep.equal([]);
  });

  it("with paging off every compaction is Pi's own affair", async () => {
    const scene = await PagingScene.withCut();
    await scene.command("off");
    for (const reason of ["overflow", "threshold", "manual"])
      expect(await compaction(scene, { reason })).to.equal(undefined);
  });
});

describe("D27 one long turn passes the limit", () => {
  it("200 units after one prompt: every request is within the budget, at unit boundaries, and keeps the task", async () => {
    const scene = await PagingScene.open({ paging: { tokenBudget: 60_000 } });
    scene.session.user("The task of the day.");
    const [task] = scene.messages;
    let cuts = 0;
    for (let n = 1; n <= 200; n++) {
      scene.session.assistant({ calls: [{ name: "read" }, { name: "bash" }] }).results(prose(n, 4_000));
      const { messages, isUnchanged } = await scene.request();
      expect(scene.report.tokensAfter, `request ${n}`).to.be.at.most(60_000);
      expect(illegalities(messages)).to.deep.equal([]);
      expect(messages[isUnchanged ? 0 : 1]).to.deep.equal(task);
      if (scene.report.movement === "advance") cuts++;
    }
    expect(cuts).to.be.within(10, 17);
  }).timeout(30_000);
});

describe("D28 a context edit makes Pi count the whole history again", () => {
  // With the real host's count: spec/host/reported.spec.ts.
  it("threshold compaction is cancelled both times without an error, and the display shows what was sent", async () => {
    const building = branch();
    for (let n = 1; n <= 220; n++) building.turn(`Prompt ${n}`, [{ name: "read" }], prose(n, 4_000));
    const scene = await PagingScene.resumed(building.user("next"), { paging: { tokenBudget: 40_000 } });
    await scene.request();
    const usage = { input: 900, cacheRead: 21_000, cacheWrite: 100, output: 5, totalTokens: 22_005 };
    scene.answer(0);
    Object.assign(scene.session.messages.at(-1) ?? {}, { usage });
    await scene.turnEnd();
    // Another extension edits an old entry at the end of the turn: Pi's status now counts everything.
    scene.session.contextEdit("00000003", "edited");
    await scene.turnEnd();
    scene.pi.usageWindow = 200_000;
    scene.pi.usageTokens = 220_000;
    for (let n = 0; n < 2; n++)
      expect(await compaction(scene, { reason: "threshold" })).to.deep.equal(CANCEL);
    expect(scene.pi.told).to.deep.equal([]);
    const [stats] = await scene.command("stats");
    expect(stats)
      .to.match(/Input tokens +22,000\n/)
      .and.match(/Paging budget +40,000 \(55% used\)/);
    await scene.prompt().request();
    expect(scene.report.tokensAfter).to.be.within(10_000, 40_000);
  });
});

describe("D37 cancelling an overflow recovery ends the turn silently", () => {
  // In the real hosts: spec/host/overflow.spec.ts.
  for (const [name, draft] of [
    ["a refusal as too long", OVERFLOW],
    ["an answer cut off below the model's maximum", { text: "It begins", stopReason: "length" as const }],
  ] as const) {
    it(`${name}: the run goes on with a smaller request, once, and then the user is told`, async () => {
      const scene = await PagingScene.withCut();
      const refused = await scene.request();
      await scene.emit("before_agent_start");
      expect(await compaction(scene, { reason: "overflow", willRetry: true })).to.deep.equal(CANCEL);
      expect(await scene.overflow("hidden", draft)).to.deep.equal({ continue: true });
      const retried = await scene.request();
      expect(retried.characters).to.be.below(0.7 * refused.characters);
      expect(retried.messages.at(-1)).to.deep.equal(refused.messages.at(-1));
      expect(scene.pi.told).to.deep.equal([]);
      expect(await scene.overflow("hidden", draft), "only once").to.equal(undefined);
      expect(scene.pi.told).to.have.length(1);
      expect(scene.pi.told[0]).to.match(/^error: .*the prompt was not answered. Send it again/);
    });
  }
});

/** What the provider measured, over Pi's lifecycle. Sections "Provider-backed usage" and "Lifecycle". */
import { expect } from "chai";
import type { SelectionReport } from "../../lib/paging/selection-report.ts";
import { PagingScene } from "../support/paging-scene.ts";

const LOCAL_RESIDENT_TOKENS = 7;

/** A scene whose newest response was measured as twice what it was estimated. */
async function measured(host: "current" | "legacy" = "current"): Promise<PagingScene> {
  const scene = await PagingScene.open({ host, paging: { tokenBudget: 50_000 } });
  await scene.turns(1).prompt().request();
  answer(scene, 2 * report(scene).tokensAfter);
  return scene;
}

function answer(scene: PagingScene, totalTokens: number, stopReason: "stop" | "error" = "stop"): void {
  scene.session.assistant({ text: "ok", usage: { totalTokens }, stopReason });
  Object.assign(scene.session.messages.at(-1) ?? {}, { timestamp: Date.UTC(2027, 0, 1) });
}

function report(scene: PagingScene): SelectionReport {
  return scene.pi.emitted.at(-1)?.data as SelectionReport;
}

async function resident(scene: PagingScene): Promise<number> {
  await scene.prompt().request();
  return report(scene).residentTokens;
}

const RESETS: Readonly<Record<string, (scene: PagingScene) => Promise<unknown>>> = {
  session_start: (scene) => scene.emit("session_start", { reason: "resume" }),
  session_tree: (scene) => scene.emit("session_tree"),
  model_select: (scene) => scene.emit("model_select"),
  "a manual compaction attempt": (scene) => scene.emit("session_before_compact", { reason: "manual" }),
  session_compact: (scene) => scene.emit("session_compact", { compactionEntry: { id: "c" } }),
  "a saved context edit": async (scene) => scene.session.contextEdit(scene.entry(-4).id, "edited"),
  "switching off and on": async (scene) => [await scene.command("off"), await scene.command("on")],
};

const OTHERS: Readonly<Record<string, (scene: PagingScene) => Promise<unknown>>> = {
  "a repeated choice": (scene) => scene.command("on"),
  "stats and window": async (scene) => [await scene.command("stats"), await scene.command("window")],
  "a canceled automatic compaction": (scene) => scene.emit("session_before_compact", { reason: "threshold" }),
  "an entry of another kind": async (scene) => scene.session.state("ext", 1).bash("ls", "x"),
};

describe("calibration", () => {
  it("prices the request after a measured response by what was measured", async () => {
    const scene = await measured();
    await scene.emit("turn_end");
    expect(await resident(scene)).to.equal(2 * LOCAL_RESIDENT_TOKENS);
  });

  it("does so on a host that tells of the response only after the next request", async () => {
    expect(await resident(await measured("legacy"))).to.equal(2 * LOCAL_RESIDENT_TOKENS);
  });

  for (const [name, reset] of Object.entries(RESETS)) {
    it(`is cleared by ${name}`, async () => {
      const scene = await measured();
      await scene.emit("turn_end");
      await resident(scene);
      await reset(scene);
      expect(await resident(scene)).to.equal(LOCAL_RESIDENT_TOKENS);
    });
  }

  for (const [name, other] of Object.entries(OTHERS)) {
    it(`is not cleared by ${name}`, async () => {
      const scene = await measured();
      await scene.emit("turn_end");
      await resident(scene);
      await other(scene);
      expect(await resident(scene)).to.equal(2 * LOCAL_RESIDENT_TOKENS);
    });
  }

  it("goes on behind a remembered cut, from the request as it came in", async () => {
    const scene = await PagingScene.withCut();
    answer(scene, Math.round(1.3 * report(scene).tokensAfter));
    await scene.emit("turn_end");
    const before = report(scene);
    expect(await resident(scene)).to.equal(Math.round(1.3 * LOCAL_RESIDENT_TOKENS));
    const outside = ({ tokensBefore, tokensAfter, noticeTokens }: SelectionReport) =>
      tokensBefore - tokensAfter + noticeTokens;
    // The first request priced a part of it by size alone. Calibrated, it would be 30 % more.
    const local = outside(before);
    expect(outside(report(scene)), "what was not in the measured request").to.be.closeTo(local, local / 100);
  });

  it("leaves the checks of resident and retained input in force", async () => {
    const scene = await PagingScene.open();
    scene.pi.systemPrompt = "abcd".repeat(2_000);
    await scene.prompt().request();
    answer(scene, 2 * report(scene).tokensAfter);
    await scene.emit("turn_end");
    expect((await scene.prompt().request()).isAborted).to.equal(true);
    expect(scene.pi.told.at(-1)).to.match(/^error: Resident input estimate of [34]\d{3} tokens/);
  });

  it("takes no request that was not selected: a response is not linked to the one before it", async () => {
    const scene = await PagingScene.open({ paging: { tokenBudget: 50_000 } });
    await scene.turns(1).prompt().request();
    answer(scene, 5_000, "error");
    await scene.emit("turn_end");
    const { systemPrompt } = scene.pi;
    scene.pi.systemPrompt = "x".repeat(900_000);
    expect((await scene.prompt().request()).isAborted).to.equal(true);
    scene.pi.systemPrompt = systemPrompt;
    answer(scene, 5_000);
    await scene.emit("turn_end");
    expect(await resident(scene)).to.equal(LOCAL_RESIDENT_TOKENS);
  });

  it("takes requests without a remembered cut, too", async () => {
    const scene = await PagingScene.withCut();
    await scene.request(scene.messages.slice(-20));
    expect(report(scene).fallbackCause).to.equal("frontier-not-in-groups");
    answer(scene, Math.round(1.3 * report(scene).tokensAfter));
    await scene.emit("turn_end");
    expect(await resident(scene)).to.equal(Math.round(1.3 * LOCAL_RESIDENT_TOKENS));
  });

  it("that falls back to local estimates does not reset the cut", async () => {
    const scene = await PagingScene.withCut();
    answer(scene, Math.round(1.3 * report(scene).tokensAfter));
    await scene.emit("turn_end");
    scene.pi.usageWindow = 1_000_000; // Pi's status now says that no total is known.
    expect(await resident(scene)).to.equal(LOCAL_RESIDENT_TOKENS);
    expect(await scene.hasForgottenCut()).to.equal(false);
  });

  it("reports whole tokens", async () => {
    const scene = await measured();
    answer(scene, 3 * report(scene).tokensAfter + 1);
    await scene.emit("turn_end");
    await resident(scene);
    for (const [key, value] of Object.entries(report(scene)))
      if (typeof value === "number") expect(Number.isInteger(value), key).to.equal(true);
  });
});

describe("selection report of unread results that do not fit the budget", () => {
  for (const [mode, contextWindow] of [
    ["protectedOverflow", undefined],
    ["recovery", 4_000],
  ] as const) {
    it(`${mode}: all that goes out is protected`, async () => {
      const scene = await PagingScene.open();
      if (contextWindow) scene.pi.model = { provider: "p", id: "m", api: "x", contextWindow };
      scene
        .turns(3)
        .prompt()
        .session.assistant({ calls: [{ name: "read" }] })
        .results("word ".repeat(4_000));
      await scene.request();
      const { residentTokens, noticeTokens, protectedTokens, tokensAfter, ...rest } = report(scene);
      expect(rest.mode).to.equal(mode);
      expect(residentTokens + noticeTokens + protectedTokens).to.equal(tokensAfter);
    });
  }
});

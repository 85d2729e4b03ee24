/** `/context-paging stats` and `window`, and the event for other extensions. Section "Read-only session stats". */
import { expect } from "chai";
import { PagingScene } from "../support/paging-scene.ts";
import { stderrOf } from "../support/stderr.ts";

const USAGE = { input: 100, output: 50, cacheRead: 2_000, cacheWrite: 300, totalTokens: 2_450 };

/** The value of a row of the stats. */
async function row(scene: PagingScene, label: string): Promise<string | undefined> {
  const [text = ""] = await scene.command("stats");
  const line = text.split("\n").find((candidate) => candidate.startsWith(`  ${label}`));
  return line?.slice(2 + label.length).trim();
}

async function picture(scene: PagingScene): Promise<string> {
  return (await scene.command("window")).join("\n");
}

async function answer(scene: PagingScene): Promise<void> {
  scene.session.assistant({ text: "ok", usage: USAGE });
  const message = { ...scene.session.messages.at(-1), timestamp: Date.UTC(2027, 0, 1) };
  await scene.emit("turn_end", { message });
}

for (const host of ["current", "legacy"] as const) {
  describe(`stats on the ${host} host`, () => {
    it("show the latest selection estimate with ~, then the measured input of its response", async () => {
      const scene = await PagingScene.open({ host });
      expect(await row(scene, "Input tokens")).to.equal("unavailable");
      await scene.cut();
      expect(await row(scene, "Input tokens")).to.match(/^~1,\d{3}$/);
      await answer(scene);
      expect(await row(scene, "Input tokens")).to.equal("2,400");
      expect(await row(scene, "Paging budget")).to.equal("3,000 (80% used)");
    });

    it("clear the latest request at lifecycle invalidation", async () => {
      for (const end of [
        (scene: PagingScene) => scene.emit("model_select"),
        (scene: PagingScene) => scene.emit("session_tree"),
        (scene: PagingScene) => scene.emit("session_start", { reason: "reload" }),
        (scene: PagingScene) => scene.emit("session_compact", { compactionEntry: { id: "c" } }),
        (scene: PagingScene) => scene.command("off"),
      ]) {
        const scene = await PagingScene.withCut({ host });
        await end(scene);
        expect(await row(scene, "Input tokens")).to.equal("unavailable");
        expect(await picture(scene)).to.match(/No request has been selected yet|Context paging is off/);
      }
    });

    it("take the latest saved response after resume", async () => {
      const scene = await PagingScene.open({ host });
      scene.session.user("a").assistant({ usage: USAGE });
      expect(await row(scene, "Input tokens")).to.equal("2,400");
      scene.session.model("p", "other");
      expect(await row(scene, "Input tokens")).to.equal("unavailable");
    });
  });
}

describe("/context-paging stats", () => {
  it("shows the effective budget, capped by the input window, and the model window", async () => {
    const scene = await PagingScene.open({ paging: { tokenBudget: 100_000 } });
    expect(await row(scene, "Paging budget")).to.equal("100,000");
    expect(await row(scene, "Model window")).to.equal("unavailable");
    scene.pi.model = { provider: "p", id: "m", api: "x", contextWindow: 32_000, maxTokens: 2_000 };
    expect(await row(scene, "Paging budget")).to.equal("30,000");
    expect(await row(scene, "Model window")).to.equal("32,000");
    scene.pi.usageWindow = 64_000;
    expect(await row(scene, "Model window")).to.equal("64,000");
    for (const contextWindow of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      scene.pi.usageWindow = undefined;
      scene.pi.model = { provider: "p", id: "m", api: "x", contextWindow };
      expect(await row(scene, "Paging budget")).to.equal("100,000");
      expect(await row(scene, "Model window")).to.equal("unavailable");
    }
  });

  it("shows the budget of the active model's override", async () => {
    const modelOverrides = { "p/m": { tokenBudget: 7_000 } };
    const scene = await PagingScene.open({ paging: { tokenBudget: 100_000, modelOverrides } });
    expect(await row(scene, "Paging budget")).to.equal("7,000");
    scene.pi.model = undefined;
    expect(await row(scene, "Paging budget")).to.equal("100,000");
  });

  it("shows a disabled budget as inactive, also where the settings cannot be read", async () => {
    expect(await row(await PagingScene.open({ paging: { enabled: false } }), "Paging budget")).to.equal(
      "inactive",
    );
    expect(await row(new PagingScene(), "Paging budget")).to.equal("inactive");
  });

  it("says where the history of a fork is counted", async () => {
    const scene = await PagingScene.open();
    expect((await scene.command("stats"))[0]).to.contain("info: Saved history\n");
    scene.pi.parentSession = "parent.jsonl";
    expect((await scene.command("stats"))[0]).to.contain(
      "info: Saved history, with what the fork took over\n",
    );
  });
});

describe("stats and window", () => {
  it("reset neither cut nor accounting, publish no status, and call nobody", async () => {
    const scene = await PagingScene.withCut();
    const [statuses, events] = [scene.pi.statuses.length, scene.pi.emitted.length];
    const ask = async () => {
      const before = structuredClone(scene.session.entries);
      for (const args of ["stats", "window"]) await scene.command(args);
      expect(scene.session.entries).to.deep.equal(before);
    };
    await ask();
    expect(await scene.hasForgottenCut()).to.equal(false);
    await ask();
    expect(await scene.hasForgottenMeasures()).to.equal(false);
    await ask();
    expect(scene.pi.statuses.length).to.equal(statuses);
    expect(scene.pi.otherCalls).to.deep.equal([]);
    expect(scene.pi.emitted.length - events, "one event a request, none for a question").to.equal(2);
  });

  it("do not follow the session: what is new there still resets with the next request", async () => {
    const scene = await PagingScene.withCut();
    scene.session.contextEdit(scene.entry(-3).id, "edited");
    await scene.command("stats");
    await scene.command("window");
    expect(await scene.hasForgottenCut()).to.equal(true);
  });

  it("answer although Pi's own measure fails on damaged content (D11)", async () => {
    const scene = await PagingScene.withCut();
    scene.session.message({ role: "toolResult", content: undefined } as never);
    expect(await row(scene, "History tokens")).to.match(/^~3,\d{3}$/);
  });

  it("are plain but for a TUI of a host that says so, where they have theme colours", async () => {
    for (const [host, mode, isColoured] of [
      ["current", "tui", true],
      ["current", "rpc", false],
      ["legacy", "tui", false],
    ] as const) {
      const scene = await PagingScene.withCut({ host });
      scene.pi.mode = mode;
      for (const args of ["stats", "window"])
        expect((await scene.command(args)).join().includes("<accent>"), `${host} ${mode} ${args}`).to.equal(
          isColoured,
        );
    }
  });

  it("keep their lines on stderr where there is no user interface, each with the name of the extension", async () => {
    const scene = await PagingScene.open({ ui: "none" });
    const lines = await stderrOf(async () => {
      await scene.command("stats");
      await scene.command("window");
    });
    expect(lines).to.have.length(15);
    for (const line of lines) expect(line).to.match(/^context-paging: /);
    expect(scene.pi.ui.notifications).to.deep.equal([]);
  });
});

describe("/context-paging window", () => {
  it("shows the latest request and the cuts of this session", async () => {
    const scene = await PagingScene.withCut();
    const lines = (await picture(scene)).split("\n");
    expect(lines[0]).to.match(/^info: Window of the latest request: ~1,\d{3} of 3,000 tokens$/);
    expect(lines.at(-2)).to.equal("Cut log");
    expect(lines.at(-1)).to.match(
      /advance .* tokens sent, 10 units outside, cut behind 00000025 \(fifo, keyed-boundary\)$/,
    );
  });

  it("keeps the log while paging is off and after resets, and starts it anew with the session", async () => {
    const scene = await PagingScene.withCut();
    await scene.emit("model_select");
    await scene.command("off");
    expect(await picture(scene))
      .to.contain("Context paging is off")
      .and.to.contain("advance");
    await scene.emit("session_start", { reason: "resume" });
    expect(await picture(scene)).to.contain("No cut so far.");
  });

  it("is there before the first request", async () => {
    expect(await picture(await PagingScene.open())).to.contain(
      "No request has been selected yet. Budget 3,000 tokens.",
    );
  });

  it("logs fallbacks with their cause", async () => {
    const scene = await PagingScene.withCut();
    await scene.request(scene.messages.slice(-20));
    expect(await picture(scene))
      .to.contain("fallback")
      .and.to.contain("frontier-not-in-groups");
  });
});

describe("context-paging:selection", () => {
  const CHANNEL = "context-paging:selection";

  it("is emitted once for each request that is selected, whole ones too", async () => {
    const scene = await PagingScene.open();
    await scene.turns(2).prompt().request();
    await scene.cut();
    await scene.request();
    const modes = scene.pi.emitted.map(({ channel, data }) => [channel, (data as { mode: string }).mode]);
    expect(modes).to.deep.equal([
      [CHANNEL, "whole"],
      [CHANNEL, "paged"],
      [CHANNEL, "paged"],
    ]);
  });

  it("carries the report that stats and picture show, in whole tokens, and no message content", async () => {
    const scene = await PagingScene.withCut();
    const { data } = scene.pi.emitted[0] ?? {};
    const report = data as Record<string, unknown>;
    expect(report).to.include({ mode: "paged", movement: "advance", budgetTokens: 3_000, unitsRemoved: 10 });
    for (const [key, value] of Object.entries(report))
      if (key.endsWith("Tokens") || key.startsWith("tokens"))
        expect(Number.isInteger(value), key).to.equal(true);
    expect(JSON.stringify(report).length).to.be.below(600);
    const shown = (report.tokensAfter as number).toLocaleString("en-US");
    expect(await row(scene, "Input tokens")).to.equal(`~${shown}`);
    expect(await picture(scene)).to.contain(`~${shown} of 3,000 tokens`);
  });

  it("is a copy: what a listener does to it changes nothing here", async () => {
    const scene = await PagingScene.withCut();
    Object.assign(scene.pi.emitted[0]?.data as object, {
      tokensAfter: 1,
      movement: "none",
      frontier: undefined,
    });
    expect(await row(scene, "Input tokens")).to.not.equal("~1");
    expect(await picture(scene)).to.contain("cut behind 00000025");
    expect(await scene.hasForgottenCut()).to.equal(false);
  });

  it("is not emitted for a request that fails, nor while paging is off", async () => {
    const scene = await PagingScene.open();
    scene.pi.systemPrompt = "x".repeat(50_000);
    expect((await scene.cut()).isAborted).to.equal(true);
    await scene.command("off");
    await scene.request();
    expect(scene.pi.emitted).to.deep.equal([]);
  });
});

/** Reported faults, group D: windows, models and settings. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { ContextPagingExtension } from "../../lib/extension.ts";
import { branch } from "../support/branch-builder.ts";
import type { FakeModel } from "../support/fake-pi.ts";
import { projectionOf } from "../support/history.ts";
import { MeasuredSession } from "../support/measured-session.ts";
import { PagingScene, SCENE_SETTINGS, type SceneOptions } from "../support/paging-scene.ts";
import { prose } from "../support/prose.ts";

const model = (contextWindow?: unknown, maxTokens?: number): FakeModel =>
  ({ provider: "p", id: "m", api: "x", contextWindow, maxTokens }) as FakeModel;

/** Turns of about 1 000 tokens each. */
function longSession(turns: number) {
  const building = branch();
  for (let n = 1; n <= turns; n++) building.turn(`Prompt ${n}`, [{ name: "read" }], prose(n, 4_000));
  return building;
}

describe("D21 change to a model with a smaller window", () => {
  async function onLarge(): Promise<PagingScene> {
    const scene = await PagingScene.resumed(longSession(150).user("next"), {
      paging: { tokenBudget: 200_000 },
    });
    scene.pi.model = model(200_000, 16_384);
    expect((await scene.request()).isUnchanged).to.equal(true);
    expect(scene.report.tokensAfter).to.be.greaterThan(150_000);
    return scene;
  }

  async function change(scene: PagingScene, contextWindow: number): Promise<void> {
    scene.pi.model = model(contextWindow, 16_384);
    scene.session.model("p", "m");
    await scene.emit("model_select", { model: scene.pi.model });
  }

  it("the request after the change fits the window without the output room", async () => {
    const scene = await onLarge();
    await change(scene, 32_000);
    expect((await scene.request()).isAborted).to.equal(false);
    expect(scene.report.budgetTokens).to.equal(32_000 - 8_000);
    expect(scene.report.tokensAfter).to.be.at.most(24_000);
  });

  it("after changing back nothing is lost from recovery", async () => {
    const scene = await onLarge();
    await change(scene, 32_000);
    await scene.request();
    await change(scene, 200_000);
    expect((await scene.request()).isAborted).to.equal(false);
    const reply = await scene.tool<{ items: object[] }>("load_history", { historyIds: ["00000002"] });
    expect(reply.items[0]).to.deep.include({ historyId: "00000002" });
  });

  it("a prompt that alone exceeds the window gives a clear message, and the next one is answered", async () => {
    const scene = await onLarge();
    await change(scene, 32_000);
    const before = scene.session.leafId;
    scene.session.user(prose(1, 140_000));
    expect(await scene.request()).to.include({ isAborted: true, isUnchanged: true });
    expect(scene.pi.told[0]).to.match(
      /estimate of 3\d{4} tokens exceeds the limit of 24000 tokens.*Send a shorter prompt/,
    );
    scene.session.goTo(before).user("short");
    expect((await scene.request()).isAborted).to.equal(false);
  });
});

describe("D22 the window is unknown, zero or wrong", () => {
  const windows = [undefined, 0, null, Number.NaN, -1, Number.POSITIVE_INFINITY, "200000"];
  for (const contextWindow of windows) {
    it(`${String(contextWindow)}: the configured budget stands, and the default where none is`, async () => {
      for (const [paging, budget] of [
        [SCENE_SETTINGS, 3_000],
        [{}, 128_000],
      ] as const) {
        const scene = await PagingScene.open({ paging });
        scene.pi.model = model(contextWindow);
        expect((await scene.cut()).isAborted).to.equal(false);
        expect(scene.report.budgetTokens).to.equal(budget);
      }
    });
  }

  for (const [contextWindow, maxTokens, budget] of [
    [1e9, 1e9, 128_000],
    [40_000, 100_000, 30_000],
    [8_000, 8_000, 6_000],
    [3, 100_000, 3],
    [1, 1, 1],
    [0.5, 1, 1],
  ] as const) {
    it(`a window of ${contextWindow} with answers of ${maxTokens}: a budget of ${budget}, and no empty request`, async () => {
      const scene = await PagingScene.open({ paging: {} });
      scene.pi.systemPrompt = "";
      scene.pi.model = model(contextWindow, maxTokens);
      const { isAborted, messages } = await scene.turns(300).prompt().request();
      expect(messages).to.not.deep.equal([]);
      if (budget < 100) {
        expect(isAborted).to.equal(true);
        expect(scene.pi.told[0]).to.contain(`exceeds the limit of ${budget} tokens`);
        return;
      }
      expect(scene.report.budgetTokens).to.equal(budget);
      expect(scene.report.tokensAfter).to.be.within(1, budget);
    });
  }
});

describe("D23 virtual models and routers", () => {
  it("the window of Pi's usage status counts, else that of the selected model", async () => {
    const scene = await PagingScene.open({ paging: { tokenBudget: 900_000 } });
    scene.pi.model = model(200_000, 16_000);
    const budget = async (usageWindow: number | undefined) => {
      scene.pi.usageWindow = usageWindow;
      await scene.prompt().request();
      return scene.report.budgetTokens;
    };
    expect(await budget(undefined)).to.equal(184_000);
    expect(await budget(1_000_000)).to.equal(900_000);
    expect(await budget(128_000)).to.equal(112_000);
    expect(await budget(0)).to.equal(184_000);
  });

  it("calibration is kept per answering model", () => {
    const session = new MeasuredSession().user(300);
    const answered = (total: number, model: string) => {
      session.send();
      session.answer(total, 0, { model });
      return session.send().resident;
    };
    const first = answered(800, "physical-a");
    expect(first).to.be.closeTo(200, 1);
    expect(answered(440, "physical-b"), "less than a tenth above the estimates").to.be.closeTo(110, 1);
    expect(answered(800, "physical-a"), "its own overhead again").to.be.closeTo(first, 1);
  });

  it("pi.virtual-model-state entries are neither items nor errors", async () => {
    const building = branch()
      .user("u1")
      .state("pi.virtual-model-state", { model: "a" })
      .assistant({ calls: [{ name: "read" }] })
      .state("pi.virtual-model-state", { model: "b" })
      .results("r");
    expect(projectionOf(building.path).items.map(({ kind }) => kind)).to.deep.equal(["user", "modelTurn"]);
    const scene = await PagingScene.resumed(building);
    expect(await scene.request()).to.include({ isAborted: false, isUnchanged: true });
  });
});

describe("D24 settings that cannot be read", () => {
  const agentDir = process.env.PI_CODING_AGENT_DIR;
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "paging-reported-"));
    mkdirSync(join(folder, "project", ".pi"), { recursive: true });
    process.env.PI_CODING_AGENT_DIR = folder;
  });
  afterEach(() => {
    if (agentDir === undefined) delete process.env.PI_CODING_AGENT_DIR;
    else process.env.PI_CODING_AGENT_DIR = agentDir;
    rmSync(folder, { recursive: true, force: true });
  });

  /** The scene that starts with these files, and the error of its start. The files are the same afterwards. */
  async function started(global: string, project?: string, trust: "trusted" | "untrusted" = "trusted") {
    const files = { "settings.json": global, "project/.pi/settings.json": project };
    for (const [name, text] of Object.entries(files))
      if (text !== undefined) writeFileSync(join(folder, name), text);
    const options: SceneOptions = { paging: "files" };
    const scene = new PagingScene(options);
    scene.pi.cwd = join(folder, "project");
    scene.pi.projectTrusted = trust === "trusted";
    const failure = await scene.emit("session_start", { reason: "startup" }).catch((error: Error) => error);
    await scene.turns(20).prompt().request();
    for (const [name, text] of Object.entries(files))
      if (text !== undefined) expect(readFileSync(join(folder, name), "utf8"), name).to.equal(text);
    return { scene, failure };
  }

  const budgetOf = (value: string) => `{"contextPaging": {"tokenBudget": ${value}}}`;

  it("broken JSON turns paging off, is told, and the file is kept", async () => {
    const { scene, failure } = await started('{"contextPaging": {"tokenBudget": 3000,}}');
    expect(failure).to.be.instanceOf(Error);
    expect(scene.pi.statuses).to.deep.equal(["paging off"]);
  });

  it("a byte-order mark is accepted", async () => {
    const { scene } = await started(`\ufeff${budgetOf("3000")}`);
    expect(scene.report.budgetTokens).to.equal(3_000);
  });

  for (const value of ['"80000"', "-1", "0", "1.5", "null", "true"]) {
    it(`a budget of ${value} is named once, and the default is used`, async () => {
      const { scene } = await started(budgetOf(value));
      await scene.emit("session_start", { reason: "reload" });
      const warnings = scene.pi.told.filter((told) => told.startsWith("warning: Invalid settings"));
      expect(warnings).to.have.length(1);
      expect(warnings[0])
        .to.contain("tokenBudget")
        .and.contain(value.replaceAll('"', ""))
        .and.contain("128000");
      expect(scene.report.budgetTokens).to.equal(128_000);
    });
  }

  it("a budget of 1e12 is a whole number and stands", async () => {
    const { scene } = await started(budgetOf("1e12"));
    expect(scene.pi.told).to.deep.equal([]);
    expect(scene.report.budgetTokens).to.equal(1e12);
  });

  it("unknown keys are ignored without a word", async () => {
    const { scene } = await started(
      '{"contextPaging": {"tokenBudget": 3000, "tokenbudget": 1, "more": {}}, "theme": "x"}',
    );
    expect(scene.pi.told).to.deep.equal([]);
    expect(scene.report.budgetTokens).to.equal(3_000);
  });

  it("the project comes before global, but only when it is trusted", async () => {
    const both = [budgetOf("3000"), budgetOf("4000")] as const;
    expect((await started(...both)).scene.report.budgetTokens).to.equal(4_000);
    expect((await started(...both, "untrusted")).scene.report.budgetTokens).to.equal(3_000);
  });
});

describe("D25 tool names already taken", () => {
  it("another owner of one name keeps its tool: one message, and the other three are there", async () => {
    const scene = new PagingScene();
    scene.pi.tools = [{ name: "search_history", description: "of another", parameters: {} }];
    for (const reason of ["startup", "new"]) await scene.emit("session_start", { reason });
    expect(scene.pi.registeredTools.map(({ name }) => name)).to.have.members([
      "browse_history",
      "load_history",
      "read_context_output",
    ]);
    expect(scene.pi.told).to.have.length(1);
    expect(scene.pi.told[0]).to.match(/^warning: Another extension owns search_history/);
  });

  it("paging loaded twice: the tools are registered once, one message says what to do, requests stay in order", async () => {
    const scene = new PagingScene();
    const settings = { globalSettings: { contextPaging: SCENE_SETTINGS }, projectTrusted: false };
    new ContextPagingExtension({ settings, now: () => Date.UTC(2026, 5, 1) }).register(scene.pi.api);
    await scene.emit("session_start", { reason: "startup" });
    expect(scene.pi.registeredTools).to.have.length(4);
    expect(scene.pi.told).to.have.length(1);
    expect(scene.pi.told[0]).to.contain("installed twice, remove one of them");
    for (let n = 0; n < 4; n++) {
      const { messages, isAborted } = await scene.turns(16).prompt().request();
      expect(isAborted).to.equal(false);
      const notices = messages.filter(
        ({ role, ...rest }) => role === "user" && JSON.stringify(rest).includes("[context-paging]"),
      );
      expect(notices, "notices").to.have.length(1);
      expect(messages[0]).to.equal(notices[0]);
    }
    expect(scene.pi.told).to.have.length(1);
  });
});

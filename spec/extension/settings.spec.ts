/** Settings at the start of a session: sections "Lifecycle" and "Failure behavior", contract of settings. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { SettingsFileError } from "../../lib/errors.ts";
import { PagingScene, SCENE_SETTINGS } from "../support/paging-scene.ts";

const ON = "info: Context paging is on for this session.";
const OFF = "info: Context paging is off for this session.";
const start = (scene: PagingScene, reason = "startup") => scene.emit("session_start", { reason });

/** Sources whose reading can be made to fail, or observed. */
function sources() {
  const reading = { failure: undefined as Error | undefined, onRead: () => {} };
  return {
    reading,
    settings: {
      get globalSettings() {
        reading.onRead();
        if (reading.failure) throw reading.failure;
        return { contextPaging: SCENE_SETTINGS };
      },
      projectTrusted: false,
    },
  };
}

describe("settings of a session", () => {
  for (const reason of ["startup", "reload", "new", "resume", "fork"]) {
    it(`session_start (${reason}) clears the choice of the command`, async () => {
      const scene = await PagingScene.open();
      await scene.command("off");
      await start(scene, reason);
      expect(await scene.command("status")).to.deep.equal([ON]);
    });
  }

  it("the choice is cleared before settings load", async () => {
    const { reading, settings } = sources();
    const scene = await PagingScene.open({ settings });
    await scene.command("off");
    reading.onRead = () => void scene.pi.command("context-paging", "status");
    await start(scene);
    expect(scene.pi.told.at(-1)).to.equal(ON);
  });

  it("the choice survives branch navigation, model changes and compaction", async () => {
    const scene = await PagingScene.open();
    await scene.command("off");
    await scene.emit("session_tree");
    await scene.emit("model_select");
    scene.turns(1).session.compaction("Summary.", scene.entry(-1).id);
    await scene.emit("session_before_compact", { reason: "manual", branchEntries: scene.session.path });
    await scene.emit("session_compact", { compactionEntry: scene.entry(-1) });
    await scene.turnEnd();
    expect(await scene.command("")).to.deep.equal([OFF]);
  });

  it("enabled: false starts with paging off, and /context-paging on turns it on", async () => {
    const scene = await PagingScene.open({ paging: { ...SCENE_SETTINGS, enabled: false } });
    expect(scene.pi.statuses).to.deep.equal(["paging off"]);
    expect((await scene.cut()).isUnchanged).to.equal(true);
    expect(await scene.command("on")).to.deep.equal([ON]);
    expect((await scene.request()).notice).to.be.a("string");
  });

  it("the limits of the active model's override apply", async () => {
    const modelOverrides = { "p/large": { tokenBudget: 30_000 } };
    const scene = await PagingScene.withCut({ paging: { ...SCENE_SETTINGS, modelOverrides } });
    scene.pi.model = { provider: "p", id: "large", api: "openai-completions" };
    await scene.emit("model_select");
    expect((await scene.request()).isUnchanged).to.equal(true);
  });

  describe("that cannot be read", () => {
    const broken = () => new SettingsFileError("/agent/settings.json", "The settings file is broken.");

    it("turn paging off for the session, and the error propagates", async () => {
      const { reading, settings } = sources();
      const scene = new PagingScene({ settings });
      reading.failure = broken();
      expect(await start(scene).catch((error: unknown) => error)).to.equal(reading.failure);
      expect(scene.pi.statuses).to.deep.equal(["paging off"]);
      expect((await scene.cut()).isUnchanged).to.equal(true);
      expect(await scene.command("status")).to.deep.equal([OFF]);
      expect(await scene.emit("session_before_compact", { reason: "threshold", branchEntries: [] })).to.equal(
        undefined,
      );
    });

    it("keep it off when paging was on in the session before", async () => {
      const { reading, settings } = sources();
      const scene = await PagingScene.open({ settings });
      reading.failure = broken();
      await start(scene, "new").catch(() => {});
      expect(scene.pi.statuses).to.deep.equal(["paging on", "paging off"]);
      expect((await scene.cut()).isUnchanged).to.equal(true);
    });

    it("are the answer to /context-paging on, which leaves paging off and says so in the footer", async () => {
      const { reading, settings } = sources();
      const scene = new PagingScene({ settings });
      reading.failure = broken();
      await start(scene).catch(() => {});
      expect(await scene.command("on")).to.deep.equal(["error: The settings file is broken."]);
      expect(scene.pi.statuses).to.deep.equal(["paging off", "paging off"]);
      expect(await scene.command("status")).to.deep.equal([OFF]);
      expect(await scene.command("off")).to.deep.equal([OFF]);
    });

    it("are reported once, also where the host starts a session twice", async () => {
      const { reading, settings } = sources();
      const scene = new PagingScene({ settings });
      reading.failure = broken();
      const errors: unknown[] = [];
      const startAnd = () => start(scene, "new").catch((error: unknown) => errors.push(error));
      await startAnd();
      await startAnd();
      expect(errors).to.deep.equal([reading.failure]);
      scene.pi.sessionId = "session-2";
      await startAnd();
      expect(errors).to.have.length(2);
    });

    it("are read again at the next session start", async () => {
      const { reading, settings } = sources();
      const scene = new PagingScene({ settings });
      reading.failure = broken();
      await start(scene).catch(() => {});
      reading.failure = undefined;
      await start(scene, "reload");
      expect(scene.pi.statuses).to.deep.equal(["paging off", "paging on"]);
      expect((await scene.cut()).notice).to.be.a("string");
    });

    it("turn paging off also when what was thrown is no error", async () => {
      const scene = new PagingScene({
        settings: {
          get globalSettings(): unknown {
            throw "out of order";
          },
          projectTrusted: false,
        },
      });
      expect(await start(scene).catch((error: unknown) => error)).to.equal("out of order");
      expect(await scene.command("on")).to.deep.equal(["error: out of order"]);
    });
  });

  describe("that are invalid", () => {
    const paging = { ...SCENE_SETTINGS, enabled: "yes", trimToTokens: -1 };

    it("are named in one warning", async () => {
      const scene = await PagingScene.open({ paging });
      expect(scene.pi.told).to.have.length(1);
      expect(scene.pi.told[0])
        .to.match(/^warning: Invalid settings: /)
        .and.contain('contextPaging.enabled is "yes"')
        .and.contain("contextPaging.trimToTokens is -1");
      expect(scene.pi.statuses).to.deep.equal(["paging on"]);
    });

    it("are named once per session", async () => {
      const scene = await PagingScene.open({ paging });
      await start(scene, "reload");
      expect(scene.pi.told).to.have.length(1);
      scene.pi.sessionId = "session-2";
      await start(scene, "new");
      expect(scene.pi.told).to.have.length(2);
    });
  });

  describe("in files", () => {
    const before = process.env.PI_CODING_AGENT_DIR;
    let folder: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "paging-files-"));
      mkdirSync(join(folder, "project", ".pi"), { recursive: true });
      process.env.PI_CODING_AGENT_DIR = folder;
    });
    afterEach(() => {
      if (before === undefined) delete process.env.PI_CODING_AGENT_DIR;
      else process.env.PI_CODING_AGENT_DIR = before;
      rmSync(folder, { recursive: true, force: true });
    });

    const write = (place: "global" | "project", contextPaging: object) => {
      const file = join(folder, place === "global" ? "settings.json" : "project/.pi/settings.json");
      writeFileSync(file, JSON.stringify({ contextPaging }));
    };
    const open = async (host: "current" | "legacy", trust: "trusted" | "untrusted") => {
      const scene = new PagingScene({ paging: "files", host });
      scene.pi.cwd = join(folder, "project");
      scene.pi.projectTrusted = trust === "trusted";
      await start(scene);
      return scene;
    };

    it("are the agent folder's", async () => {
      write("global", { enabled: false });
      expect((await open("current", "untrusted")).pi.statuses).to.deep.equal(["paging off"]);
    });

    it("are the project's too, but only once Pi grants trust", async () => {
      write("project", { enabled: false });
      expect((await open("current", "trusted")).pi.statuses).to.deep.equal(["paging off"]);
      expect((await open("current", "untrusted")).pi.statuses).to.deep.equal(["paging on"]);
    });

    it("are never the project's on the legacy host, which grants nothing", async () => {
      write("project", { enabled: false });
      expect((await open("legacy", "trusted")).pi.statuses).to.deep.equal(["paging on"]);
    });

    it("that are broken turn paging off", async () => {
      writeFileSync(join(folder, "settings.json"), "{ broken");
      const error: unknown = await open("current", "untrusted").catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(SettingsFileError);
    });

    it("are not read where options.settings is given", async () => {
      writeFileSync(join(folder, "settings.json"), "{ broken");
      expect((await PagingScene.open()).pi.statuses).to.deep.equal(["paging on"]);
    });
  });
});

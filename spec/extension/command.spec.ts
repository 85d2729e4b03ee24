/** `/context-paging` and the footer: section "Lifecycle". */
import { expect } from "chai";
import { PagingScene } from "../support/paging-scene.ts";
import { stderrOf } from "../support/stderr.ts";

const ON = "Context paging is on for this session.";
const OFF = "Context paging is off for this session.";
const USAGE = "Usage: /context-paging [on|off|status|stats|window]";

describe("/context-paging", () => {
  let scene: PagingScene;

  beforeEach(async () => {
    scene = await PagingScene.open();
  });

  it("on and off answer with the state", async () => {
    expect(await scene.command("off")).to.deep.equal([`info: ${OFF}`]);
    expect(await scene.command("off")).to.deep.equal([`info: ${OFF}`]);
    expect(await scene.command("on")).to.deep.equal([`info: ${ON}`]);
  });

  it("without an argument, and with status, shows the state", async () => {
    expect(await scene.command("")).to.deep.equal([`info: ${ON}`]);
    await scene.command("off");
    expect(await scene.command("status")).to.deep.equal([`info: ${OFF}`]);
    expect(await scene.command("  status ")).to.deep.equal([`info: ${OFF}`]);
  });

  it("with anything else shows the usage and changes nothing", async () => {
    for (const args of ["maybe", "ON", "Off", "on off"])
      expect(await scene.command(args), args).to.deep.equal([`info: ${USAGE}`]);
    expect(await scene.command("")).to.deep.equal([`info: ${ON}`]);
  });

  it("off lets requests and compactions of Pi pass, on pages again", async () => {
    await scene.command("off");
    expect((await scene.cut()).isUnchanged).to.equal(true);
    await scene.command("on");
    expect((await scene.request()).notice).to.be.a("string");
  });

  it("off keeps warnings of limits back", async () => {
    const high = await PagingScene.open({ paging: { tokenBudget: 3_000, trimToTokens: 3_000 } });
    await high.command("off");
    await high.cut();
    expect(high.pi.told).to.deep.equal([`info: ${OFF}`]);
  });

  it("an actual change resets cut and accounting", async () => {
    await scene.cut();
    await scene.command("off");
    await scene.command("on");
    expect(await scene.hasForgottenCut()).to.equal(true);
    await scene.command("off");
    await scene.command("on");
    expect(await scene.hasForgottenMeasures()).to.equal(true);
  });

  it("repeated choices, questions and unknown arguments reset neither", async () => {
    await scene.cut();
    const ask = async () => {
      for (const args of ["on", "status", "", "maybe"]) await scene.command(args);
    };
    await ask();
    expect(await scene.hasForgottenCut()).to.equal(false);
    await ask();
    expect(await scene.hasForgottenMeasures()).to.equal(false);
  });

  it("writes no settings and no entries, sends nothing and registers nothing", async () => {
    const before = scene.session.entries;
    for (const args of ["off", "on", "status", "maybe"]) await scene.command(args);
    expect(scene.pi.otherCalls).to.deep.equal([]);
    expect(scene.session.entries).to.deep.equal(before);
  });

  it("offers its arguments", () => {
    const complete = scene.pi.commands.get("context-paging")?.getArgumentCompletions;
    expect(JSON.stringify(complete?.("o")))
      .to.contain('"on"')
      .and.contain('"off"');
  });
});

describe("footer status", () => {
  it("is published at the start of a session, after the settings are known", async () => {
    expect((await PagingScene.open()).pi.statuses).to.deep.equal(["paging on"]);
    expect((await PagingScene.open({ paging: { enabled: false } })).pi.statuses).to.deep.equal([
      "paging off",
    ]);
  });

  it("is published at every on and off, repeated ones too, and at nothing else", async () => {
    const scene = await PagingScene.open();
    for (const args of ["off", "off", "status", "", "maybe", "on", "on"]) await scene.command(args);
    await scene.cut();
    for (const event of ["session_tree", "model_select"]) await scene.emit(event);
    await scene.turnEnd();
    expect(scene.pi.statuses).to.deep.equal([
      "paging on",
      "paging off",
      "paging off",
      "paging on",
      "paging on",
    ]);
  });

  it("is cleared at shutdown, and no other key", async () => {
    const scene = await PagingScene.open();
    await scene.emit("session_shutdown");
    expect(scene.pi.ui.statuses).to.deep.equal([
      { key: "context-paging", text: "paging on" },
      { key: "context-paging", text: undefined },
    ]);
  });
});

describe("without a user interface", () => {
  it("answers, warnings and errors are one line each on stderr, and the interface is not called", async () => {
    const scene = new PagingScene({
      ui: "none",
      paging: { tokenBudget: 3_000, trimToTokens: 4_000, enabled: 1 },
    });
    const lines = await stderrOf(async () => {
      await scene.emit("session_start");
      await scene.command("status");
      await scene.cut();
      await scene.request(scene.messages.slice(2));
      await scene.emit("session_shutdown");
    });
    expect(lines).to.have.length(4);
    expect(lines.map((line) => line.split(" ").slice(0, 2).join(" "))).to.deep.equal([
      "context-paging: Invalid",
      "context-paging: Context",
      "context-paging: contextPaging.trimToTokens",
      "context-paging: The",
    ]);
    expect(scene.pi.ui.notifications).to.deep.equal([]);
    expect(scene.pi.ui.statuses).to.deep.equal([]);
  });
});

/** The slash command and the footer status, as a user of each Pi mode sees them. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { HOSTS } from "../support/pi-hosts.ts";
import { printPrompts } from "../support/pi-process.ts";
import type { RpcSession } from "../support/rpc-session.ts";
import { skipWhere } from "../support/skip.ts";
import { Stage } from "../support/stage.ts";
import { KEYS, type TuiSession, tuiObstacle } from "../support/tui-session.ts";

const ON = "Context paging is on for this session.";
const OFF = "Context paging is off for this session.";
const USAGE = "Usage: /context-paging [on|off|status|stats|window]";

for (const host of HOSTS) {
  describe(`/context-paging in the ${host.name} Pi`, () => {
    describe("RPC mode", () => {
      let stage: Stage;
      let session: RpcSession;

      beforeEach(async () => {
        stage = await Stage.open();
        session = stage.rpc(host);
        await session.waitUntil(() => session.statuses.length > 0, "a footer status");
      });
      afterEach(() => stage.close());

      it("shows the state in the footer from the start", () => {
        expect(session.statuses).to.deep.equal(["paging on"]);
        expect(session.notifications).to.deep.equal([]);
      });

      it("switches off and on, and publishes each choice, repeated ones too", async () => {
        expect(await answers(session, "/context-paging off")).to.deep.equal([OFF]);
        expect(await answers(session, "/context-paging off")).to.deep.equal([OFF]);
        expect(await answers(session, "/context-paging on")).to.deep.equal([ON]);
        expect(session.statuses).to.deep.equal(["paging on", "paging off", "paging off", "paging on"]);
      });

      it("answers a question about the state and leaves the footer alone", async () => {
        expect(await answers(session, "/context-paging")).to.deep.equal([ON]);
        expect(await answers(session, "/context-paging status")).to.deep.equal([ON]);
        await session.command("/context-paging off");
        expect(await answers(session, "/context-paging   status ")).to.deep.equal([OFF]);
        expect(session.statuses).to.deep.equal(["paging on", "paging off"]);
      });

      it("explains itself for an unknown argument and changes nothing", async () => {
        for (const argument of ["maybe", "ON", "on off"]) {
          expect(await answers(session, `/context-paging ${argument}`)).to.deep.equal([USAGE]);
        }
        expect(await answers(session, "/context-paging")).to.deep.equal([ON]);
        expect(session.statuses).to.deep.equal(["paging on"]);
        expect(stage.mock.requests, "requests to the model").to.deep.equal([]);
      });

      it("shows stats and the window, and leaves the footer alone", async () => {
        const [stats = ""] = await answers(session, "/context-paging stats");
        for (const group of ["Saved history", "Latest request", "Cache totals"])
          expect(stats).to.contain(group);
        const [picture = ""] = await answers(session, "/context-paging window");
        expect(picture).to.contain("Cut log");
        expect(session.statuses).to.deep.equal(["paging on"]);
        expect(stage.mock.requests, "requests to the model").to.deep.equal([]);
      });

      it("starts switched off where the settings say so", async () => {
        const other = await Stage.open({ paging: { enabled: false } });
        try {
          const quiet = other.rpc(host);
          await quiet.waitUntil(() => quiet.statuses.length > 0, "a footer status");
          expect(quiet.statuses).to.deep.equal(["paging off"]);
        } finally {
          await other.close();
        }
      });
    });

    it("print mode: tables keep their lines on stderr, each with the name of the extension", async () => {
      const stage = await Stage.open();
      try {
        const run = await printPrompts(host, stage.sandbox, [
          "/context-paging stats",
          "/context-paging window",
        ]);
        const lines = run.stderr.trimEnd().split("\n");
        expect(lines.filter((line) => !line.startsWith("context-paging: "))).to.deep.equal([]);
        expect(run.stderr).to.contain("Saved history").and.contain("Cache totals").and.contain("Cut log");
      } finally {
        await stage.close();
      }
    });

    it("print mode: each answer is one line on stderr", async () => {
      const stage = await Stage.open();
      try {
        const commands = [
          "/context-paging",
          "/context-paging off",
          "/context-paging status",
          "/context-paging x",
        ];
        const run = await printPrompts(host, stage.sandbox, commands);
        expect(run.stderr.trimEnd().split("\n")).to.deep.equal(
          [ON, OFF, OFF, USAGE].map((text) => `context-paging: ${text}`),
        );
        expect(run.stdout).to.equal("");
        expect(run.code).to.equal(0);
        expect(stage.mock.requests).to.deep.equal([]);
      } finally {
        await stage.close();
      }
    });

    describe("interactive mode", () => {
      let stage: Stage;
      let tui: TuiSession;

      before(function () {
        skipWhere(this, tuiObstacle());
      });
      beforeEach(async () => {
        stage = await Stage.open();
        tui = stage.tui(host);
        await tui.waitFor(footer("on"));
      });
      afterEach(() => stage?.close());

      it("shows answers on the screen and the state in the footer", async () => {
        await tui.submit("/context-paging off");
        await tui.waitFor(OFF);
        await tui.waitFor(footer("off"));
        await tui.submit("/context-paging maybe");
        await tui.waitFor(USAGE);
        await tui.submit("/context-paging on");
        await tui.waitFor(ON);
        await tui.waitFor(footer("on"));
      });

      it("shows the stats and the window on the screen", async () => {
        await tui.submit("/context-paging stats");
        await tui.waitFor("Cache totals");
        await tui.submit("/context-paging window");
        await tui.waitFor("Cut log");
      });

      it("completes its arguments", async () => {
        tui.type("/context-paging ");
        await completionsOf(tui, ["on", "off", "status", "stats", "window"]);
        tui.type("st");
        await completionsOf(tui, ["status", "stats"]);
        tui.type("atu");
        await completionsOf(tui, ["status"]);
        tui.type(KEYS.tab);
        await tui.waitFor("/context-paging status");
      });
    });
  });
}

async function answers(session: RpcSession, command: string): Promise<string[]> {
  const notes = await session.command(command);
  return notes.map((note) => note.text);
}

/** The status stands alone in the last line of the screen. */
function footer(state: "on" | "off"): RegExp {
  return new RegExp(`\\npaging ${state}$`);
}

async function completionsOf(tui: TuiSession, expected: readonly string[]): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (tui.completions.join() !== expected.join() && Date.now() < deadline) await sleep(25);
  expect(tui.completions).to.deep.equal(expected);
}

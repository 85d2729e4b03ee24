/** `/context-paging stats` and `window` in the real Pis. Section "Read-only session stats". */
import { readFileSync, statSync, utimesSync } from "node:fs";
import { expect } from "chai";
import { branch } from "../support/branch-builder.ts";
import { HOSTS, PACKAGE_DIR } from "../support/pi-hosts.ts";
import { printPrompts } from "../support/pi-process.ts";
import type { RpcSession } from "../support/rpc-session.ts";
import { numberedPrompts, readingCalls, toolAgent, writeNotes } from "../support/scripts.ts";
import { writeSessionFile } from "../support/session-files.ts";
import { skipWhere } from "../support/skip.ts";
import { Stage } from "../support/stage.ts";
import { tuiObstacle } from "../support/tui-session.ts";

const BUDGET_TOKENS = 12_000;
const LONG_AGO = new Date(Date.UTC(2001, 1, 3));

for (const host of HOSTS) {
  describe(`stats and window in the ${host.name} Pi`, () => {
    let stage: Stage;

    beforeEach(async () => {
      stage = await Stage.open({
        script: toolAgent(readingCalls),
        paging: { tokenBudget: BUDGET_TOKENS },
      });
      writeNotes(stage.sandbox, 3_000);
    });
    afterEach(() => stage.close());

    it("show a run: measured input, the budget, the parts of the window and the cuts", async () => {
      const session = stage.rpc(host);
      for (const prompt of numberedPrompts(8)) await session.prompt(prompt);
      const requests = stage.mock.requests.length;
      const stats = await answer(session, "/context-paging stats");
      const input = stage.mock.requests.at(-1)?.tokens.toLocaleString("en-US");
      expect(stats).to.match(new RegExp(`\\n {2}Input tokens {4}${input}\\n`));
      expect(stats).to.match(/\n {2}Paging budget {3}12,000 \(\d+% used\)\n {2}Model window {4}128,000\n/);
      expect(stats).to.match(
        /^Saved history\n {2}Stored size {5}\d[\d,.]* KiB\n {2}History tokens {2}~\d\d,\d{3}\n/,
      );
      const window = await answer(session, "/context-paging window");
      expect(window).to.contain(`of 12,000 tokens, measured ${input}\n`);
      expect(window).to.match(
        /\n {2}Outside: ~\d[\d,]* tokens of history in \d units?, up to [0-9a-f]{8}\.\nCut log\n/,
      );
      expect(window).to.match(
        /\n {2}\d\d:\d\d:\d\d {2}advance {3}[\d,]+ of [\d,]+ tokens sent, \d units? outside, cut behind/,
      );
      expect(stage.mock.requests.length, "requests after the questions").to.equal(requests);
    });

    it("leave the bytes and the time of the session file alone, and add nothing to the footer", async () => {
      const history = branch()
        .turn("Hi", [{ name: "read" }], "text")
        .user("More");
      history.assistant({
        text: "ok",
        usage: { input: 900, cacheRead: 100, cacheWrite: 50, totalTokens: 1_060 },
      });
      const file = writeSessionFile(stage.sandbox, history.entries);
      const session = stage.rpc(host, { args: ["-e", PACKAGE_DIR, "--session", file] });
      await session.waitUntil(() => session.statuses.length > 0, "a footer status");
      await answer(session, "/context-paging status");
      const before = readFileSync(file);
      utimesSync(file, LONG_AGO, LONG_AGO);
      const stats = await answer(session, "/context-paging stats");
      await answer(session, "/context-paging window");
      expect(stats).to.contain("\n  Tokens read     100\n  Tokens written  50\n  Hit rate        10%");
      expect(readFileSync(file).equals(before)).to.equal(true);
      expect(statSync(file).mtimeMs).to.equal(LONG_AGO.getTime());
      expect(session.statuses).to.deep.equal(["paging on"]);
    });

    it("print mode: a line of stderr for each line, before the first request too", async () => {
      const run = await printPrompts(
        host,
        stage.sandbox,
        ["/context-paging stats", "/context-paging window"],
        {
          args: ["--no-session"],
        },
      );
      const lines = run.stderr.trimEnd().split("\n");
      expect(lines).to.have.length(15);
      for (const line of lines) expect(line).to.match(/^context-paging: /);
      expect(lines).to.include("context-paging:   Stored size     unavailable");
      expect(lines).to.include("context-paging:   No cut so far.");
      expect(stage.mock.requests).to.deep.equal([]);
    });

    it("interactive mode: on the screen", async function () {
      skipWhere(this, tuiObstacle());
      const tui = stage.tui(host);
      await tui.waitFor(/paging on$/);
      await tui.submit("/context-paging stats");
      await tui.waitFor(/Cache totals\n.*Tokens read +0\n.*Tokens written +0\n.*Hit rate +0%/);
      await tui.submit("/context-paging window");
      await tui.waitFor(
        "No request has been selected yet. Budget 12,000 tokens. Model window 128,000 tokens.",
      );
    });
  });
}

async function answer(session: RpcSession, command: string): Promise<string> {
  const notes = await session.command(command);
  return notes.map(({ text }) => text).join("\n");
}

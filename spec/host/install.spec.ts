/** The package installed the way users install it: a copy without this repository around it. */
import { join } from "node:path";
import { expect } from "chai";
import { copyPackage } from "../support/fork-package.ts";
import { HOSTS } from "../support/pi-hosts.ts";
import { runPi } from "../support/pi-process.ts";
import { requestStability } from "../support/request-stability.ts";
import { answerTo, numberedPrompts, readingCalls, toolAgent, writeNotes } from "../support/scripts.ts";
import { Stage } from "../support/stage.ts";
import { openingText } from "../support/wire.ts";

const BUDGET_TOKENS = 12_000;
const PROMPTS = numberedPrompts(6);

for (const host of HOSTS) {
  it(`install: the ${host.name} Pi installs ./dir, lists it and pages with it`, async () => {
    const stage = await Stage.open({
      rules: "strict",
      script: toolAgent(readingCalls),
      paging: { tokenBudget: BUDGET_TOKENS },
    });
    writeNotes(stage.sandbox, 4_000);
    try {
      copyPackage(join(stage.sandbox.cwd, "pi-context-paging"));
      const installed = await runPi(host, stage.sandbox, ["install", "./pi-context-paging"]);
      expect(installed.code, installed.stderr).to.equal(0);

      const listed = await runPi(host, stage.sandbox, ["list"]);
      expect(listed.stdout).to.contain("pi-context-paging");

      const run = await runPi(host, stage.sandbox, ["-p", "/context-paging status", ...PROMPTS]);
      expect(run.stderr).to.equal("context-paging: Context paging is on for this session.\n");
      expect(run.stdout.trim()).to.equal(answerTo(PROMPTS.at(-1) ?? ""));
      const { bodies, requests } = stage.mock;
      expect(requests.map(({ outcome }) => outcome)).to.deep.equal(
        Array(2 * PROMPTS.length).fill("answered"),
      );
      expect(requests.filter(({ tokens }) => tokens > BUDGET_TOKENS)).to.deep.equal([]);
      const { cuts, breaks } = requestStability(bodies);
      expect(breaks, "requests that are neither a cut nor an extension").to.deep.equal([]);
      expect(cuts.length, `cuts at ${cuts}`).to.be.within(1, 4);
      for (const cut of cuts) {
        const body = bodies[cut];
        expect(body && openingText(body)).to.contain("[context-paging] Notice generated");
      }

      const removed = await runPi(host, stage.sandbox, ["remove", "./pi-context-paging"]);
      expect(removed.code, removed.stderr).to.equal(0);
      const without = await runPi(host, stage.sandbox, ["-p", "Are you there?"]);
      expect(without.stderr).to.equal("");
    } finally {
      await stage.close();
    }
  });
}

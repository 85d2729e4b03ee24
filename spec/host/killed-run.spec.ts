/**
 * A run that was killed after a compaction had taken away what started it. What the user says then is steering: it is all
 * that tells what the run is for, so it stays at every cut, and it leaves no earlier than a cut when a turn begins.
 */
import { expect } from "chai";
import { branch } from "../support/branch-builder.ts";
import { HOSTS, PACKAGE_DIR } from "../support/pi-hosts.ts";
import { requestStability } from "../support/request-stability.ts";
import { answerTo, readingCalls, writeNotes } from "../support/scripts.ts";
import { writeSessionFile } from "../support/session-files.ts";
import { Stage } from "../support/stage.ts";
import { contentText, conversation, WIRE_APIS, type WireBody } from "../support/wire.ts";

const BUDGET_TOKENS = 12_000;
const ROUNDS = 20;
const STEERING = "Go on, and mind the appendix.";
const NEXT = "Now the summary.";

/** Its last entry is a result, and nothing before that starts a turn any more. */
function killedRun() {
  const session = branch().user("Work through the notes.").assistant({ text: "I begin." });
  session.compaction("They worked on the notes.", session.leafId);
  return session.assistant({ text: "I look.", calls: [{ name: "read" }] }).result("Nothing there.").entries;
}

for (const host of HOSTS) {
  for (const api of WIRE_APIS) {
    it(`killed run behind a compaction: ${host.name} Pi, ${api}`, async () => {
      const stage = await Stage.open({
        api,
        rules: "strict",
        script: (_body, n) => (n < ROUNDS ? { calls: readingCalls(n) } : { text: answerTo(STEERING) }),
        paging: { tokenBudget: BUDGET_TOKENS },
      });
      writeNotes(stage.sandbox, 3_000);
      try {
        const file = writeSessionFile(stage.sandbox, killedRun());
        const session = stage.rpc(host, { args: ["-e", PACKAGE_DIR, "--session", file] });
        for (const prompt of [STEERING, NEXT]) await session.prompt(prompt);
        const { bodies, unlawful } = stage.mock;
        const { cuts, breaks } = requestStability(bodies);
        expect(bodies).to.have.length(ROUNDS + 2);
        expect(cuts.length, `cuts at ${cuts}`).to.be.above(2);
        expect(Math.max(...cuts), "the turn begins between two cuts").to.be.below(ROUNDS + 1);
        expect(breaks, "requests that are neither a cut nor an extension").to.deep.equal([]);
        for (const [n, body] of bodies.entries()) expect(said(body), `request ${n}`).to.contain(STEERING);
        expect(unlawful.map(({ violations }) => violations)).to.deep.equal([]);
        expect(session.extensionErrors).to.deep.equal([]);
      } finally {
        await stage.close();
      }
    });
  }
}

function said(body: WireBody): string {
  return conversation(body)
    .map(({ content }) => contentText(content))
    .join("\n");
}

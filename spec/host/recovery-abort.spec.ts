/** The user stops a run while a recovery tool works on a large history. In both Pis. */
import { expect } from "chai";
import { branch } from "../support/branch-builder.ts";
import { HOSTS, PACKAGE_DIR } from "../support/pi-hosts.ts";
import { prose } from "../support/prose.ts";
import { calling, recallOn } from "../support/recalling-model.ts";
import type { RpcEvent } from "../support/rpc-events.ts";
import type { RpcSession } from "../support/rpc-session.ts";
import { writeSessionFile } from "../support/session-files.ts";
import { Stage } from "../support/stage.ts";

const NEEDLE = "ZEBRA-4471";
/** Words that are nowhere: every item is read for each of them, and again for each with a letter wrong. */
const HOPELESS = Array.from({ length: 12 }, (_, n) => `qx${"abcdefghijkl"[n]}zwyvk${n}`).join(" ");

const isSearch = (kind: string) => (event: RpcEvent) =>
  event.type === kind && event.toolName === "search_history";

for (const host of HOSTS) {
  it(`a search that is aborted in the ${host.name} Pi ends as an error, and the next one finds`, async () => {
    const built = branch().user("Print it all.");
    for (let n = 0; n < 60; n++) {
      built.assistant({ calls: [{ name: "dump" }] }).results(`${n} ${prose(n, 400_000)}`);
    }
    built.user(`The code is ${NEEDLE}.`).assistant({ text: "Noted." });
    const replies: unknown[] = [];
    const script = recallOn(
      "RECALL",
      [
        () => calling({ name: "search_history", args: { query: HOPELESS } }),
        () => calling({ name: "search_history", args: { query: NEEDLE } }),
        (view) => {
          replies.push(...view.replies);
          return { text: "Done." };
        },
      ],
      { text: "Read." },
    );
    const stage = await Stage.open({ script, rules: "strict", paging: { tokenBudget: 12_000 } });
    try {
      const file = writeSessionFile(stage.sandbox, built.entries);
      const session = stage.rpc(host, { args: ["-e", PACKAGE_DIR, "--session", file] });
      const result = await abortedSearch(session);
      expect(result.isError).to.equal(true);
      expect(JSON.stringify(result.result)).to.contain("RECOVERY_ABORTED: This call was stopped");
      await session.prompt("RECALL the code.");
      expect(JSON.stringify(replies)).to.contain(NEEDLE);
      expect(stage.mock.unlawful).to.deep.equal([]);
      expect(session.extensionErrors).to.deep.equal([]);
    } finally {
      await stage.close();
    }
  });
}

/** Starts a search, aborts the run, and returns how the search ended. */
async function abortedSearch(session: RpcSession): Promise<RpcEvent> {
  const begun = session.waitFor(isSearch("tool_execution_start"), "start of the search");
  const ended = session.waitFor(isSearch("tool_execution_end"), "end of the search");
  const run = session.prompt("RECALL what is nowhere.");
  await begun;
  await session.call("abort");
  await run;
  return ended;
}

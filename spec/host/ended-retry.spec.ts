/** The user ends Pi's wait for a retry (Escape, or `abort_retry` in RPC mode). Only the current Pi asks before it settles. */
import { expect } from "chai";
import { CURRENT } from "../support/pi-hosts.ts";
import { answerTo } from "../support/scripts.ts";
import { Stage } from "../support/stage.ts";

it("a retry that the user ends stays ended: current Pi", async () => {
  const stage = await Stage.open({
    settings: { retry: { enabled: true, maxRetries: 3, baseDelayMs: 5_000 } },
    script: [{ status: 503 }, { text: answerTo("Second.") }],
  });
  try {
    const session = stage.rpc(CURRENT);
    const waiting = session.waitFor((event) => event.type === "auto_retry_start", "wait for a retry");
    const run = session.prompt("First.");
    await waiting;
    await session.call("abort_retry");
    await run;
    expect(stage.mock.requests, "requests").to.have.length(1);
    await session.prompt("Second.");
    expect(await session.call("get_last_assistant_text")).to.deep.equal({ text: answerTo("Second.") });
    expect(stage.mock.requests, "requests").to.have.length(2);
    expect(session.notifications).to.deep.equal([]);
    expect(session.extensionErrors).to.deep.equal([]);
  } finally {
    await stage.close();
  }
});

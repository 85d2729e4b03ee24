import { expect } from "chai";
import { useFakeTimers } from "sinon";
import { RecoveryAbortedError } from "../../lib/errors.ts";
import { Pace } from "../../lib/recovery/pace.ts";
import { caught } from "../support/caught.ts";

describe("Pace", () => {
  it("a rest is due after ten milliseconds of work, and again after the next ten", async () => {
    const clock = useFakeTimers({ toFake: ["Date"] });
    try {
      const pace = new Pace();
      clock.tick(9);
      expect(pace.isRestDue).to.equal(false);
      clock.tick(1);
      expect(pace.isRestDue).to.equal(true);
      await pace.rest();
      expect(pace.isRestDue).to.equal(false);
    } finally {
      clock.restore();
    }
  });

  it("everything that waits runs during a rest", async () => {
    const ran: string[] = [];
    setImmediate(() => ran.push("immediate"));
    setTimeout(() => ran.push("timeout"), 0);
    await new Pace().rest();
    expect(ran).to.include("immediate");
  });

  it("a stopped call ends before a rest and after it, with what to do", async () => {
    const stop = new AbortController();
    const pace = new Pace(stop.signal);
    pace.check();
    setImmediate(() => stop.abort());
    const error = await pace.rest().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(RecoveryAbortedError).and.include({ code: "RECOVERY_ABORTED" });
    expect(caught(() => pace.check(), RecoveryAbortedError).message).to.match(/stopped .* Make it again\.$/);
  });
});

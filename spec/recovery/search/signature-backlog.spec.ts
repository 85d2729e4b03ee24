import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { Pace } from "../../../lib/recovery/pace.ts";
import { SearchDocument } from "../../../lib/recovery/search/search-document.ts";
import { SignatureBacklog } from "../../../lib/recovery/search/signature-backlog.ts";
import { RecoveryView } from "../../../lib/session/recovery-view.ts";
import { branch } from "../../support/branch-builder.ts";
import { itemsOf } from "../../support/history.ts";

function documents(count: number): SearchDocument[] {
  const built = branch();
  for (let n = 0; n < count; n++) built.user(`text ${n}`);
  return itemsOf(built.entries).map((item) => new SearchDocument(new RecoveryView(), item));
}

const signed = (all: readonly SearchDocument[]) => all.filter(({ signature }) => signature).length;

describe("SignatureBacklog", () => {
  it("signs what was added, and no item twice", async () => {
    const all = documents(3);
    const backlog = new SignatureBacklog();
    all[0]?.sign();
    const first = all[0]?.signature;
    backlog.add(all);
    backlog.add(all);
    await backlog.work(new Pace());
    expect(signed(all)).to.equal(3);
    expect(all[0]?.signature).to.equal(first);
  });

  it("leaves the work of later to a later turn of the event loop", async () => {
    const all = documents(3);
    const backlog = new SignatureBacklog();
    backlog.add(all);
    const done = backlog.workLater();
    await Promise.resolve();
    expect(signed(all)).to.equal(0);
    await turn();
    await done;
    expect(signed(all)).to.equal(3);
  });

  it("keeps what is left when the work is stopped", async () => {
    const all = documents(2_000);
    const backlog = new SignatureBacklog();
    backlog.add(all);
    const stop = new AbortController();
    const pace = new Pace(stop.signal);
    Object.defineProperty(pace, "isRestDue", { value: true });
    const stopped = backlog.work(pace).catch(String);
    stop.abort();
    expect(await stopped).to.match(/RecoveryAbortedError/);
    expect(signed(all)).to.be.below(2_000);
    await backlog.work(new Pace());
    expect(signed(all)).to.equal(2_000);
  });
});

import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import sinon from "sinon";
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
  afterEach(() => sinon.restore());

  it("signs what was added, and no item twice", async () => {
    const all = documents(3);
    const backlog = new SignatureBacklog();
    all[0]?.sign();
    const first = all[0]?.signature;
    backlog.add(all);
    backlog.add(all);
    await backlog.work();
    expect(signed(all)).to.equal(3);
    expect(all[0]?.signature).to.equal(first);
  });

  it("works from the next turn of the event loop on", async () => {
    const all = documents(3);
    const backlog = new SignatureBacklog();
    backlog.add(all);
    const done = backlog.work();
    await Promise.resolve();
    expect(signed(all)).to.equal(0);
    await turn();
    await done;
    expect(signed(all)).to.equal(3);
  });

  it("works in pieces: everything else has its turn in between", async () => {
    let now = 0;
    sinon.stub(Date, "now").callsFake(() => {
      now += 1_000; // Each piece of work is a long one.
      return now;
    });
    const all = documents(3);
    const backlog = new SignatureBacklog();
    backlog.add(all);
    const done = backlog.work();
    const seen: number[] = [];
    while (signed(all) < all.length) {
      await turn();
      seen.push(signed(all));
    }
    await done;
    expect(seen).to.include.members([1, 2, 3]);
  });

  it("several works share what there is", async () => {
    const all = documents(2_000);
    const backlog = new SignatureBacklog();
    backlog.add(all);
    const works = [backlog.work(), backlog.work()];
    backlog.add(documents(1));
    await Promise.all(works);
    expect(signed(all)).to.equal(2_000);
  });
});

import { expect } from "chai";
import { type Cut, FrontierManager } from "../../lib/paging/frontier-manager.ts";

const cutAt = (historyId: string): Cut => ({
  frontier: { historyId, toolCallIds: [], extent: "unit" },
  notice: { role: "user", content: historyId, timestamp: 1 },
});

describe("FrontierManager", () => {
  it("prepares with nothing at first", () => expect(new FrontierManager().prepare()).to.equal(undefined));

  it("prepares with the cut that was committed, again and again", () => {
    const manager = new FrontierManager();
    const cut = cutAt("one");
    manager.commit(cut);
    expect(manager.prepare()).to.equal(cut);
    expect(manager.prepare()).to.equal(cut);
    manager.commit(cutAt("two"));
    expect(manager.prepare()?.frontier.historyId).to.equal("two");
  });

  it("ends the lifetime of a cut when a request commits none", () => {
    const manager = new FrontierManager();
    manager.commit(cutAt("one"));
    manager.commit(undefined);
    expect(manager.prepare()).to.equal(undefined);
  });

  it("forgets the cut at a reset", () => {
    const manager = new FrontierManager();
    manager.commit(cutAt("one"));
    manager.reset();
    expect(manager.prepare()).to.equal(undefined);
  });
});

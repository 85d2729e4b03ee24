import { SessionManager } from "@earendil-works/pi-coding-agent";
import { expect } from "chai";
import sinon from "sinon";
import { BranchReader } from "../../../lib/host/branch-reader.ts";

describe("BranchReader", () => {
  let manager: SessionManager;
  let reader: BranchReader;
  const say = (content: string) => manager.appendMessage({ role: "user", content, timestamp: 1 });

  beforeEach(() => {
    manager = SessionManager.inMemory("/project");
    reader = new BranchReader();
    say("one");
    reader.read(manager);
  });

  it("reads what Pi lists, through growth, branch moves and an empty branch", () => {
    const fork = say("two");
    expect(reader.read(manager)).to.deep.equal(manager.getBranch());
    say("three");
    say("four");
    expect(reader.read(manager)).to.deep.equal(manager.getBranch());
    manager.branch(fork);
    expect(reader.read(manager)).to.deep.equal(manager.getBranch());
    say("another three");
    expect(reader.read(manager)).to.deep.equal(manager.getBranch());
    manager.resetLeaf();
    expect(reader.read(manager)).to.deep.equal([]);
  });

  it("asks Pi for no list while the branch grows", () => {
    const list = sinon.spy(manager, "getBranch");
    for (let entry = 0; entry < 20; entry++) {
      say(`${entry}`);
      expect(reader.read(manager)).to.have.lengthOf(entry + 2);
    }
    expect(list.callCount).to.equal(0);
  });

  it("reads another session's branch, also where its entries have the same ids", () => {
    const entries = manager.getEntries().map((entry) => ({ ...entry }));
    const other = SessionManager.inMemory("/project", undefined, [
      { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/project" },
      ...entries,
    ]);
    expect(reader.read(other)[0]).to.equal(other.getBranch()[0]);
  });
});

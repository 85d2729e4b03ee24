import { expect } from "chai";
import type { SessionEntry } from "../../../lib/messages.ts";
import { BranchProjection } from "../../../lib/session/branch-projection.ts";
import { type BranchBuilder, branch } from "../../support/branch-builder.ts";
import { projectionState } from "../../support/projection-state.ts";

const calls = [{ name: "read" }, { name: "read" }];

/** What one instance answers after each prefix of the path, and what fresh instances answer for the same prefixes. */
function expectSameAsFresh(path: readonly SessionEntry[], steps = 1): void {
  const followed = new BranchProjection();
  for (let length = 0; length <= path.length; length += steps) {
    const prefix = path.slice(0, length);
    followed.update(prefix);
    expect(projectionState(followed, prefix)).to.deep.equal(freshState(prefix));
  }
}

function freshState(path: readonly SessionEntry[]): object {
  const fresh = new BranchProjection();
  fresh.update(path);
  return projectionState(fresh, path);
}

const branches: Readonly<Record<string, () => BranchBuilder>> = {
  "turns with parallel calls": () =>
    branch().user("u").assistant({ calls }).results().assistant({ text: "a" }).user("u2"),
  "interrupted turns": () =>
    branch()
      .user("u")
      .assistant({ calls, stopReason: "aborted" })
      .result("r")
      .user("u2")
      .assistant({ calls }),
  "a killed run": () => branch().user("u").assistant({ calls }).result("r").custom("x").user("u2"),
  "context items inside a turn": () =>
    branch().user("u").assistant({ calls }).custom("x").result("r").bash("ls", "a").result("r2"),
  "a damaged branch that goes on": () =>
    branch().user("u").result({ callId: "c9" }).user("u2").assistant({ text: "a2" }),
  "a branch that is damaged late": () =>
    branch().user("u").assistant({ calls }).assistant({ text: "a" }).user("u2"),
  "two compactions": () => {
    const building = branch().user("u").assistant({ text: "a" });
    const kept = building.user("kept").leafId;
    building.assistant({ text: "a2" }).compaction("one", kept).user("u3").assistant({ text: "a3" });
    return building.compaction("two", kept).user("u4");
  },
  "context edits before and behind a compaction": () => {
    const building = branch().user("first");
    const kept = building.user("u").leafId;
    const assistant = building.assistant({ calls }).leafId;
    const result = building.result("r").result("r2").leafId;
    building.contextEdit(kept, "short").compaction("sum", kept).contextEdit(result, "(cleared)");
    return building
      .contextEdit(assistant, [{ type: "text", text: "edited" }])
      .contextEdit(kept)
      .user("u2");
  },
};

describe("BranchProjection: following the session", () => {
  for (const [name, building] of Object.entries(branches)) {
    it(`is the same step by step as at once: ${name}`, () => expectSameAsFresh(building().path));
    it(`is the same in steps of three as at once: ${name}`, () => expectSameAsFresh(building().path, 3));
  }

  it("is the same as a fresh one after going back, to another branch and on", () => {
    const followed = new BranchProjection();
    const building = branch().user("u").assistant({ calls });
    const fork = building.results().leafId;
    building.assistant({ text: "left" }).user("left too");
    const paths = [building.path, building.goTo(fork).path];
    paths.push(building.assistant({ text: "taken" }).path, building.user("and on").path, []);
    paths.push(branch().user("another session").path);
    for (const path of paths) {
      followed.update(path);
      expect(projectionState(followed, path)).to.deep.equal(freshState(path));
    }
  });

  it("is the same as a fresh one when a branch of the same length replaces the other", () => {
    const building = branch().user("u");
    const fork = building.leafId;
    const followed = new BranchProjection();
    followed.update(building.assistant({ text: "left" }).path);
    const { path } = building.goTo(fork).assistant({ text: "taken" });
    followed.update(path);
    expect(projectionState(followed, path)).to.deep.equal(freshState(path));
  });

  it("recovers when the damaged part of a branch is left", () => {
    const building = branch().user("u");
    const fork = building.leafId;
    const followed = new BranchProjection();
    followed.update(building.result({ callId: "c9" }).path);
    expect(followed.error?.code).to.equal("ORPHAN_TOOL_RESULT");
    followed.update(building.goTo(fork).assistant({ text: "a" }).path);
    expect(followed.error).to.equal(undefined);
    expect(followed.items).to.have.lengthOf(2);
  });

  it("follows a list that the caller appends to in place", () => {
    const building = branch().user("u");
    const list = building.path;
    const followed = new BranchProjection();
    followed.update(list);
    list.push(...building.assistant({ text: "a" }).path.slice(1));
    followed.update(list);
    expect(followed.items).to.have.lengthOf(2);
    expect(followed.session.messages).to.have.lengthOf(2);
  });

  it("does not touch settled entries again while the branch grows", () => {
    const { path } = branch().user("u").assistant({ text: "a" }).user("u2");
    const followed = new BranchProjection();
    followed.update(path.slice(0, 2));
    const [user] = followed.items;
    const [projected] = followed.session.messages;
    followed.update(path);
    expect(followed.items[0]).to.equal(user);
    expect(followed.session.messages[0]).to.equal(projected);
  });

  it("tells which entries were appended to a branch it knew, and none after a start over", () => {
    const building = branch().user("u");
    const followed = new BranchProjection();
    const fork = building.leafId;
    expect(followed.appendedEntries).to.deep.equal([]);
    followed.update(building.path);
    expect(followed.appendedEntries).to.deep.equal([]);
    followed.update(building.assistant({ text: "a" }).user("u2").path);
    expect(followed.appendedEntries).to.deep.equal(building.path.slice(1));
    followed.update(building.path);
    expect(followed.appendedEntries).to.deep.equal([]);
    followed.update(building.goTo(fork).user("other").path);
    expect(followed.appendedEntries).to.deep.equal([]);
  });
});

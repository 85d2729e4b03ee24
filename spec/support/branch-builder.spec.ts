import { expect } from "chai";
import { branch } from "./branch-builder.ts";

describe("branch builder", () => {
  it("chains parents, counts ids and moves the clock", () => {
    const { entries } = branch().user("hi").assistant({ text: "hello" });
    expect(entries.map(({ id, parentId, timestamp }) => [id, parentId, timestamp])).to.deep.equal([
      ["00000001", null, "2026-01-05T09:00:00.000Z"],
      ["00000002", "00000001", "2026-01-05T09:00:01.000Z"],
    ]);
  });

  it("answers open calls in order, or one by its id", () => {
    const calls = [{ name: "read" }, { name: "bash" }, { name: "ls", id: "mine" }];
    const built = branch().user("go").assistant({ calls }).result({ callId: "mine" }).results("ok");
    const results = built.messages.flatMap((message) =>
      message.role === "toolResult" ? [[message.toolCallId, message.toolName]] : [],
    );
    expect(results).to.deep.equal([
      ["mine", "ls"],
      ["call-1", "read"],
      ["call-2", "bash"],
    ]);
  });

  it("keeps a branch that was left among the entries, and off the path", () => {
    const built = branch().user("root");
    const root = built.leafId;
    const left = built.user("left").leafId;
    built.goTo(root).branchSummary("was left", left).user("right");
    expect(built.entries.map((entry) => entry.id)).to.include(left);
    expect(built.path.map((entry) => entry.type)).to.deep.equal(["message", "branch_summary", "message"]);
    expect(built.path.map((entry) => entry.id)).not.to.include(left);
  });
});

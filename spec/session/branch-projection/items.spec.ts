import { SessionManager } from "@earendil-works/pi-coding-agent";
import { expect } from "chai";
import type { SessionEntry } from "../../../lib/messages.ts";
import { BranchProjection } from "../../../lib/session/branch-projection.ts";
import { hasFailed } from "../../../lib/session/history-item.ts";
import { branch } from "../../support/branch-builder.ts";
import { deepFreeze } from "../../support/deep-freeze.ts";

const read = { name: "read" };

function projectionOf(path: readonly SessionEntry[]): BranchProjection {
  const projection = new BranchProjection();
  projection.update(path);
  return projection;
}

const itemsOf = (path: readonly SessionEntry[]) => projectionOf(path).items;
const kinds = (path: readonly SessionEntry[]) => itemsOf(path).map((item) => item.kind);

describe("BranchProjection: items", () => {
  it("makes one user item of one user message, with the id and time of its entry", () => {
    const { path } = branch().user("hello");
    const [entry] = path;
    expect(itemsOf(path)).to.deep.equal([
      { kind: "user", historyId: entry?.id, timestamp: entry?.timestamp, message: { ...messageAt(path, 0) } },
    ]);
  });

  it("makes one atomic model turn of a response and its contiguous results, under the id of the response", () => {
    const { path } = branch()
      .user("go")
      .assistant({ calls: [read, read] })
      .results();
    const turn = itemsOf(path)[1];
    expect(turn).to.deep.equal({
      kind: "modelTurn",
      historyId: path[1]?.id,
      timestamp: path[1]?.timestamp,
      assistant: messageAt(path, 1),
      toolResults: [messageAt(path, 2), messageAt(path, 3)],
      interrupted: false,
    });
  });

  it("keeps the stored message objects themselves, and changes none of them", () => {
    const path = deepFreeze(
      branch()
        .user("go")
        .assistant({ calls: [read] })
        .results()
        .custom("note")
        .assistant({ text: "done", stopReason: "aborted" })
        .user("again").path,
    );
    const [user, turn] = itemsOf(path);
    expect(user?.kind === "user" && user.message).to.equal(messageAt(path, 0));
    expect(turn?.kind === "modelTurn" && turn.assistant).to.equal(messageAt(path, 1));
    expect(turn?.kind === "modelTurn" && turn.toolResults[0]).to.equal(messageAt(path, 2));
  });

  it("makes a new item when results arrive and leaves the one it gave out before as it was", () => {
    const building = branch()
      .user("go")
      .assistant({ calls: [read, read], stopReason: "aborted" });
    const projection = projectionOf(building.path);
    const before = projection.items[1];
    projection.update(building.result("one").path);
    expect(before?.kind === "modelTurn" && before.toolResults).to.deep.equal([]);
    expect(projection.items[1]).to.have.property("toolResults").with.lengthOf(1);
  });

  it("does not break a turn at entries of other kinds between the response and its results", () => {
    const building = branch()
      .user("go")
      .assistant({ calls: [read, read] });
    building.result("one").custom("a hint").model("p", "m").state("s", {}).bash("ls", "a");
    expect(kinds(building.result("two").path)).to.deep.equal(["user", "modelTurn", "context", "context"]);
  });

  it("makes context items of custom messages, ! runs, branch summaries and compactions", () => {
    const building = branch().custom("hint").bash("ls", "a").branchSummary("left", "x").user("go");
    building.compaction("earlier", building.leafId);
    expect(kinds(building.path)).to.deep.equal(["context", "context", "context", "user", "context"]);
    const roles = itemsOf(building.path).map((item) => item.kind === "context" && item.message.role);
    expect(roles).to.deep.equal(["custom", "bashExecution", "branchSummary", false, "compactionSummary"]);
  });

  it("makes no items of !! runs, states, model changes, context edits, empty summaries and system messages", () => {
    const building = branch().user("go").bash("secret", "s", "withheld").state("s", {}).model("p", "m");
    building.contextEdit("00000001").branchSummary("", "x");
    const path = [...building.path, systemEntry(building.leafId)];
    expect(kinds(path)).to.deep.equal(["user"]);
  });

  it("passes over entries of a type it does not know", () => {
    const unknown = JSON.parse('{"type":"hologram","id":"h","parentId":null,"timestamp":"2026-01-01"}');
    expect(kinds([unknown, ...branch().user("go").path])).to.deep.equal(["user"]);
  });

  it("follows the parent chain, never the order of the lines in the file", () => {
    const { entries, path } = branch().user("one").assistant({ text: "two" }).user("three");
    const manager = SessionManager.inMemory("/tmp", { id: "chain" });
    const order = [2, 0, 1].map((index) => entries[index]);
    Object.assign(manager, {
      byId: new Map(order.map((entry) => [entry?.id, entry])),
      leafId: path.at(-1)?.id,
    });
    expect(itemsOf(manager.getBranch()).map((item) => item.historyId)).to.deep.equal(
      path.map((entry) => entry.id),
    );
  });

  it("keeps the branch that is active, not one that was left", () => {
    const building = branch().user("one");
    const fork = building.leafId;
    building.user("left").goTo(fork).user("taken");
    const texts = itemsOf(building.path).map((item) => item.kind === "user" && item.message.content);
    expect(texts).to.deep.equal(["one", "taken"]);
  });

  it("finds an item by its id, and none where entries share the id", () => {
    const { path } = branch().user("one").assistant({ text: "two" }).user("three");
    const projection = projectionOf(path);
    expect(projection.item("00000002")).to.equal(projection.items[1]);
    expect(projection.item("nothing")).to.equal(undefined);
    const doubled = path.map((entry) => ({ ...entry, id: entry.id === "00000003" ? "00000001" : entry.id }));
    expect(projectionOf(doubled).item("00000001")).to.equal(undefined);
    expect(projectionOf(doubled).item("00000002")).not.to.equal(undefined);
  });

  it("finds no item by the id of a response that shares it, however many results follow", () => {
    const { path } = branch()
      .user("one")
      .assistant({ calls: [read, read] })
      .results();
    const doubled = path.map((entry) => ({ ...entry, id: entry.id === "00000002" ? "00000001" : entry.id }));
    expect(projectionOf(doubled).item("00000001")).to.equal(undefined);
  });

  it("finds an interrupted turn by its id while its results arrive, each time as it is then", () => {
    const building = branch().assistant({ calls: [read, read], stopReason: "aborted" });
    for (const results of [0, 1, 2]) {
      const projection = projectionOf(building.path);
      expect(projection.item("00000001")).to.equal(projection.items[0]);
      expect(projection.item("00000001")).to.have.property("toolResults").with.lengthOf(results);
      building.result();
    }
  });

  it("finds no item where an interrupted turn and a context item share the id, in whatever order they come", () => {
    const [turn, one, note, two] = branch()
      .assistant({ calls: [read, read], stopReason: "aborted" })
      .result()
      .custom("note")
      .result()
      .path.map((entry) => ({ ...entry, id: "00000001" }));
    for (const path of [
      [turn, one, note],
      [turn, one, note, two],
      [note, turn, one, two],
    ])
      expect(projectionOf(path as SessionEntry[]).item("00000001")).to.equal(undefined);
  });

  it("names the newest model turn that was not interrupted, whatever user and context items follow", () => {
    const building = branch()
      .user("go")
      .assistant({ calls: [read] })
      .results();
    const newest = building.path[1]?.id;
    building.assistant({ text: "", stopReason: "error" }).user("more").custom("note").bash("ls", "a");
    expect(projectionOf(building.path).lastModelTurn?.historyId).to.equal(newest);
  });

  it("calls a turn failed when it was interrupted or one of its results is an error", () => {
    const turns = itemsOf(
      branch()
        .assistant({ text: "fine" })
        .assistant({ text: "cut", stopReason: "aborted" })
        .assistant({ calls: [read, read] })
        .result("fine")
        .result({ isError: true }).path,
    );
    expect(turns.map((turn) => turn.kind === "modelTurn" && hasFailed(turn))).to.deep.equal([
      false,
      true,
      true,
    ]);
  });
});

function messageAt(path: readonly SessionEntry[], index: number): object {
  const entry = path[index];
  if (entry?.type !== "message") throw new Error(`entry ${index} is no message`);
  return entry.message;
}

function systemEntry(parentId: string): SessionEntry {
  const message = { role: "system", content: "prompt", timestamp: 0 };
  return { type: "message", id: "s", parentId, timestamp: "2026-01-01", message } as SessionEntry;
}

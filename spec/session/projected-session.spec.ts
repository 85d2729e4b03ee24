import { buildSessionContext } from "@earendil-works/pi-coding-agent";
import { expect } from "chai";
import type { SessionEntry } from "../../lib/messages.ts";
import { contextMessageOf } from "../../lib/session/context-message.ts";
import { ProjectedSession } from "../../lib/session/projected-session.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { deepFreeze } from "../support/deep-freeze.ts";

const calls = [{ name: "read" }];

function sessionOf(path: readonly SessionEntry[]): ProjectedSession {
  const session = new ProjectedSession();
  session.extend(path, path);
  return session;
}

/** What Pi makes of the branch for a `context` event. */
function pisMessages(path: SessionEntry[]): object[] {
  const { messages } = buildSessionContext(path, path.at(-1)?.id ?? null);
  return messages.filter(({ role }) => role !== "system");
}

const visible = (path: readonly SessionEntry[]) =>
  sessionOf(path)
    .messages.filter(({ hidden }) => !hidden)
    .map(({ message }) => message);

const scenes: Readonly<Record<string, () => BranchBuilder>> = {
  "turns, customs and runs": () =>
    branch()
      .custom("x")
      .user("u")
      .assistant({ calls })
      .results()
      .bash("ls", "a")
      .bash("secret", "s", "withheld")
      .branchSummary("left", "x")
      .branchSummary("", "x")
      .state("s", {})
      .model("p", "m"),
  "a compaction": () => {
    const building = branch().user("gone").assistant({ text: "gone" });
    const kept = building.user("kept").leafId;
    return building.assistant({ calls }).results().compaction("sum", kept).user("u2");
  },
  "a compaction that keeps everything from the first entry on": () => {
    const building = branch().user("kept");
    return building.assistant({ text: "a" }).compaction("sum", "00000001").user("u2");
  },
  "a compaction that names an entry behind itself": () =>
    branch().user("gone").compaction("sum", "00000003").user("u2").user("u3"),
  "a compaction that keeps nothing": () =>
    branch().user("gone").compaction("sum", "no-such-entry").assistant({ text: "a" }),
  "two compactions, the older one inside what the newer one keeps": () => {
    const building = branch().user("gone");
    const kept = building.user("kept").leafId;
    building.assistant({ text: "a" }).compaction("one", kept).user("u2").assistant({ text: "a2" });
    return building.compaction("two", kept).user("u3");
  },
  "edits of every kind of entry": () => {
    const building = branch();
    const ids = [
      building.user("u").leafId,
      building.assistant({ calls }).leafId,
      building.results().leafId,
      building.custom("x").leafId,
      building.bash("ls", "a").leafId,
      building.branchSummary("left", "x").leafId,
    ];
    for (const id of ids) building.contextEdit(id, "edited");
    return building.contextEdit(ids[2] ?? "", [{ type: "text", text: "edited twice" }]);
  },
  "edits that hide, of which the last counts": () => {
    const building = branch();
    const first = building.user("u").leafId;
    const second = building.assistant({ text: "a" }).leafId;
    return building.contextEdit(first).contextEdit(second).contextEdit(first, "shown again");
  },
  "an edit of the compaction itself": () => {
    const building = branch().user("gone").compaction("sum", "none");
    return building.contextEdit(building.leafId).user("u2");
  },
  "edits of what a compaction dropped": () => {
    const building = branch().user("gone");
    const gone = building.leafId;
    building.contextEdit(gone, "edited").compaction("sum", "none");
    return building.contextEdit(gone).contextEdit(gone, "edited again").user("u2");
  },
};

describe("ProjectedSession", () => {
  for (const [name, scene] of Object.entries(scenes)) {
    it(`holds what Pi itself makes of a branch: ${name}`, () => {
      const { path } = scene();
      expect(visible(path)).to.deep.equal(pisMessages(path));
    });

    it(`holds the same when the branch grows entry by entry: ${name}`, () => {
      const { path } = scene();
      const session = new ProjectedSession();
      path.forEach((entry, index) => {
        session.extend(path.slice(0, index + 1), [entry]);
      });
      expect(session.messages).to.deep.equal(sessionOf(path).messages);
    });

    it(`changes no stored entry: ${name}`, () => {
      const path = deepFreeze(scene().path);
      expect(() => sessionOf(path)).not.to.throw();
    });
  }

  it("takes stored messages of the roles that Pi also makes of entries, and custom entries without content", () => {
    const path: SessionEntry[] = JSON.parse(
      JSON.stringify(branch().custom("x").user("u").user("v").user("w").path),
    );
    const [custom, ...users] = path;
    Object.assign(custom ?? {}, { content: null });
    const roles = ["custom", "branchSummary", "compactionSummary"];
    users.forEach((entry, index) => {
      if (entry.type === "message") Object.assign(entry.message, { role: roles[index], summary: "s" });
    });
    expect(visible(path)).to.deep.equal(pisMessages(path));
    expect(path.map((entry) => contextMessageOf(entry)?.role)).to.deep.equal(["custom", ...roles]);
  });

  it("names the entry behind each message", () => {
    const { path } = branch().user("u").state("s", {}).assistant({ text: "a" });
    expect(sessionOf(path).messages.map(({ entryId }) => entryId)).to.deep.equal(["00000001", "00000003"]);
  });

  it("holds the stored messages themselves, never copies", () => {
    const { path, messages } = branch().user("u").assistant({ calls }).results();
    sessionOf(path).messages.forEach(({ message }, index) => {
      expect(message).to.equal(messages[index]);
    });
  });

  it("still names what a context edit withholds: a host without context edits sends it", () => {
    const building = branch().user("u").assistant({ text: "", stopReason: "error" });
    const { path } = building.contextEdit(building.leafId);
    expect(sessionOf(path).messages.map(({ hidden }) => hidden)).to.deep.equal([false, true]);
  });

  it("leaves system messages out", () => {
    const [entry] = branch().user("u").path;
    const system = { ...entry, id: "s", message: { role: "system", content: "p", timestamp: 0 } };
    expect(sessionOf([system as SessionEntry]).messages).to.deep.equal([]);
  });
});

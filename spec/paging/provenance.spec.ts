import { expect } from "chai";
import type { AgentMessage } from "../../lib/messages.ts";
import { Provenance } from "../../lib/paging/provenance.ts";
import { ProjectedSession } from "../../lib/session/projected-session.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { labelOf } from "../support/labels.ts";
import { piMessages } from "../support/paging-session.ts";

const calls = [{ name: "read", id: "c1" }];
const note: AgentMessage = { role: "custom", customType: "x", content: "x", display: false, timestamp: 7 };

interface Draft {
  readonly unstored?: number;
  readonly branchLag?: "none" | "tail";
  readonly change?: (messages: AgentMessage[]) => AgentMessage[];
}

function traced({ path }: BranchBuilder, { unstored = 0, branchLag = "tail", change }: Draft) {
  const session = new ProjectedSession();
  const stored = path.slice(0, path.length - unstored);
  session.extend(stored, stored);
  const messages = change ? change(piMessages(path)) : piMessages(path);
  return { messages, provenance: Provenance.trace(messages, session.messages, branchLag) };
}

/** Labels of the messages that count as the session's. */
function persistent(building: BranchBuilder, draft: Draft): string {
  const { messages, provenance } = traced(building, draft);
  return messages
    .filter((_, position) => provenance.isPersistent(position))
    .map(labelOf)
    .join(" ");
}

describe("Provenance", () => {
  it("names the entry behind a message, also where another extension changed its content", () => {
    const building = branch().user("u1").assistant({ text: "a1" });
    const edit = (messages: AgentMessage[]) =>
      messages.map((message) => (message.role === "user" ? { ...message, content: "changed" } : message));
    const { provenance } = traced(building, { change: edit });
    expect(provenance.entryId(0)).to.equal("00000001");
    expect(provenance.source(1)?.message).to.equal(building.messages[1]);
    expect(provenance.isPersistent(0)).to.equal(true);
  });

  it("counts what is not in the projected session as outgoing-only", () => {
    const { provenance } = traced(branch().user("u1"), { change: (messages) => [note, ...messages] });
    expect(provenance.isPersistent(0)).to.equal(false);
    expect(provenance.entryId(0)).to.equal(undefined);
    expect(provenance.isPersistent(1)).to.equal(true);
  });

  it("counts an unstored tail as outgoing-only where the branch does not lag", () => {
    const building = branch().user("u1").assistant({ text: "a1", calls }).result("r1");
    expect(persistent(building, { unstored: 2, branchLag: "none" })).to.equal("u1");
  });

  describe("where the branch lags", () => {
    it("counts unstored responses and results as ordinary, without an entry", () => {
      const building = branch().user("u1").assistant({ text: "a1", calls }).result("r1");
      expect(persistent(building, { unstored: 2 })).to.equal("u1 a1 r1");
      expect(traced(building, { unstored: 2 }).provenance.entryId(1)).to.equal(undefined);
    });

    it("counts the first unstored user message as ordinary behind a final answer, with the customs after it", () => {
      const building = branch().user("u1").assistant({ text: "a1" }).user("u2").custom("hint");
      expect(persistent(building, { unstored: 2 })).to.equal("u1 a1 u2 hint");
    });

    it("counts it as ordinary in a session that has stored nothing yet", () =>
      expect(persistent(branch().user("u1").custom("hint"), { unstored: 2 })).to.equal("u1 hint"));

    for (const stopReason of ["aborted", "error"] as const) {
      it(`counts it as ordinary behind a response that ended as ${stopReason}`, () => {
        const building = branch().user("u1").assistant({ text: "a1", calls, stopReason }).user("u2");
        expect(persistent(building, { unstored: 1 })).to.equal("u1 a1 u2");
      });
    }

    it("counts an unstored user message as outgoing-only where no turn is due", () => {
      const building = branch().user("u1").assistant({ text: "a1", calls }).result("r1").user("steer");
      expect(persistent(building, { unstored: 1 })).to.equal("u1 a1 r1");
      expect(persistent(building, { unstored: 2 })).to.equal("u1 a1 r1");
      expect(persistent(branch().user("u1").user("u2"), { unstored: 1 })).to.equal("u1");
    });

    it("counts only the first of several unstored user messages as ordinary", () => {
      const building = branch().user("u1").assistant({ text: "a1" }).user("u2").user("u3").custom("hint");
      expect(persistent(building, { unstored: 3 })).to.equal("u1 a1 u2");
    });

    it("counts an unstored custom message as outgoing-only unless it follows that user message", () => {
      const building = branch()
        .user("u1")
        .assistant({ text: "a1" })
        .custom("early")
        .user("u2")
        .bash("ls", "a");
      expect(persistent(building.custom("late"), { unstored: 4 })).to.equal("u1 a1 u2");
    });

    it("counts unstored runs and summaries as outgoing-only", () => {
      const building = branch()
        .user("u1")
        .assistant({ text: "a1" })
        .bash("ls", "a")
        .branchSummary("left", "x");
      expect(persistent(building, { unstored: 2 })).to.equal("u1 a1");
    });

    it("does not count an injection before the stored tail as ordinary", () => {
      const building = branch().user("u1").assistant({ text: "a1" }).user("u2");
      const inject = (messages: AgentMessage[]) => messages.toSpliced(1, 0, note);
      expect(persistent(building, { unstored: 1, change: inject })).to.equal("u1 a1 u2");
    });
  });
});

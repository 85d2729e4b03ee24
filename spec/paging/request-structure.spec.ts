import { expect } from "chai";
import { ContextSelectionError } from "../../lib/errors.ts";
import type { AgentMessage } from "../../lib/messages.ts";
import { Provenance } from "../../lib/paging/provenance.ts";
import { requestStructure } from "../../lib/paging/request-structure.ts";
import { ProjectedSession } from "../../lib/session/projected-session.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { caught } from "../support/caught.ts";
import { labelOf } from "../support/labels.ts";
import { piMessages } from "../support/paging-session.ts";

const c1 = { name: "read", id: "c1" };
const c2 = { name: "read", id: "c2" };

function structureOf({ path }: BranchBuilder, change = (messages: AgentMessage[]) => messages): string {
  const session = new ProjectedSession();
  session.extend(path, path);
  const messages = change(piMessages(path));
  const label = (position: number) => (messages[position] ? labelOf(messages[position]) : "?");
  return requestStructure(messages, Provenance.trace(messages, session.messages, "none"))
    .map((segment) => {
      if (segment.kind === "message") return label(segment.position);
      const exchange = [segment.assistant, ...segment.results].map(label).join("+");
      return segment.interrupted ? `(${exchange})` : exchange;
    })
    .join(" ");
}

const calling = (building: BranchBuilder) => building.assistant({ text: "a1", calls: [c1, c2] });

describe("requestStructure", () => {
  it("reads each response together with its results", () => {
    const building = calling(branch().user("u1")).result("r1").result("r2").assistant({ text: "a2" });
    expect(structureOf(building)).to.equal("u1 a1+r1+r2 a2");
  });

  it("takes results in any order, and ids that come back", () => {
    const building = calling(branch())
      .result({ callId: "c2", text: "r2" })
      .result({ callId: "c1", text: "r1" });
    calling(building).result("r3").result("r4");
    expect(structureOf(building)).to.equal("a1+r2+r1 a1+r3+r4");
  });

  it("pairs by position where one response uses an id twice", () => {
    const building = branch().assistant({ text: "a1", calls: [c1, c1] });
    building.result({ callId: "c1", text: "r1" }).result({ callId: "c1", text: "r2" });
    expect(structureOf(building)).to.equal("a1+r1+r2");
  });

  it("moves custom, bash and summary messages between a call and its results behind the last result", () => {
    const building = calling(branch().user("u1"))
      .result("r1")
      .custom("x")
      .bash("b", "out")
      .branchSummary("s", "x");
    expect(structureOf(building.result("r2").assistant({ text: "a2" }))).to.equal("u1 a1+r1+r2 x b s a2");
  });

  for (const stopReason of ["aborted", "error"] as const) {
    for (const answered of [0, 1, 2]) {
      it(`finds a response that ended as ${stopReason} interrupted, with its ${answered} results of 2`, () => {
        const building = branch()
          .user("u1")
          .assistant({ text: "a1", calls: [c1, c2], stopReason });
        for (let n = 1; n <= answered; n++) building.result(`r${n}`);
        const owned = ["a1", "r1", "r2"].slice(0, answered + 1).join("+");
        expect(structureOf(building.user("u2"))).to.equal(`u1 (${owned}) u2`);
        expect(structureOf(building.assistant({ text: "a2" }))).to.equal(`u1 (${owned}) u2 a2`);
      });
    }

    it(`finds a text-only response that ended as ${stopReason} interrupted`, () =>
      expect(structureOf(branch().user("u1").assistant({ text: "a1", stopReason }))).to.equal("u1 (a1)"));

    it(`lets a response follow one that ended as ${stopReason} before its results`, () => {
      const building = branch()
        .assistant({ text: "a1", calls: [c1], stopReason })
        .assistant({ text: "a2" });
      expect(structureOf(building)).to.equal("(a1) a2");
    });
  }

  for (const answered of [0, 1]) {
    it(`finds a normal response with ${answered} of 2 results interrupted when a user message is next`, () => {
      const building = calling(branch().user("u1"));
      for (let n = 1; n <= answered; n++) building.result(`r${n}`);
      const owned = ["a1", "r1"].slice(0, answered + 1).join("+");
      expect(structureOf(building.custom("x").user("u2"))).to.equal(`u1 (${owned}) x u2`);
    });
  }

  it("leaves a newest exchange that is still incomplete out of the request", () =>
    expect(structureOf(calling(branch().user("u1")).result("r1"))).to.equal("u1 (a1+r1)"));

  const rejections: [rule: string, building: () => BranchBuilder, place: string][] = [
    ["a result without any response", () => branch().result({ callId: "c9" }), "00000001"],
    ["a result after a user message", () => branch().user("u1").result({ callId: "c9" }), "00000002"],
    [
      "a result of a call that the response did not make",
      () => calling(branch()).result({ callId: "c9" }),
      "00000002",
    ],
    [
      "a second result of a call",
      () => calling(branch()).result({ callId: "c1" }).result({ callId: "c1" }),
      "00000003",
    ],
    [
      "a second result behind a complete exchange",
      () => calling(branch()).results().result({ callId: "c1" }),
      "00000004",
    ],
    [
      "a response after a normal response without all results",
      () => calling(branch()).result().assistant({ text: "a2" }),
      "00000003",
    ],
    [
      "a user message between a call and its results",
      () => calling(branch()).user("u").result({ callId: "c1" }),
      "00000003",
    ],
    [
      "a result of an interrupted response that is no call of it",
      () =>
        branch()
          .assistant({ calls: [c1], stopReason: "aborted" })
          .result({ callId: "c9" }),
      "00000002",
    ],
  ];
  for (const [rule, building, entryId] of rejections) {
    it(`rejects ${rule}, and says where and what to do`, () => {
      const error = caught(() => structureOf(building()), ContextSelectionError);
      expect(error.code).to.equal("INVALID_MESSAGE_STRUCTURE");
      expect(error.message).to.contain(`session entry ${entryId}`);
      expect(error.message).to.contain("/context-paging off").and.contain("/tree");
      expect(error.message).to.contain("No message was changed");
    });
  }

  it("says which calls are in question, and what is wrong with them", () => {
    const message = (building: BranchBuilder) =>
      caught(() => structureOf(building), ContextSelectionError).message;
    expect(message(calling(branch()).result({ callId: "c9" }))).to.contain("call c9, which is not open");
    const twice = calling(branch()).result({ callId: "c1" }).result({ callId: "c1" });
    expect(message(twice)).to.contain("call c1, which was answered already");
    expect(message(calling(branch()).assistant({ text: "a2" }))).to.contain("calls c1, c2 have no result");
  });

  it("names the place in the request of a damaged message that is not of the session", () => {
    const orphan: AgentMessage = {
      role: "toolResult",
      toolCallId: "c9",
      toolName: "x",
      content: [],
      isError: false,
      timestamp: 7,
    };
    const error = caught(
      () => structureOf(branch().user("u1"), (messages) => [...messages, orphan]),
      ContextSelectionError,
    );
    expect(error.message).to.contain("position 1 of the request");
  });
});

import { expect } from "chai";
import type { AgentMessage } from "../../lib/messages.ts";
import { Provenance } from "../../lib/paging/provenance.ts";
import { requestStructure } from "../../lib/paging/request-structure.ts";
import { placeInTurns } from "../../lib/paging/turns.ts";
import { ProjectedSession } from "../../lib/session/projected-session.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { labelOf } from "../support/labels.ts";
import { piMessages } from "../support/paging-session.ts";

const calls = [{ name: "read" }];

/** "0:envelope u1": turn, role in it, message. */
function placed({ path }: BranchBuilder, change = (messages: AgentMessage[]) => messages): string[] {
  const session = new ProjectedSession();
  session.extend(path, path);
  const messages = change(piMessages(path));
  const provenance = Provenance.trace(messages, session.messages, "none");
  return placeInTurns(requestStructure(messages, provenance), messages, provenance).map(
    ({ segment, turn, role }) => {
      const message = messages[segment.kind === "exchange" ? segment.assistant : segment.position];
      return `${turn}:${role} ${message ? labelOf(message) : "?"}`;
    },
  );
}

const place = (building: BranchBuilder, label: string) =>
  placed(building).find((found) => found.endsWith(` ${label}`));
const injected: AgentMessage = { role: "user", content: "inj", timestamp: 7 };

describe("placeInTurns: what starts a turn", () => {
  it("a user message does, behind a final answer and at the start", () => {
    const building = branch().user("u1").assistant({ text: "a1" }).user("u2");
    expect(placed(building)).to.deep.equal(["0:envelope u1", "0:exchange a1", "1:envelope u2"]);
  });

  it("each of several user messages in a row does", () =>
    expect(placed(branch().user("u1").user("u2"))).to.deep.equal(["0:envelope u1", "1:envelope u2"]));

  it("a custom message that the model answers does", () => {
    const building = branch().user("u1").assistant({ text: "a1" }).custom("job").assistant({ text: "a2" });
    expect(placed(building).slice(2)).to.deep.equal(["1:envelope job", "1:exchange a2"]);
    expect(place(branch().custom("job").assistant({ text: "a1" }), "job")).to.equal("0:envelope job");
  });

  it("a custom message at the end does: the model is about to answer it", () =>
    expect(place(branch().user("u1").assistant({ text: "a1" }).custom("job"), "job")).to.equal(
      "1:envelope job",
    ));

  it("of several custom messages only the first does", () => {
    const building = branch()
      .assistant({ text: "a0" })
      .custom("job")
      .custom("more")
      .assistant({ text: "a1" });
    expect(placed(building).slice(1)).to.deep.equal(["0:envelope job", "0:envelope more", "0:exchange a1"]);
  });

  it("a custom message that a user message follows does not: it belongs to the turn before it", () => {
    const building = branch().user("u1").assistant({ text: "a1" }).custom("note").user("u2");
    expect(place(building, "note")).to.equal("0:attached note");
    expect(place(branch().custom("note").user("u1"), "note")).to.equal("-1:single note");
  });

  it("a custom message that a run or a summary follows does not", () => {
    const building = branch().user("u1").assistant({ text: "a1" }).custom("note").bash("b", "out");
    expect(place(building.assistant({ text: "a2" }), "note")).to.equal("0:attached note");
  });

  it("an injected message between a custom message and its answer changes nothing", () => {
    const building = branch().user("u1").assistant({ text: "a1" }).custom("job").assistant({ text: "a2" });
    const found = placed(building, (messages) => messages.toSpliced(3, 0, injected));
    expect(found.slice(2)).to.deep.equal(["1:envelope job", "1:injected inj", "1:exchange a2"]);
  });

  it("runs and summaries between turns do not: they belong to the turn before them", () => {
    const building = branch()
      .user("u1")
      .assistant({ text: "a1" })
      .bash("b", "out")
      .branchSummary("s", "x")
      .user("u2");
    expect(placed(building).slice(2)).to.deep.equal(["0:attached b", "0:attached s", "1:envelope u2"]);
  });

  it("an outgoing-only message never does", () => {
    const found = placed(branch().user("u1").assistant({ text: "a1" }), (messages) => [
      injected,
      ...messages,
      injected,
    ]);
    expect(found[0]).to.equal("-1:injected inj");
    expect(found[3]).to.equal("0:injected inj");
  });

  for (const [what, building] of [
    [
      "a response that was aborted",
      () => branch().user("u1").assistant({ calls, stopReason: "aborted" }).results(),
    ],
    ["a response that failed", () => branch().user("u1").assistant({ calls, stopReason: "error" }).results()],
    ["a killed run", () => branch().user("u1").assistant({ calls })],
    ["a final answer", () => branch().user("u1").assistant({ text: "a1" })],
  ] as const) {
    it(`a user message behind ${what} does`, () =>
      expect(place(building().user("u2"), "u2")).to.equal("1:envelope u2"));
  }

  it("a custom message that the model answers behind an interrupted response does", () => {
    const building = branch().user("u1").assistant({ calls, stopReason: "aborted" }).custom("job");
    expect(place(building.assistant({ text: "a2" }), "job")).to.equal("1:envelope job");
  });
});

describe("placeInTurns: while the run goes on", () => {
  const settled = () => branch().user("u1").assistant({ text: "a1", calls }).result("r1");

  it("a user message directly behind the results is steering", () => {
    expect(place(settled().user("steer"), "steer")).to.equal("0:steering steer");
    expect(place(settled().user("steer").assistant({ text: "a2" }), "steer")).to.equal("0:steering steer");
  });

  it("a user message behind custom messages behind the results is steering", () =>
    expect(place(settled().custom("x").custom("y").user("steer"), "steer")).to.equal("0:steering steer"));

  it("each of several user messages behind the results is steering, customs in between or not", () => {
    const building = settled().user("one").user("two").custom("x").user("three").assistant({ text: "a2" });
    expect(placed(building).slice(2, 6)).to.deep.equal([
      "0:steering one",
      "0:steering two",
      "0:attached x",
      "0:steering three",
    ]);
  });

  it("a custom message directly behind the results belongs to that exchange, answered or not", () => {
    expect(place(settled().custom("x"), "x")).to.equal("0:attached x");
    expect(place(settled().custom("x").assistant({ text: "a2" }), "x")).to.equal("0:attached x");
    expect(place(settled().custom("x").user("u2"), "x")).to.equal("0:attached x");
  });

  it("a user message of another extension is no steering", () => {
    const found = placed(settled(), (messages) => [...messages, injected]);
    expect(found[2]).to.equal("0:injected inj");
  });

  it("an injected message behind the results does not end the run", () => {
    const building = settled().user("steer");
    expect(placed(building, (messages) => messages.toSpliced(3, 0, injected)).at(-1)).to.equal(
      "0:steering steer",
    );
  });

  it("a run of the user's own ends it: a user message behind it starts a turn", () =>
    expect(place(settled().bash("b", "out").user("u2"), "u2")).to.equal("1:envelope u2"));

  it("a user message behind the final answer starts a turn again", () =>
    expect(place(settled().assistant({ text: "a2" }).user("u2"), "u2")).to.equal("1:envelope u2"));

  it("a user message behind a killed run with some results starts a turn", () => {
    const building = branch()
      .user("u1")
      .assistant({ calls: [...calls, ...calls] })
      .result("r1")
      .user("u2");
    expect(place(building, "u2")).to.equal("1:envelope u2");
  });
});

describe("placeInTurns: within a turn", () => {
  it("the custom messages directly behind the start belong to the envelope", () => {
    const building = branch().user("u1").custom("x").custom("y").assistant({ text: "a1" });
    expect(placed(building)).to.deep.equal([
      "0:envelope u1",
      "0:envelope x",
      "0:envelope y",
      "0:exchange a1",
    ]);
  });

  it("runs and summaries before the first exchange are attached to the envelope, and custom messages behind them", () => {
    const building = branch()
      .user("u1")
      .bash("b", "out")
      .branchSummary("s", "x")
      .custom("x")
      .assistant({ text: "a1" });
    expect(placed(building).slice(1, 4)).to.deep.equal(["0:attached b", "0:attached s", "0:attached x"]);
  });

  it("a response that leaves the request is marked interrupted, with its turn", () => {
    const building = branch()
      .user("u1")
      .assistant({ text: "a1", stopReason: "error" })
      .assistant({ text: "a2" });
    expect(placed(building)[1]).to.equal("0:interrupted a1");
  });

  it("before the first turn every exchange and every other message stands alone", () => {
    const building = branch().assistant({ text: "a0", calls }).result("r0").custom("x").bash("b", "out");
    building.branchSummary("s", "x").custom("y").user("u1");
    expect(placed(building)).to.deep.equal([
      "-1:exchange a0",
      "-1:attached x",
      "-1:single b",
      "-1:single s",
      "-1:single y",
      "0:envelope u1",
    ]);
  });
});

/** Reported faults, group A: how calls and their results are paired. */
import { expect } from "chai";
import { ContextSelectionError, HistoryProjectionError } from "../../lib/errors.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { caught } from "../support/caught.ts";
import { projectionOf } from "../support/history.ts";
import { labelOf } from "../support/labels.ts";
import { illegalities } from "../support/legal-request.ts";
import { PagingScene } from "../support/paging-scene.ts";
import { PagingSession, piMessages, sentBy } from "../support/paging-session.ts";
import { exchanges, turns } from "../support/talk.ts";

const c1 = { name: "read", id: "c1" };
const c2 = { name: "read", id: "c2" };
const c3 = { name: "read", id: "c3" };

interface Loaded {
  readonly items: readonly { readonly assistant: object; readonly toolResults: readonly object[] }[];
}

interface Page {
  readonly text: string;
}

/** Every request that differs, for each budget from `from` up to what the whole branch costs. */
function* swept(building: BranchBuilder, from: number, to: number) {
  for (let budget = from; budget <= to; budget++) {
    const outcome = new PagingSession({ budget }).request(building);
    yield { budget, outcome, messages: outcome.messages ?? piMessages(building.path) };
  }
}

/** The request fails, nothing is sent, and the user is told of the entry and of the ways out. */
async function expectRefusal(scene: PagingScene, entryId: string): Promise<void> {
  const incoming = scene.messages;
  const sent = await scene.request(incoming);
  expect(sent).to.include({ isAborted: true, isUnchanged: true });
  expect(sent.messages).to.deep.equal(incoming);
  expect(scene.pi.told).to.have.length(1);
  for (const part of [entryId, "/context-paging off", "/tree"]) expect(scene.pi.told[0]).to.contain(part);
  await scene.command("off");
  expect(await scene.request()).to.include({ isAborted: false, isUnchanged: true });
}

describe("D01 results of an aborted or failed assistant stay behind", () => {
  for (const stopReason of ["aborted", "error"] as const) {
    for (const answered of [1, 2]) {
      const building = () => {
        const interrupted = branch()
          .user("u1 #40")
          .assistant({ text: "a1 #20", calls: [c1, c2], stopReason });
        for (let n = 1; n <= answered; n++) interrupted.result(`r${n} #30`);
        return interrupted.user("u2 #10").assistant({ text: "a2 #20" }).user("u3 #10");
      };

      it(`${stopReason}, ${answered} of 2 calls answered: no request holds a part of the unit`, () => {
        expect(new PagingSession({ budget: 1000 }).sent(building())).to.equal("u1 u2 a2 u3");
        const { cut } = new PagingSession({ budget: 79 }).request(building());
        expect(cut?.frontier.historyId, "the cut falls right behind the unit").to.equal("00000001");
        expect(new PagingSession({ budget: 79 }).sent(building())).to.equal("notice u2 a2 u3");
        for (const { budget, messages } of swept(building(), 30, 160))
          expect(illegalities(messages), `budget ${budget}`).to.deep.equal([]);
      });

      it(`${stopReason}, ${answered} of 2 calls answered: the recovery tools give back both, exactly`, async () => {
        const scene = await PagingScene.resumed(building());
        const [, assistant, ...rest] = scene.session.messages;
        const { items } = await scene.tool<Loaded>("load_history", { historyIds: ["00000002"] });
        expect(items[0]?.assistant).to.deep.equal(assistant);
        expect(items[0]?.toolResults).to.deep.equal(rest.slice(0, answered));
      });
    }
  }
});

describe("D02 plain cut between a call and its result", () => {
  it("no budget cuts a unit in two: all of it is sent, or nothing", () => {
    const building = branch()
      .user("u1 #10")
      .assistant({ text: "a1 #20", calls: [c1, c2, c3] })
      .results("r #30")
      .assistant({ text: "a2 #10" })
      .user("u2 #15");
    for (const { budget, messages } of swept(building, 35, 146)) {
      const kept = messages.map(labelOf).filter((label) => label !== "notice");
      const expected = budget < 145 ? ["u2"] : ["u1", "a1", "r", "r", "r", "a2", "u2"];
      expect(kept, `budget ${budget}`).to.deep.equal(expected);
    }
  });

  it("neither while the turn is active", () => {
    const building = branch()
      .user("task #10")
      .assistant({ text: "a1 #20", calls: [c1, c2, c3] })
      .results("r #30")
      .assistant({ text: "a2 #20", calls: [c1] })
      .result("r2 #30");
    for (const { budget, messages } of swept(building, 80, 171)) {
      const kept = messages.map(labelOf).filter((label) => label !== "notice");
      const unit = budget < 170 ? [] : ["a1", "r", "r", "r"];
      expect(kept, `budget ${budget}`).to.deep.equal(["task", ...unit, "a2", "r2"]);
    }
  });
});

describe("D03 chained compactions outlive a call", () => {
  const building = () => {
    const talk = branch()
      .user("u1")
      .assistant({ text: "a1", calls: [c1] });
    talk.compaction("one", "00000001").result({ callId: "c1", text: "r1" });
    const firstKept = talk.leafId;
    return talk
      .assistant({ text: "a2", calls: [c2] })
      .results("r2")
      .compaction("two", firstKept)
      .user("u2");
  };

  it("the request is refused at the result without its call", async () => {
    await expectRefusal(await PagingScene.resumed(building()), "00000004");
  });

  it("the raw branch is whole: load_history still returns the result", async () => {
    const scene = await PagingScene.resumed(building());
    const { items } = await scene.tool<Loaded>("load_history", { historyIds: ["00000002"] });
    expect(items[0]?.toolResults).to.deep.equal([scene.session.messages[2]]);
  });
});

describe("D04 extension message between call and result", () => {
  const building = () =>
    branch()
      .user("u1 #10")
      .assistant({ text: "a1 #20", calls: [c1, c2] })
      .result("r1 #30")
      .custom("cm #12")
      .result("r2 #30")
      .assistant({ text: "a2 #10" });

  it("results come first and the message follows, at the same cost", () => {
    const outcome = new PagingSession({ budget: 1000 }).request(building());
    expect(sentBy(outcome, building())).to.equal("u1 a1 r1 r2 cm a2");
    expect(outcome.report).to.include({ tokensBefore: 112, tokensAfter: 112, unitsRemoved: 0 });
  });

  it("the unit is complete: it is one item, and leaves as one with the message", () => {
    const [, turn] = projectionOf(building().path).items;
    expect(turn).to.include({ kind: "modelTurn", interrupted: false });
    expect(turn?.kind === "modelTurn" && turn.toolResults).to.have.length(2);
    const { outcome } = [...swept(building().user("u2 #10"), 121, 121)][0] ?? {};
    expect(outcome?.messages?.map(labelOf)).to.deep.equal(["notice", "u2"]);
  });
});

describe("D05 a steering message during a tool run", () => {
  it("inside a batch, as old files have it, it is refused and named", async () => {
    const building = branch()
      .user("u1")
      .assistant({ text: "a1", calls: [c1, c2] })
      .user("steer")
      .result({ callId: "c1" })
      .result({ callId: "c2" })
      .assistant({ text: "a2" });
    const { error } = projectionOf(building.path);
    expect(error).to.be.instanceOf(HistoryProjectionError).and.include({ entryId: "00000004" });
    await expectRefusal(await PagingScene.resumed(building), "00000004");
  });

  it("behind the results, as Pi stores it today, it is an item of its own and never splits the unit", () => {
    const building = branch()
      .user("u1 #10")
      .assistant({ text: "a1 #20", calls: [c1, c2] })
      .result("r1 #30")
      .result({ text: "skipped #5", isError: true })
      .user("steer #8");
    exchanges(building, 3, 3, "#50");
    const kinds = projectionOf(building.path).items.map(({ kind }) => kind);
    expect(kinds).to.deep.equal(["user", "modelTurn", "user", "modelTurn"]);
    const sent = new Set<string>();
    for (const { messages } of swept(building, 188, 230)) sent.add(messages.map(labelOf).join(" "));
    expect([...sent]).to.deep.equal(["notice u1 steer a3 r3", "u1 a1 r1 skipped steer a3 r3"]);
  });
});

describe("D06 a provider restarts its call ids every turn", () => {
  const building = () => {
    const talk = branch().user("u1 #10");
    for (const text of ["one #60", "two #60", "three #60"])
      talk.assistant({ text: "a #10", calls: [{ name: "read", id: "x:0" }] }).result(text);
    return talk;
  };

  it("nothing is a duplicate: every result is kept", () => {
    expect(projectionOf(building().path).error).to.equal(undefined);
    expect(new PagingSession({ budget: 220 }).sent(building())).to.equal("u1 a one a two a three");
    expect(new PagingSession({ budget: 200 }).sent(building())).to.equal("notice u1 a two a three");
  });

  it("reading by call id gives the occurrence of the entry that is asked for", async () => {
    const scene = await PagingScene.resumed(building());
    const texts = ["00000002", "00000004", "00000006"].map((historyId) =>
      scene.tool<Page>("read_context_output", { historyId, source: "toolResult", toolCallId: "x:0" }),
    );
    const words = (await Promise.all(texts)).map(({ text }) => /"text":"(\w+)/.exec(text)?.[1]);
    expect(words).to.deep.equal(["one", "two", "three"]);
  });
});

describe("D07 built-in and extension tools in one parallel batch", () => {
  // The three modes of both hosts: spec/host/reported.spec.ts.
  it("a batch that mixes recovery tools with others is an ordinary unit", async () => {
    const calls = ["read", "search_history", "bash", "load_history"].map((name) => ({ name, id: name }));
    const building = turns(branch(), 1, 1).user("u2").assistant({ text: "a2", calls }).results("r");
    expect(new PagingSession({ budget: 799 }).sent(building)).to.equal("notice u2 a2 r r r r");
    const scene = await PagingScene.resumed(building);
    const { items } = await scene.tool<Loaded>("load_history", { historyIds: ["00000004"] });
    const [read, search, bash, load] = items[0]?.toolResults ?? [];
    expect([search, load]).to.deep.equal([null, null]);
    expect([read, bash]).to.deep.equal([scene.session.messages[4], scene.session.messages[6]]);
  });
});

describe("D08 the assistant line is missing from the file", () => {
  const shapes = {
    "in the middle": () => branch().user("u1").result({ callId: "c9" }).result({ callId: "c9b" }),
    "as the first entries": () => branch().result({ callId: "c9" }).result({ callId: "c9b" }),
  };
  for (const [place, start] of Object.entries(shapes)) {
    it(`${place}: the first orphan is named, by the request and by the tools, and nothing is lost`, async () => {
      const building = turns(start(), 2, 2).user("u3");
      const orphan = place === "in the middle" ? "00000002" : "00000001";
      const error = caught(
        () => new PagingSession({ budget: 1000 }).request(building),
        ContextSelectionError,
      );
      expect(error.code).to.equal("INVALID_MESSAGE_STRUCTURE");
      const scene = await PagingScene.resumed(building);
      for (const [tool, input] of [
        ["search_history", { query: "u2" }],
        ["load_history", { historyIds: ["00000004"] }],
      ] as const) {
        const refusal = await scene.tool(tool, input).catch((failure: Error) => failure.message);
        expect(refusal)
          .to.match(/^ORPHAN_TOOL_RESULT: /)
          .and.contain(orphan);
      }
      await expectRefusal(scene, orphan);
    });
  }

  it("a request without the orphans is served, and so is the branch after /tree to before them", async () => {
    const scene = await PagingScene.resumed(
      turns(branch().user("u1").result({ callId: "c9" }), 2, 20).user("next"),
    );
    const sound = scene.messages.filter(({ role }) => role !== "toolResult");
    expect(await scene.request(sound)).to.include({ isAborted: false });
    scene.session.goTo("00000001").user("again");
    await scene.emit("session_tree");
    expect(await scene.request()).to.include({ isAborted: false, isUnchanged: true });
  });
});

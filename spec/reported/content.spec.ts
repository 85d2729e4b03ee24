/** Reported faults, group F: content that must not change. */
import { expect } from "chai";
import type { AgentMessage, AssistantBlock } from "../../lib/messages.ts";
import { branch } from "../support/branch-builder.ts";
import { projectionOf } from "../support/history.ts";
import { labelOf } from "../support/labels.ts";
import { PagingScene } from "../support/paging-scene.ts";
import { PagingSession, piMessages } from "../support/paging-session.ts";
import { exchanges, turns } from "../support/talk.ts";

interface Page {
  readonly text: string;
  readonly nextOffset: number | null;
}

interface Found {
  readonly references: readonly { readonly preview: string }[];
}

/** Half of a pair without its other half. */
const LONE = /\p{Cs}/u;

/** All pages of a result, in order. */
async function pages(scene: PagingScene, limit: number): Promise<string[]> {
  const read: string[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const address = { historyId: "00000002", source: "toolResult", toolCallId: "c1" };
    const page: Page = await scene.tool<Page>("read_context_output", { ...address, offset, limit });
    read.push(page.text);
    offset = page.nextOffset;
  }
  return read;
}

const reading = (text: string) =>
  branch()
    .user("u1")
    .assistant({ calls: [{ name: "read", id: "c1" }] })
    .result(text);

describe("D29 half an emoji", () => {
  it("pages of an odd size split no pair, and join to the exact text", async () => {
    const scene = await PagingScene.resumed(reading("🙂".repeat(10_001)), {
      paging: { tokenBudget: 100_000 },
    });
    const stored = JSON.stringify(scene.session.messages[2]);
    for (const limit of [1_001, 7_777]) {
      const read = await pages(scene, limit);
      expect(read.join("")).to.equal(stored);
      for (const text of read) expect(text).to.not.match(LONE);
    }
  });

  it("a lone half that is already stored comes back as stored", async () => {
    const scene = await PagingScene.resumed(reading(`a\ud83d b\ude42 ${"🙂".repeat(40)}\ud83d`));
    const stored = JSON.stringify(scene.session.messages[2]);
    for (const limit of [1, 33]) expect((await pages(scene, limit)).join("")).to.equal(stored);
    const reply = await scene.tool<{ items: { toolResults: unknown[] }[] }>("load_history", {
      historyIds: ["00000002"],
    });
    expect(reply.items[0]?.toolResults).to.deep.equal([scene.session.messages[2]]);
    expect(await scene.cut()).to.include({ isAborted: false });
  });

  const excerpts = {
    emoji: "🙂",
    "joined emoji": "👩‍👩‍👧‍👦",
    "line ends": "\r\n",
    "lone halves": "\ud83d",
  };
  for (const [name, part] of Object.entries(excerpts)) {
    it(`excerpts cut through ${name} hold no half of a pair and no line end`, async () => {
      for (let lead = 0; lead < 8; lead++) {
        const text = `${"x".repeat(lead)}${part.repeat(200)}needle${part.repeat(200)}`;
        const scene = await PagingScene.resumed(reading(text));
        const { references } = await scene.tool<Found>("search_history", { query: "needle" });
        expect(references[0]?.preview)
          .to.contain("needle")
          .and.not.match(LONE)
          .and.not.match(/[\r\n]/);
      }
    });
  }

  it("neither do excerpts that are shortened because the reply would be too long", async () => {
    const building = branch().user("u1");
    for (let n = 0; n < 10; n++)
      building
        .assistant({ calls: [{ name: "read", id: `${n}${"c".repeat(400)}` }] })
        .result(`${"x".repeat(n % 2)}needle ${"🙂".repeat(200)}`);
    const scene = await PagingScene.resumed(building);
    const { references } = await scene.tool<Found>("search_history", { query: "needle", limit: 10 });
    expect(references).to.have.length(10);
    expect(references[0]?.preview.length, "characters of a shortened excerpt").to.be.within(38, 40);
    for (const { preview } of references) expect(preview).to.not.match(LONE);
  });
});

describe("D30 thinking blocks of the last assistant", () => {
  const building = () => {
    const talk = exchanges(turns(branch(), 1, 2).user("u3"), 5, 6);
    for (const n of [7, 8]) {
      const content: AssistantBlock[] = [
        { type: "thinking", thinking: `why ${n}`, thinkingSignature: `sig${n}` },
        { type: "text", text: `a${n}` },
        { type: "toolCall", id: `c${n}`, name: "read", arguments: {} },
      ];
      talk.assistant({ content }).result(`r${n} #300`);
    }
    return talk;
  };

  it("a unit is sent with all its blocks or not at all, and the open tool loop always", () => {
    for (let budget = 130; budget <= 1_710; budget += 10) {
      const incoming = piMessages(building().path);
      const before = structuredClone(incoming);
      const { messages } = new PagingSession({ budget }).requestOf(incoming, building());
      const sent = messages ?? incoming;
      for (const message of sent.filter(({ role }) => role === "assistant"))
        expect(before, `budget ${budget}`).to.deep.include(message);
      expect(sent.slice(-2), `budget ${budget}`).to.deep.equal(before.slice(-2));
    }
  });

  it("with the cut between the last two units, a7 is gone whole and a8 is the very object", () => {
    const incoming = piMessages(building().path);
    const { messages, report } = new PagingSession({ budget: 600 }).requestOf(incoming, building());
    expect(messages?.map(labelOf)).to.deep.equal(["notice", "u3", "a8", "r8"]);
    expect(messages?.[2]).to.equal(incoming.at(-2));
    expect(report.mode).to.equal("paged");
  });

  it("over the budget the open tool loop is sent untouched, and that is reported", () => {
    const incoming = piMessages(building().path);
    const { messages, report } = new PagingSession({ budget: 300 }).requestOf(incoming, building());
    expect(messages?.slice(1)).to.deep.equal([incoming[4], ...incoming.slice(-2)]);
    expect(messages?.at(-2)).to.equal(incoming.at(-2));
    expect(report).to.include({ mode: "protectedOverflow", budgetTokens: 300, tokensAfter: 520 });
  });
});

describe("D31 prompt and tools disappear", () => {
  // What the request offers in the end: spec/host/reported.spec.ts.
  const system = (content: string) => ({ role: "system", content, timestamp: 1 }) as AgentMessage;
  const talk = () => {
    const building = branch().message(system("s0 #5000"));
    turns(building, 1, 2).message(system("s1 #5000"));
    return turns(building, 3, 5).message(system("s2 #5000")).user("u6");
  };

  it("system entries are neither items nor turn starts, and cost nothing among the messages", () => {
    const { items } = projectionOf(talk().path);
    expect(items.map(({ kind }) => kind).join(" ")).to.equal(`${"user modelTurn ".repeat(5)}user`);
    const { report } = new PagingSession({ budget: 5_000 }).request(talk());
    expect(report).to.include({ tokensBefore: 1_100, unitsRemoved: 0 });
  });

  it("the request after a cut has no system message: Pi puts one head before it", () => {
    const { messages } = new PagingSession({ budget: 600 }).request(talk());
    expect(messages?.map(labelOf)).to.deep.equal(["notice", "u4", "a4", "u5", "a5", "u6"]);
  });

  it("neither does a session without any, or one that begins with a compaction, lose its first user message", () => {
    const older = turns(branch(), 1, 2).user("u3");
    expect(new PagingSession({ budget: 330 }).sent(older)).to.equal("notice u2 a2 u3");
    const begun = branch();
    begun.entry({
      type: "compaction",
      summary: "sum",
      firstKeptEntryId: "00000002",
      tokensBefore: 1,
      systemMessage: system("s0"),
    } as never);
    expect(new PagingSession({ budget: 900 }).sent(turns(begun, 1, 2).user("u3"))).to.equal(
      "sum u1 a1 u2 a2 u3",
    );
  });
});

describe("D32 two user messages in a row", () => {
  const USER_ROLES = ["user", "custom", "bashExecution", "branchSummary", "compactionSummary"];

  /** Neighbours that both reach the provider as user messages. */
  function userPairs(messages: readonly AgentMessage[]): number {
    const isUser = messages.map(({ role }) => USER_ROLES.includes(role));
    return isUser.filter((user, index) => user && isUser[index + 1]).length;
  }

  it("between turns paging adds the notice's pair and no other, whatever stands next to it", () => {
    const building = turns(branch(), 1, 3).bash("b", "out").user("u4").custom("cm").assistant({ text: "a4" });
    turns(building, 5, 6).bash("b2", "out").user("u7");
    const raw = piMessages(building.path);
    const rawPairs = new Set(
      raw.map((message, index) => `${labelOf(message)} ${labelOf(raw[index + 1] ?? message)}`),
    );
    for (let budget = 150; budget <= 1_700; budget += 10) {
      const { messages } = new PagingSession({ budget }).request(building);
      if (!messages) continue;
      expect(
        messages
          .slice(1)
          .every(
            (message, index, kept) =>
              index === kept.length - 1 ||
              rawPairs.has(`${labelOf(message)} ${labelOf(kept[index + 1] ?? message)}`),
          ),
        `budget ${budget}`,
      ).to.equal(true);
      expect(userPairs(messages) - userPairs(messages.slice(1))).to.be.at.most(1);
    }
  });

  it("within a turn steering moves next to the request that it steers: counted as one pair each", () => {
    const building = exchanges(branch().user("task"), 1, 3).user("steer");
    exchanges(building, 4, 6);
    const { messages = [] } = new PagingSession({ budget: 500 }).request(building);
    expect(messages.map(labelOf)).to.deep.equal(["notice", "task", "steer", "a6", "r6"]);
    expect(userPairs(messages)).to.equal(2);
  });
});

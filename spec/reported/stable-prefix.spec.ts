/** Reported faults, group C: a prefix that a prompt cache can reuse. */
import { expect } from "chai";
import type { AgentMessage } from "../../lib/messages.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { PagingScene, type SentRequest } from "../support/paging-scene.ts";
import { prose } from "../support/prose.ts";

const BUDGET = 20_000;
const TARGET = (BUDGET * 5) / 8;

/** One exchange of about 1 000 tokens. */
function addUnit(session: BranchBuilder, n: number): void {
  session.assistant({ calls: [{ name: "read" }] }).results(prose(n, 3_950));
}

/** The bytes of a request, message by message. */
const bytes = ({ messages }: SentRequest) => messages.map((message) => JSON.stringify(message));

/** How many messages at the front of both are byte for byte the same. */
function samePrefix(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

describe("D17 a window that moves on every request", () => {
  it("between two cut moves each request is a byte-identical extension of the one before it", async () => {
    const scene = await PagingScene.open({ paging: { tokenBudget: BUDGET } });
    scene.session.user("task");
    let previous: string[] = [];
    let moves = 0;
    for (let n = 1; n <= 60; n++) {
      addUnit(scene.session, n);
      const sent = bytes(await scene.request());
      if (scene.report.movement === "advance") moves++;
      else expect(samePrefix(previous, sent), `request ${n}`).to.equal(previous.length);
      previous = sent;
    }
    expect(moves).to.be.within(4, 6);
  });
});

describe("D18 the cut moves rarely but too little", () => {
  it("each move frees three eighths of the budget, so that 500 requests need 66 moves at most", async () => {
    const scene = await PagingScene.open({ paging: { tokenBudget: BUDGET } });
    scene.session.user("task");
    const moves: number[] = [];
    let resentCharacters = 0;
    let newCharacters = 0;
    let previous: string[] = [];
    for (let n = 1; n <= 500; n++) {
      addUnit(scene.session, n);
      const sent = bytes(await scene.request());
      const same = samePrefix(previous, sent);
      resentCharacters += sent.slice(same, -2).join("").length;
      newCharacters += sent.slice(-2).join("").length;
      previous = sent;
      if (scene.report.movement !== "advance") continue;
      moves.push(n);
      expect(scene.report.tokensAfter, "the headroom of a move").to.be.at.most(TARGET);
    }
    // 7 500 tokens of headroom take 7 units of 1 000 tokens: the promise is one move in 7 requests.
    const gaps = moves.slice(1).map((n, index) => n - (moves[index] ?? 0));
    expect(Math.min(...gaps)).to.be.at.least(7);
    expect(moves.length).to.be.within(45, 66);
    expect(resentCharacters / newCharacters, "what a move sends again, per new character").to.be.below(1.5);
  }).timeout(60_000);
});

describe("D19 restart changes the outgoing view", () => {
  // In a new process of both hosts: spec/host/reported.spec.ts.
  const stored = () => {
    const building = branch().user("task");
    for (let n = 1; n <= 30; n++) addUnit(building, n);
    return building.assistant({ text: "done" }).user("next");
  };

  for (const tokenBudget of [BUDGET, 12_000, 28_000]) {
    it(`the first request after a restart is paged, with a budget of ${tokenBudget} as well`, async () => {
      const scene = await PagingScene.resumed(stored(), { paging: { tokenBudget } });
      expect((await scene.request()).isUnchanged).to.equal(false);
      expect(scene.report.tokensAfter).to.be.at.most(tokenBudget);
    });
  }

  it("two restarts send the same bytes but for the time of the notice", async () => {
    const [one, other] = await Promise.all(
      [0, 1].map(async () =>
        bytes(await (await PagingScene.resumed(stored(), { paging: { tokenBudget: BUDGET } })).request()),
      ),
    );
    expect(other).to.deep.equal(one);
  });

  it("nothing is replayed at once: off sends what Pi sends, and the first request after on is paged", async () => {
    const scene = await PagingScene.resumed(stored(), { paging: { tokenBudget: BUDGET } });
    await scene.request();
    await scene.command("off");
    expect((await scene.request()).isUnchanged).to.equal(true);
    await scene.command("on");
    expect((await scene.request()).isUnchanged).to.equal(false);
    expect(scene.report.tokensAfter).to.be.at.most(TARGET);
  });
});

describe("D20 several context handlers and the cache mark", () => {
  it("with another extension that appends a message to each request, paging still adds at the front only", async () => {
    const scene = await PagingScene.open({ paging: { tokenBudget: BUDGET } });
    scene.session.user("task");
    let previous: string[] = [];
    for (let n = 1; n <= 40; n++) {
      addUnit(scene.session, n);
      const reminder = { role: "user", content: `Reminder ${n}`, timestamp: n } as AgentMessage;
      const sent = bytes(await scene.request([...scene.messages, reminder]));
      expect(sent.at(-1)).to.equal(JSON.stringify(reminder));
      const tail = scene.messages.slice(-2).map((message) => JSON.stringify(message));
      expect(sent.slice(-3, -1), "nothing between the newest results and the reminder").to.deep.equal(tail);
      const kept = sent.slice(0, -1);
      if (scene.report.movement === "none")
        expect(samePrefix(previous, kept), `request ${n}`).to.equal(previous.length);
      previous = kept;
    }
  });
});

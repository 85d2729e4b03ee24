/** Reported faults, group H: the recovery tools, and what a cut does to the answer after it. */
import { expect } from "chai";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { PagingScene } from "../support/paging-scene.ts";
import { prose } from "../support/prose.ts";

interface Page {
  readonly offset: number;
  readonly nextOffset: number | null;
  readonly totalCharacters: number;
  readonly text: string;
}

interface Found {
  readonly references: readonly {
    readonly historyId: string;
    readonly match?: object;
    readonly inWindow: boolean;
  }[];
  readonly total: number;
}

const estimator = new TokenEstimator();
const ADDRESS = { historyId: "00000002", source: "toolResult", toolCallId: "c1" };

const reading = (text: string, name = "read"): BranchBuilder =>
  branch()
    .user("u1")
    .assistant({ calls: [{ name, id: "c1" }] })
    .result(text)
    .assistant({ text: "read" });

describe("D35 reading on does not get further; recall loops", () => {
  it("a result of 600 000 characters: pages join to the exact text, and each says how to go on", async () => {
    const scene = await PagingScene.resumed(reading(prose(1, 600_000)), { paging: { tokenBudget: 20_000 } });
    const stored = JSON.stringify(scene.session.messages[2]);
    let joined = "";
    let offset: number | null = 0;
    for (let pages = 0; offset !== null; pages++) {
      const { content, details } = await scene.reply("read_context_output", {
        ...ADDRESS,
        offset,
        limit: 32_000,
      });
      const page = details as Page;
      expect(page.offset).to.equal(offset);
      expect(page.totalCharacters).to.equal(stored.length);
      expect(page.nextOffset ?? page.totalCharacters).to.be.greaterThan(offset);
      const [reply] = content;
      const tokens = estimator.text(reply?.type === "text" ? reply.text : "");
      expect(tokens, "a quarter of the budget, and a frame").to.be.below(5_000 + 60);
      joined += page.text;
      offset = page.nextOffset;
      expect(pages).to.be.below(60);
    }
    expect(joined).to.equal(stored);
  });

  it("a full page is never without its next offset: that stands in front of the text", async () => {
    const scene = await PagingScene.resumed(reading(prose(1, 90_000)));
    const { content } = await scene.reply("read_context_output", { ...ADDRESS, limit: 32_000 });
    const [reply] = content;
    expect(reply?.type === "text" ? reply.text.slice(0, 80) : "").to.match(/^\{"offset":0,"nextOffset":\d+,/);
  });

  it("a single recall cannot exceed half of the budget: it says the exact calls instead, and these can be made", async () => {
    const building = branch();
    for (let n = 1; n <= 20; n++) building.turn(`u${n}`, [{ name: "read", id: `c${n}` }], prose(n, 16_000));
    const scene = await PagingScene.resumed(building, { paging: { tokenBudget: 20_000 } });
    const historyIds = [1, 2, 3].map((n) => (n * 4 - 2).toString(16).padStart(8, "0"));
    const refusal = await scene.reply("load_history", { historyIds }).then(
      () => "loaded",
      (error: Error) => error.message,
    );
    expect(refusal).to.match(/^HISTORY_ITEMS_TOO_LARGE: /);
    const calls = [...refusal.matchAll(/read_context_output\((\{.*?\})\)/g)].map(([, input]) =>
      JSON.parse(input ?? ""),
    );
    expect(
      calls.filter(({ source }) => source === "toolResult").map(({ toolCallId }) => toolCallId),
    ).to.deep.equal(["c1", "c2", "c3"]);
    for (const call of calls)
      expect((await scene.tool<Page>("read_context_output", call)).text).to.not.equal("");
    const many = await scene.reply("load_history", { historyIds: Array(20).fill("00000002") }).then(
      () => "",
      (error: Error) => error.message,
    );
    expect(many).to.match(/^INVALID_HISTORY_NAVIGATOR_INPUT: /);
  });

  it("hits in the tools' own earlier output are none: the original is found", async () => {
    const building = reading("The launch code is ZEBRA-4471.");
    for (let n = 0; n < 5; n++)
      building
        .user(`again ${n}`)
        .assistant({ calls: [{ name: "search_history", args: { query: "ZEBRA-4471" } }] })
        .results('{"references":[{"preview":"The launch code is ZEBRA-4471."}]}')
        .assistant({ text: "Found it." });
    const scene = await PagingScene.resumed(building);
    const { references, total } = await scene.tool<Found>("search_history", { query: "ZEBRA-4471" });
    expect(references[0]?.historyId).to.equal("00000002");
    expect(total).to.equal(1);
  });

  it("a notice says what is outside, and a search says of each hit whether it is still in the window", async () => {
    const scene = await PagingScene.withCut();
    const { notice } = await scene.request();
    const named = /[0-9a-f]{8}/.exec(notice ?? "")?.[0];
    const browse = (historyId: string | undefined) =>
      scene.tool<Found>("browse_history", { historyId, direction: "around", count: 1 });
    expect((await browse(named)).references.map(({ inWindow }) => inWindow)).to.deep.equal([false]);
    expect((await browse(scene.session.leafId)).references.map(({ inWindow }) => inWindow)).to.deep.equal([
      true,
    ]);
  });

  it("an evicted error result comes back with flag and text as stored", async () => {
    const scene = await PagingScene.open();
    scene.session
      .user("u1")
      .assistant({ calls: [{ name: "bash", id: "c1" }] })
      .result({ text: "exit code 1: no such file", isError: true });
    expect((await scene.cut()).isUnchanged).to.equal(false);
    const stored = scene.session.messages[2];
    const loaded = await scene.tool<{ items: { failed: boolean; toolResults: object[] }[] }>("load_history", {
      historyIds: ["00000002"],
    });
    expect(loaded.items[0]).to.deep.include({ failed: true, toolResults: [stored] });
    expect((await scene.tool<Page>("read_context_output", ADDRESS)).text).to.equal(JSON.stringify(stored));
  });

  it("an id taken from a request before a resume stays valid", async () => {
    const before = await PagingScene.withCut();
    const { notice } = await before.request();
    const input = /read_context_output\((\{.*?\})\)/.exec(notice ?? "")?.[1] ?? "";
    const page = await before.tool<Page>("read_context_output", JSON.parse(input));
    const after = await PagingScene.resumed(before.session);
    expect(await after.tool<Page>("read_context_output", JSON.parse(input))).to.deep.equal(page);
  });
});

describe("D36 stale usage in the kept tail shrinks the answer", () => {
  // What Pi then asks for: spec/host/reported.spec.ts.
  it("the notice of the first request after a cut is newer than every kept response, whose usage stays as stored", async () => {
    const scene = await PagingScene.open({ paging: { tokenBudget: 96_000 } });
    scene.pi.model = { provider: "p", id: "m", api: "x", contextWindow: 200_000, maxTokens: 64_000 };
    for (let n = 1; n <= 100; n++) scene.session.turn(`u${n}`, [{ name: "read" }], prose(n, 4_000));
    const usage = { input: 0, cacheRead: 189_000, cacheWrite: 900, output: 100, totalTokens: 190_000 };
    scene.session.assistant({ text: "Done.", usage });
    // The host's clock may be behind the stored times.
    Object.assign(scene.session.messages.at(-1) ?? {}, { timestamp: Date.UTC(2030, 0, 1) });
    const { messages, noticeTime = 0, isUnchanged } = await scene.prompt().request();
    expect(isUnchanged).to.equal(false);
    expect(scene.report.tokensAfter).to.be.within(50_000, 60_000);
    for (const message of messages) expect(message.timestamp).to.be.at.most(noticeTime);
    expect(messages.at(-2)).to.deep.include({
      usage: { ...usage, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
    });
  });
});

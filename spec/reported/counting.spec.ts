/** Reported faults, group B: how tokens are counted. */
import { expect } from "chai";
import type { AgentMessage, ImageContent, ToolResultMessage } from "../../lib/messages.ts";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { PagingScene } from "../support/paging-scene.ts";
import { prose } from "../support/prose.ts";
import { PIXEL } from "../support/session-shapes.ts";

/** A budget that nothing in a spec reaches. */
const WIDE = { tokenBudget: 1_000_000 };

interface Found {
  readonly references: readonly { readonly historyId: string; readonly preview: string }[];
}

/** Turns of one call each, with a result of this text. */
function units(count: number, text: (n: number) => string): BranchBuilder {
  const building = branch();
  for (let n = 1; n <= count; n++) building.turn(`u${n}`, [{ name: "read" }], text(n));
  return building;
}

/** Stores a message that no builder makes, whatever it lacks. */
function damaged(building: BranchBuilder, message: object): BranchBuilder {
  return building.message({ timestamp: Date.UTC(2026, 0, 6), ...message } as AgentMessage);
}

describe("D09 a provider that reports no usage", () => {
  const zero = { totalTokens: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const shapes = { "all zero": zero, "no total, zero parts": { ...zero, totalTokens: undefined } };
  for (const [name, usage] of Object.entries(shapes)) {
    it(`${name}: the estimate decides, history leaves, and nothing is calibrated`, async () => {
      const stored = units(200, (n) => prose(n, 2_000)).user("next");
      for (const message of stored.messages)
        if (message.role === "assistant") Object.assign(message, { usage });
      const scene = await PagingScene.resumed(stored, { paging: { tokenBudget: 30_000 } });
      await scene.request();
      const local = scene.report;
      expect(local.tokensBefore).to.be.greaterThan(100_000);
      expect(local.tokensAfter).to.be.within(10_000, 30_000 * (5 / 8));
      scene.session.assistant({ text: "Done." });
      Object.assign(scene.session.messages.at(-1) ?? {}, { usage, timestamp: Date.UTC(2027, 0, 1) });
      await scene.turnEnd();
      await scene.request();
      expect(scene.report.residentTokens).to.equal(local.residentTokens);
      expect(scene.report.tokensAfter - local.tokensAfter, "the answer alone").to.be.within(1, 5);
    });
  }
});

describe("D10 usage is undefined", () => {
  const values = [
    undefined,
    null,
    {},
    { input: 10 },
    "10",
    7,
    ...[Number.NaN, -5, "123", Number.POSITIVE_INFINITY].map((totalTokens) => ({ totalTokens })),
  ];
  for (const usage of values) {
    const shown =
      typeof usage === "object" && usage && "totalTokens" in usage
        ? `totalTokens ${usage.totalTokens}`
        : JSON.stringify(usage);
    it(`${shown}: no handler fails and no figure is spoiled`, async () => {
      const scene = await PagingScene.open();
      const answered = async () => {
        scene.session.assistant({ text: "Done." });
        Object.assign(scene.session.messages.at(-1) ?? {}, { usage, timestamp: Date.UTC(2027, 0, 1) });
        await scene.turnEnd();
        await scene.emit("agent_end", { messages: scene.session.messages });
        expect(await scene.emit("agent_before_settle", { context: { canContinue: true } })).to.equal(
          undefined,
        );
      };
      await scene.prompt().request();
      await answered();
      await scene.cut();
      for (let n = 0; n < 3; n++) {
        const { tokensAfter } = scene.report;
        await answered();
        expect(await scene.prompt().request()).to.include({ isAborted: false, isUnchanged: false });
        expect(scene.report.tokensAfter - tokensAfter, "what came since").to.be.within(1, 12);
      }
      for (const command of ["stats", "window"]) {
        const [text] = await scene.command(command);
        expect(text).to.not.match(/NaN|Infinity|undefined|null|-\d/);
      }
      expect(scene.pi.told.filter((told) => !told.startsWith("info: "))).to.deep.equal([]);
    });
  }
});

describe("D11 content missing", () => {
  const contents = [undefined, null, [], "text", [{}], [{ type: "text" }], [{ type: "new_kind" }], [null], 7];
  for (const content of contents) {
    it(`${JSON.stringify(content)}: counts as small, leaves like any other, and comes back as stored`, async () => {
      const building = branch()
        .user("u1")
        .assistant({ calls: [{ name: "read", id: "c1" }] });
      damaged(building, { role: "toolResult", toolCallId: "c1", toolName: "read", content, isError: false });
      damaged(building.assistant({ text: "a2" }), {
        role: "custom",
        customType: "x",
        content,
        display: true,
      });
      const stored = structuredClone(building.path);
      const scene = await PagingScene.resumed(building.user("u2"));
      expect(await scene.request()).to.include({ isAborted: false, isUnchanged: true });
      expect(scene.report.tokensAfter).to.be.below(40);
      const { items } = await scene.tool<{ items: readonly { toolResults: readonly ToolResultMessage[] }[] }>(
        "load_history",
        { historyIds: ["00000002"] },
      );
      const [result] = building.path
        .slice(2, 3)
        .map((entry) => (entry.type === "message" ? entry.message : undefined));
      expect(items[0]?.toolResults).to.deep.equal([result]);
      const address = { historyId: "00000002", source: "toolResult", toolCallId: "c1" };
      const { text } = await scene.tool<{ text: string }>("read_context_output", address);
      expect(text).to.equal(JSON.stringify(result));
      expect((await scene.tool<Found>("search_history", { query: "u1" })).references).to.not.deep.equal([]);
      expect(await scene.cut()).to.include({ isAborted: false, isUnchanged: false });
      await scene.command("stats");
      expect(scene.session.path.slice(0, 5)).to.deep.equal(stored);
    });
  }

  it("a custom message that the host keeps at another time than it stores is compared by any content", async () => {
    for (const content of contents) {
      const building = branch().user("u1").assistant({ text: "a1" });
      building.entry({ type: "custom_message", customType: "x", content, display: true } as never);
      const scene = await PagingScene.resumed(building.user("u2"), { host: "legacy" });
      const messages = scene.messages.map((message) =>
        message.role === "custom" ? { ...message, timestamp: message.timestamp + 3 } : message,
      );
      expect((await scene.request(messages)).isAborted, JSON.stringify(content)).to.equal(false);
    }
  });

  it("missing content of any other role fails nothing, and a cut comes through", async () => {
    for (const content of contents) {
      const building = branch();
      for (const role of ["user", "assistant", "custom", "bashExecution", "branchSummary"])
        damaged(building, { role, customType: "x", stopReason: "stop", content });
      building.entry({ type: "custom_message", customType: "x", content, display: true } as never);
      building.entry({ type: "branch_summary", summary: content, fromId: "x" } as never);
      const scene = await PagingScene.resumed(building.user("u2"));
      const shown = JSON.stringify(content);
      expect(await scene.request(), shown).to.include({ isAborted: false });
      await scene.tool<Found>("search_history", { query: "u2" });
      await scene.tool<Found>("browse_history", { direction: "backward", count: 10 });
      await scene.tool("load_history", { historyIds: ["00000001", "00000002"] });
      await scene.command("stats");
      expect(await scene.cut(), shown).to.include({ isAborted: false, isUnchanged: false });
    }
  });
});

describe("D12 CJK and emoji", () => {
  const han = (n: number) =>
    Array.from({ length: 3_000 }, (_, at) =>
      String.fromCharCode(0x4e00 + ((n * 7_919 + at * 104_729) % 20_000)),
    ).join("");

  it("before any answer a character counts at least 0.8, and the request is cut by that", async () => {
    const scene = await PagingScene.resumed(units(40, han).user("next"), { paging: { tokenBudget: 60_000 } });
    await scene.request();
    expect(scene.report.tokensBefore).to.be.at.least(40 * 3_000 * 0.8);
    expect(scene.report.tokensAfter).to.be.at.most(60_000);
  });

  it("with usage at one token a character every request is within the budget after the first total", async () => {
    const scene = await PagingScene.open({ paging: { tokenBudget: 60_000 } });
    const characters = (messages: readonly AgentMessage[]) =>
      messages.reduce(
        (sum, message) =>
          sum +
          JSON.stringify(
            message.role === "user" || message.role === "toolResult" ? message.content : "",
          ).replace(/[^\u4e00-\u9fff]/g, "").length,
        0,
      );
    for (let n = 1; n <= 40; n++) {
      scene.session
        .user(`u${n}`)
        .assistant({ calls: [{ name: "read" }] })
        .results(han(n));
      const sent = characters((await scene.request()).messages);
      if (n > 1) expect(sent, `request ${n}`).to.be.at.most(60_000);
      await scene.answer(sent + 50).turnEnd();
    }
    expect(scene.report.unitsRemoved).to.be.greaterThan(10);
  });

  it("a word of two characters in the middle of a sentence is found", async () => {
    const building = units(3, han)
      .user("昨天我们在服务器上发现了内存泄漏的问题")
      .user("完成了👩‍👩‍👧‍👦测试🎉吗");
    const scene = await PagingScene.resumed(building);
    for (const [query, historyId] of [
      ["泄漏", "0000000d"],
      ["🎉", "0000000e"],
      ["👩‍👩‍👧‍👦", "0000000e"],
    ] as const) {
      const { references } = await scene.tool<Found>("search_history", { query });
      expect(references[0]?.historyId, query).to.equal(historyId);
    }
  });

  it("emoji count two tokens each", () => {
    const estimator = new TokenEstimator();
    expect(estimator.text("🙂".repeat(1_000))).to.equal(2_000);
  });
});

describe("D13 image sizes", () => {
  const image = (data: string): ImageContent => ({ type: "image", data, mimeType: "image/png" });
  const large = "A".repeat(2_500_000);
  const text = { type: "text" as const, text: "twenty characters ok" };

  it("ten screenshots cost a constant each, never their base64 length", async () => {
    const building = branch().user([text, image(large)]);
    for (let n = 0; n < 9; n++)
      building.assistant({ calls: [{ name: "read" }] }).result({ content: [text, image(large)] });
    const scene = await PagingScene.resumed(building, { paging: { tokenBudget: 50_000 } });
    expect(await scene.request()).to.include({ isAborted: false, isUnchanged: true });
    expect(scene.report.tokensAfter).to.be.within(10 * 500, 10 * 2_000);
  });

  it("but they are counted: forty no longer fit", async () => {
    const building = branch();
    for (let n = 0; n < 40; n++) building.user([text, image("AAAA")]).assistant({ text: "seen" });
    const scene = await PagingScene.resumed(building.user("next"), { paging: { tokenBudget: 40_000 } });
    expect(await scene.request()).to.include({ isUnchanged: false });
    expect(scene.report.tokensAfter).to.be.at.most(25_000);
  });

  it("the very image block comes back, and its place says type and size", async () => {
    const scene = await PagingScene.resumed(branch().user([text, image(PIXEL)]));
    const { content, details } = await scene.reply("load_history", { historyIds: ["00000001"] });
    expect(content.slice(1)).to.deep.equal([image(PIXEL)]);
    const place = {
      type: "image",
      mimeType: "image/png",
      attachment: 1,
      bytes: Buffer.from(PIXEL, "base64").length,
    };
    expect(details).to.have.deep.nested.property("items[0].message.content[1]", place);
  });
});

describe("D14 stale usage starts a compaction again", () => {
  for (const between of ["nothing", "a custom message"]) {
    it(`with ${between} in between, totals from before the cut move it no second time`, async () => {
      const scene = await PagingScene.open();
      await scene.turns(10).prompt().request();
      await scene.answer(2_950).turnEnd();
      const { noticeTime } = await scene.turns(1).prompt().request();
      expect(noticeTime, "cut").to.not.equal(undefined);
      scene.turns(4);
      if (between === "a custom message") scene.session.custom("A job ended.");
      // Pi's status still counts by the last answer, which is from before the cut.
      scene.pi.usageWindow = 200_000;
      scene.pi.usageTokens = 190_000;
      for (let n = 0; n < 3; n++) expect((await scene.prompt().request()).noticeTime).to.equal(noticeTime);
      expect(scene.report).to.include({ movement: "none" });
      expect(scene.report.tokensAfter, "a move would have cut more").to.be.above(scene.report.targetTokens);
      for (const reason of ["threshold", "overflow"])
        expect(await scene.emit("session_before_compact", { reason, branchEntries: [] })).to.deep.equal({
          cancel: true,
        });
    });
  }
});

describe("D15 totals that are doubled or summed over a turn", () => {
  it("single outliers evict nothing, and the next good total counts again", async () => {
    const scene = await PagingScene.open({ paging: { tokenBudget: 128_000 } });
    scene.session.user(prose(1, 400_000 - 400));
    const seen: number[] = [];
    for (const total of [100_000, 202_000, 102_000, 824_000, 104_000, 105_000]) {
      expect((await scene.request()).isUnchanged, `before ${total}`).to.equal(true);
      seen.push(Math.round(scene.report.tokensAfter / 1_000));
      await scene.answer(total).turnEnd();
      scene.session.user(prose(total, 4_000));
    }
    expect(seen).to.deep.equal([100, 101, 102, 103, 104, 105]);
  });

  it("tokens read from a cache count", async () => {
    const scene = await PagingScene.open();
    await scene.turns(6).prompt().request();
    const usage = { input: 10, cacheRead: 2_800, cacheWrite: 100, output: 5, totalTokens: 2_915 };
    scene.answer(0);
    Object.assign(scene.session.messages.at(-1) ?? {}, { usage });
    await scene.turnEnd();
    await scene.turns(1).prompt().request();
    expect(scene.report.tokensBefore).to.be.greaterThan(2_915);
  });
});

describe("D16 what is counted is not what is sent", () => {
  /** 50 turns whose responses hold 5 000 characters of thinking each. */
  async function thinking(): Promise<PagingScene> {
    const scene = await PagingScene.open({ paging: WIDE });
    scene.pi.model = { provider: "mock-chat", id: "mock-model", api: "openai-completions" };
    for (let n = 0; n < 50; n++)
      scene.session.user("u").assistant({ thinking: prose(n, 5_000), text: prose(n, 1_000) });
    await scene.prompt().request();
    return scene;
  }

  it("totals without the thinking bring the prices below the local estimates", async () => {
    const scene = await thinking();
    const local = scene.report.tokensAfter;
    expect(local).to.be.greaterThan(50 * 1_500);
    const total = 50 * 260;
    for (let n = 0; n < 2; n++) {
      await scene.answer(total).turnEnd();
      await scene.prompt().request();
    }
    expect(scene.report.tokensAfter).to.be.within(total / 2, total * 2);
  });

  it("a change of the model forgets it, and thinking that the host then drops is not counted", async () => {
    const scene = await thinking();
    await scene.answer(50 * 260).turnEnd();
    await scene.prompt().request();
    scene.pi.model = { provider: "p", id: "other", api: "openai-completions" };
    await scene.emit("model_select", { model: scene.pi.model });
    await scene.prompt().request();
    expect(scene.report.tokensAfter).to.be.within(50 * 250, 50 * 270);
  });
});

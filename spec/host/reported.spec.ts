/**
 * Reported faults that only a real Pi can show, named as in spec/reported. D37 is in overflow.spec.ts, D24 in
 * failure.spec.ts.
 */
import { join } from "node:path";
import { expect } from "chai";
import type { SessionEntry } from "../../lib/messages.ts";
import { branch } from "../support/branch-builder.ts";
import { copyPackage } from "../support/fork-package.ts";
import { CURRENT, HOSTS, PACKAGE_DIR } from "../support/pi-hosts.ts";
import { printPrompts } from "../support/pi-process.ts";
import { prose } from "../support/prose.ts";
import {
  answerTo,
  echoAgent,
  numberedPrompts,
  readingCalls,
  toolAgent,
  writeNotes,
} from "../support/scripts.ts";
import { writeSessionFile } from "../support/session-files.ts";
import { skipWhere } from "../support/skip.ts";
import { Stage, type StageOptions } from "../support/stage.ts";
import { tuiObstacle } from "../support/tui-session.ts";
import {
  contentText,
  conversation,
  openingText,
  outputLimit,
  WIRE_APIS,
  type WireBody,
} from "../support/wire.ts";

const PAGING = "-e";

/** Turns of about 1 000 tokens each. */
function longSession(turns: number): SessionEntry[] {
  const building = branch();
  for (let n = 1; n <= turns; n++) building.turn(`Prompt ${n}`, [{ name: "read" }], prose(n, 4_000));
  return building.entries;
}

async function onStage(options: StageOptions, play: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await Stage.open({ rules: "strict", ...options });
  try {
    await play(stage);
  } finally {
    await stage.close();
  }
}

/** No refusal, and nothing above the budget. */
function expectOrderly({ mock }: Stage, budgetTokens: number): void {
  expect(mock.unlawful.map(({ violations }) => violations)).to.deep.equal([]);
  expect(
    mock.requests.filter(({ tokens }) => tokens > budgetTokens).map(({ n, tokens }) => [n, tokens]),
  ).to.deep.equal([]);
}

const isPaged = (body: WireBody | undefined) =>
  body !== undefined && openingText(body).startsWith("[context-paging]");
const toolNames = (body: WireBody | undefined) =>
  [...JSON.stringify(body?.tools ?? []).matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);

/** The system prompt, wherever the API has it. */
function promptOf(body: WireBody | undefined): string {
  const system = body?.messages.filter(({ role }) => role === "system" || role === "developer") ?? [];
  return [body?.system, ...system.map(({ content }) => content)].map(contentText).join("\n");
}

describe("D07 built-in and extension tools in one parallel batch", () => {
  const calls = [
    { name: "read", id: "call_a", args: { path: "notes.txt" } },
    { name: "search_history", id: "call_b", args: { query: "notes" } },
    { name: "bash", id: "call_c", args: { command: "cat notes.txt" } },
    { name: "load_history", id: "call_d", args: { historyIds: ["nowhere"] } },
  ];

  for (const host of HOSTS) {
    for (const mode of ["print", "RPC", "interactive"] as const) {
      it(`${host.name} Pi, ${mode} mode: four results with the ids of their calls`, async function () {
        if (mode === "interactive") skipWhere(this, tuiObstacle());
        await onStage({ script: toolAgent(() => calls), paging: { tokenBudget: 40_000 } }, async (stage) => {
          stage.sandbox.write("notes.txt", "the notes\n");
          const [prompt = ""] = numberedPrompts(1);
          if (mode === "print")
            expect((await printPrompts(host, stage.sandbox, [prompt])).stdout).to.contain(answerTo(prompt));
          if (mode === "RPC") await stage.rpc(host).prompt(prompt);
          if (mode === "interactive") {
            const tui = stage.tui(host);
            await tui.waitFor("paging on");
            await tui.submit(prompt);
            await tui.waitFor(answerTo(prompt));
          }
          const last = stage.mock.bodies.at(-1);
          const results = last?.messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
          expect(results).to.deep.equal(calls.map(({ id }) => id));
          // Pi itself answers a call whose result is missing.
          expect(JSON.stringify(last)).to.not.contain("No result provided");
          expectOrderly(stage, 40_000);
        });
      });
    }
  }
});

describe("D19 restart changes the outgoing view", () => {
  for (const host of HOSTS) {
    it(`${host.name} Pi: after 30 requests each new process pages its first request, whatever changed`, async () => {
      await onStage({ script: toolAgent(readingCalls), paging: { tokenBudget: 12_000 } }, async (stage) => {
        writeNotes(stage.sandbox, 2_000);
        const sessionFile = writeSessionFile(stage.sandbox, longSession(1));
        const args = ["--session", sessionFile];
        await printPrompts(host, stage.sandbox, numberedPrompts(15), { args });
        const { bodies } = stage.mock;
        expect(bodies).to.have.length(30);
        expect(isPaged(bodies.at(-1)), "paged before the restart").to.equal(true);
        for (const tokenBudget of [12_000, 9_000]) {
          stage.sandbox.write(
            "../agent/settings.json",
            JSON.stringify({
              ...JSON.parse(stage.sandbox.read("../agent/settings.json")),
              contextPaging: { tokenBudget },
            }),
          );
          const first = stage.mock.requests.length;
          await printPrompts(host, stage.sandbox, ["And now?"], { args });
          expect(isPaged(stage.mock.requests[first]?.body), `first request with ${tokenBudget}`).to.equal(
            true,
          );
          expect(stage.mock.requests[first]?.tokens).to.be.at.most(tokenBudget);
        }
        const off = stage.rpc(host, { args: [PAGING, PACKAGE_DIR, ...args] });
        await off.command("/context-paging off");
        await off.prompt("Unpaged?");
        await off.command("/context-paging on");
        const first = stage.mock.requests.length;
        await off.prompt("Paged again?");
        expect(isPaged(stage.mock.requests[first]?.body)).to.equal(true);
        expect(stage.mock.requests[first]?.tokens).to.be.at.most(9_000);
        expect(stage.mock.unlawful.map(({ violations }) => violations)).to.deep.equal([]);
      });
    });
  }
});

describe("D25 tool names already taken", () => {
  for (const host of HOSTS) {
    it(`${host.name} Pi, paging loaded twice: one message, one set of tools, every prompt answered`, async () => {
      await onStage({ script: toolAgent(readingCalls), paging: { tokenBudget: 9_000 } }, async (stage) => {
        writeNotes(stage.sandbox, 2_000);
        const copy = join(stage.sandbox.root, "copy");
        copyPackage(copy);
        const session = stage.rpc(host, { args: ["-e", PACKAGE_DIR, "-e", copy] });
        for (const prompt of numberedPrompts(8)) {
          await session.prompt(prompt);
          expect(await session.call("get_last_assistant_text")).to.deep.equal({ text: answerTo(prompt) });
        }
        expect(session.extensionErrors).to.deep.equal([]);
        expect(session.notifications.map(({ level, text }) => `${level}: ${text}`).join()).to.match(
          /^warning: Another extension owns search_history.*remove one of them\.$/,
        );
        const last = stage.mock.bodies.at(-1);
        expect(toolNames(last).filter((name) => name === "search_history")).to.have.length(1);
        const notices = conversation(last ?? { model: "", messages: [] }).filter(({ content }) =>
          contentText(content).startsWith("[context-paging]"),
        );
        expect(notices).to.have.length(1);
        expectOrderly(stage, 9_000);
      });
    });
  }
});

describe("D28 a context edit makes Pi count the whole history again", () => {
  it("current Pi: the compactions that it proposes are cancelled without an error, and the next prompt is answered", async () => {
    const options = { model: { contextWindow: 200_000 }, paging: { tokenBudget: 40_000 }, script: echoAgent };
    await onStage(options, async (stage) => {
      const other = stage.sandbox.write(
        "other.ts",
        `export default (pi) => { let edited = false; pi.on("turn_end", () => { if (edited) return undefined; edited = true;
          return { entries: [{ type: "context_edit", targetId: "00000003", replacement: { content: "edited" } }] }; }); };`,
      );
      const sessionFile = writeSessionFile(stage.sandbox, longSession(220));
      const session = stage.rpc(CURRENT, {
        args: ["-e", other, "-e", PACKAGE_DIR, "--session", sessionFile],
      });
      for (const prompt of numberedPrompts(3)) {
        await session.prompt(prompt);
        expect(await session.call("get_last_assistant_text")).to.deep.equal({ text: answerTo(prompt) });
      }
      const cancelled = session.events.filter(({ type }) => type === "compaction_end");
      expect(cancelled.length, "compactions that Pi proposed").to.be.above(0);
      expect(session.extensionErrors).to.deep.equal([]);
      expect(session.notifications).to.deep.equal([]);
      expect(stage.mock.requests).to.have.length(3);
      expectOrderly(stage, 40_000);
    });
  });
});

describe("D31 prompt and tools disappear", () => {
  /** Adds a tool with the second prompt, and takes it and another one away with the fifth. */
  const OTHER = `export default (pi) => { let prompts = 0;
    const tool = { name: "late_tool", label: "Late", description: "Came late", parameters: { type: "object", properties: {} },
      execute: async () => ({ content: [], details: {} }) };
    pi.on("before_agent_start", () => { prompts += 1;
      if (prompts === 2) { pi.registerTool(tool); pi.setActiveTools([...pi.getActiveTools(), "late_tool"]); }
      if (prompts === 5) pi.setActiveTools(pi.getActiveTools().filter((name) => name !== "late_tool" && name !== "write")); }); };`;

  for (const host of HOSTS) {
    for (const api of WIRE_APIS) {
      it(`${host.name} Pi, ${api}: after a cut the request offers the prompt and the tools that Pi offers now`, async () => {
        const run = async (paging: "paged" | "alone") => {
          let bodies: readonly WireBody[] = [];
          const options = {
            api,
            script: toolAgent(readingCalls),
            paging: { tokenBudget: 9_000, enabled: paging === "paged" },
          };
          await onStage(options, async (stage) => {
            writeNotes(stage.sandbox, 2_000);
            const other = stage.sandbox.write("other.ts", OTHER);
            const session = stage.rpc(host, { args: ["-e", other, "-e", PACKAGE_DIR] });
            for (const prompt of numberedPrompts(8)) await session.prompt(prompt);
            expect(session.extensionErrors).to.deep.equal([]);
            bodies = stage.mock.bodies;
          });
          return bodies;
        };
        const [paged, alone] = [await run("paged"), await run("alone")];
        expect(paged).to.have.length(alone.length);
        expect(paged.filter(isPaged).length, "paged requests").to.be.above(4);
        paged.forEach((body, n) => {
          expect(toolNames(body), `tools of request ${n}`).to.have.members(toolNames(alone[n]));
        });
        expect(toolNames(paged[3])).to.include.members(["late_tool", "write"]);
        const last = paged.at(-1);
        expect(isPaged(last)).to.equal(true);
        expect(toolNames(last)).to.include("read");
        for (const gone of ["late_tool", "write"]) expect(toolNames(last)).to.not.include(gone);
        const prompt = promptOf(last);
        for (const line of ["- read: ", "- search_history: "]) expect(prompt).to.contain(line);
        expect(prompt).to.not.contain("- write: ");
      });
    }
  }
});

describe("D36 stale usage in the kept tail shrinks the answer", () => {
  for (const api of WIRE_APIS) {
    it(`current Pi, ${api}: the first request after a cut asks for the model's full output`, async () => {
      const options = {
        api,
        model: { contextWindow: 200_000, maxTokens: 64_000 },
        paging: { tokenBudget: 128_000 },
        script: [{ text: "Full.", usage: { input: 189_900, output: 100 } }, { text: "Cut." }],
      };
      await onStage(options, async (stage) => {
        const args = ["-e", PACKAGE_DIR, "--session", writeSessionFile(stage.sandbox, longSession(100))];
        const session = stage.rpc(CURRENT, { args });
        for (const prompt of numberedPrompts(2)) await session.prompt(prompt);
        const [full, cut] = stage.mock.bodies;
        expect([isPaged(full), isPaged(cut)]).to.deep.equal([false, true]);
        expect(outputLimit(cut as WireBody)).to.equal(64_000);
      });
    });
  }
});

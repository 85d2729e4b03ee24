/** The four tools as a model meets them: offered, refused, answered with what is wrong. In both Pis. */
import { expect } from "chai";
import type { Reference } from "../../lib/recovery/reference.ts";
import { HOSTS, PACKAGE_DIR } from "../support/pi-hosts.ts";
import { calling, type RecallSteps, recallOn } from "../support/recalling-model.ts";
import { Stage } from "../support/stage.ts";
import { contentText } from "../support/wire.ts";

const QUESTION = "RECALL: what do the tools say?";

interface SearchReply {
  readonly references: readonly Reference[];
  readonly total: number;
}

for (const host of HOSTS) {
  describe(`recovery tools in the ${host.name} Pi`, () => {
    it("are refused while paging is off, all four, and work again when it is on", async () => {
      const calls = [
        { name: "search_history", args: { query: "" } },
        { name: "browse_history", args: { direction: "backward" } },
        { name: "load_history", args: { historyIds: ["00000001"] } },
        { name: "read_context_output", args: { historyId: "00000001", source: "user" } },
      ];
      const replies: unknown[][] = [];
      const steps: RecallSteps = [
        () => calling(...calls),
        (view) => {
          replies.push([...view.replies]);
          return { text: "Done." };
        },
        () => calling(...calls.slice(0, 2)),
        (view) => {
          replies.push([...view.replies]);
          return { text: "Done." };
        },
      ];
      await withStage(steps, async (stage) => {
        const session = stage.rpc(host);
        await session.command("/context-paging off");
        await session.prompt(QUESTION);
        expect(replies[0]).to.have.length(4);
        for (const reply of replies[0] ?? []) expect(reply).to.match(/^CONTEXT_PAGING_DISABLED: /);
        await session.command("/context-paging on");
        await session.prompt(QUESTION);
        const [found, listed] = (replies[1] ?? []) as SearchReply[];
        expect(found?.total).to.be.above(0);
        expect(listed?.references).to.have.length.above(0);
      });
    });

    it("answer bad input of each parameter with its code, and it changes nothing", async () => {
      const navigator = "INVALID_HISTORY_NAVIGATOR_INPUT";
      const page = "INVALID_OUTPUT_PAGE_INPUT";
      const bad: readonly (readonly [name: string, args: Record<string, unknown>, code: string])[] = [
        ["search_history", {}, navigator],
        ["search_history", { query: "x".repeat(201) }, navigator],
        ["search_history", { query: 5 }, navigator],
        ["search_history", { query: "x", files: [5] }, navigator],
        ["search_history", { query: "x", tools: [5] }, navigator],
        ["search_history", { query: "x", limit: 11 }, navigator],
        ["search_history", { query: "x", files: "a.ts" }, navigator],
        ["search_history", { query: "x", tools: Array(11).fill("read") }, navigator],
        ["search_history", { query: "x", failed: "yes" }, navigator],
        ["search_history", { query: "x", load: 1 }, navigator],
        ["search_history", { query: "x", page: 2 }, navigator],
        ["browse_history", { direction: "up" }, navigator],
        ["browse_history", { direction: "forward", historyId: "a", sequence: 1 }, navigator],
        ["browse_history", {}, navigator],
        ["browse_history", { direction: "forward", historyId: 5 }, navigator],
        ["browse_history", { direction: "forward", sequence: "one" }, navigator],
        ["browse_history", { direction: "forward", sequence: -1 }, navigator],
        ["browse_history", { direction: "forward", stride: 11 }, navigator],
        ["browse_history", { direction: "forward", stride: 0 }, navigator],
        ["browse_history", { direction: "forward", count: 0 }, navigator],
        ["browse_history", { direction: "forward", historyId: "nowhere" }, "UNKNOWN_HISTORY_ANCHOR"],
        ["load_history", { historyIds: [] }, navigator],
        ["load_history", { historyIds: "a" }, navigator],
        ["load_history", { historyIds: [5] }, navigator],
        ["load_history", { historyIds: ["a", "b", "c", "d"] }, navigator],
        ["load_history", { historyIds: ["nowhere"] }, "UNKNOWN_HISTORY_ID"],
        ["read_context_output", { historyId: "a", source: "tool" }, page],
        ["read_context_output", { historyId: "a" }, page],
        ["read_context_output", { historyId: 5, source: "user" }, page],
        ["read_context_output", { historyId: "a", source: "assistant", contentIndex: "0" }, page],
        ["read_context_output", { historyId: "a", source: "assistant", contentIndex: -1 }, page],
        ["read_context_output", { historyId: "a", source: "toolResult", toolCallId: 5 }, page],
        ["read_context_output", { historyId: "a", source: "user", offset: "0" }, page],
        ["read_context_output", { historyId: "a", source: "assistant" }, page],
        ["read_context_output", { historyId: "a", source: "toolResult" }, page],
        ["read_context_output", { historyId: "a", source: "user", limit: 0 }, page],
        ["read_context_output", { historyId: "a", source: "user", limit: 32_001 }, page],
        ["read_context_output", { historyId: "a", source: "user", offset: -1 }, page],
        ["read_context_output", { historyId: "nowhere", source: "user" }, "UNKNOWN_HISTORY_ID"],
      ];
      const first = () => calling({ name: "browse_history", args: { direction: "forward", count: 1 } });
      const replies: (readonly unknown[])[] = [];
      const keep = (view: { readonly replies: readonly unknown[] }) => replies.push(view.replies);
      const steps: RecallSteps = [
        first,
        (view) => {
          keep(view);
          return calling(...bad.map(([name, args]) => ({ name, args })));
        },
        (view) => {
          keep(view);
          return first();
        },
        (view) => {
          keep(view);
          return { text: "Done." };
        },
      ];
      await withStage(steps, async (stage) => {
        await stage.rpc(host).prompt(QUESTION);
        const [before, refused, after] = replies;
        expect(refused?.map((reply) => String(reply).split(":")[0])).to.deep.equal(
          bad.map(([, , code]) => code),
        );
        expect(before?.[0]).to.have.nested.property("references[0].sequence", 0);
        expect(after).to.deep.equal(before);
      });
    });

    it("leave a name alone that another extension owns, with one warning", async () => {
      await withStage([() => ({ text: "Done." })], async (stage) => {
        const other = stage.sandbox.write(
          "other.ts",
          `export default (pi) => pi.registerTool({ name: "search_history", label: "Other", description: "Other search",
            parameters: { type: "object", properties: {} }, execute: async () => ({ content: [], details: {} }) });`,
        );
        const session = stage.rpc(host, { args: ["-e", other, "-e", PACKAGE_DIR] });
        await session.prompt(QUESTION);
        const warnings = session.notifications.filter(({ level }) => level === "warning");
        expect(warnings).to.have.length(1);
        expect(warnings[0]?.text).to.match(/^Another extension owns search_history:/);
        const tools = JSON.stringify(stage.mock.bodies.at(-1)?.tools);
        expect(tools).to.contain("Other search");
        for (const name of ["browse_history", "load_history", "read_context_output"])
          expect(tools).to.contain(name);
      });
    });

    it("are in the first request, with their line in the prompt", async () => {
      await withStage([() => ({ text: "Done." })], async (stage) => {
        const session = stage.rpc(host);
        await session.prompt(QUESTION);
        const [body] = stage.mock.bodies;
        const system = body?.messages.filter(({ role }) => role === "system" || role === "developer") ?? [];
        const prompt = system.map(({ content }) => contentText(content)).join("");
        for (const name of ["search_history", "browse_history", "load_history", "read_context_output"]) {
          expect(JSON.stringify(body?.tools)).to.contain(name);
          expect(prompt).to.contain(`- ${name}: `);
        }
      });
    });
  });
}

async function withStage(steps: RecallSteps, scene: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await Stage.open({ rules: "strict", script: recallOn("RECALL", steps, { text: "Read." }) });
  try {
    await scene(stage);
  } finally {
    await stage.close();
  }
}

import { expect } from "chai";
import type { AssistantBlock, ToolResultMessage } from "../../lib/messages.ts";
import { BranchProjection } from "../../lib/session/branch-projection.ts";
import type { HistoryItem, ModelTurnItem } from "../../lib/session/history-item.ts";
import { RECOVERY_TOOL_NAMES } from "../../lib/session/recovery-tool-names.ts";
import { RecoveryView } from "../../lib/session/recovery-view.ts";
import { type BranchBuilder, branch, type CallDraft, type ResultDraft } from "../support/branch-builder.ts";
import { deepFreeze } from "../support/deep-freeze.ts";

const view = new RecoveryView();

function itemsOf(building: BranchBuilder): readonly HistoryItem[] {
  const projection = new BranchProjection();
  projection.update(deepFreeze(building.path));
  return projection.items;
}

function turnOf(building: BranchBuilder): ModelTurnItem {
  const turn = itemsOf(building).find((item) => item.kind === "modelTurn");
  if (turn?.kind !== "modelTurn") throw new Error("no model turn");
  return turn;
}

const calling = (calls: CallDraft[], ...results: ResultDraft[]) =>
  turnOf(results.reduce((building, draft) => building.result(draft), branch().assistant({ calls })));

const blocks = [
  { type: "thinking", thinking: "private", thinkingSignature: "s" },
  { type: "text", text: "said", textSignature: "s" },
  { type: "thinking", thinking: "", redacted: true },
  {
    type: "toolCall",
    id: "c1",
    name: "read",
    arguments: { secret: { thinking: "kept" } },
    thoughtSignature: "s",
  },
  { type: "hologram", data: "?" },
] as unknown as AssistantBlock[];

/** What the host records of the calls that a tool made itself. */
const nested = (...names: string[]) =>
  ({ calls: names.map((name) => ({ name })) }) as unknown as NonNullable<ToolResultMessage["nestedCalls"]>;

describe("RecoveryView", () => {
  it("gives text and tool calls without signatures, and null for thinking and unknown blocks, at their indices", () => {
    const { assistant } = view.turn(turnOf(branch().assistant({ content: blocks }).result("r")));
    expect(assistant.content).to.deep.equal([
      null,
      { type: "text", text: "said" },
      null,
      { type: "toolCall", id: "c1", name: "read", arguments: { secret: { thinking: "kept" } } },
      null,
    ]);
  });

  it("gives tool arguments and ordinary results as the very stored values", () => {
    const turn = turnOf(branch().assistant({ content: blocks }).result("r"));
    const call = view.turn(turn).assistant.content[3];
    const stored = turn.assistant.content[3];
    expect(call?.type === "toolCall" && call.arguments).to.equal(
      stored?.type === "toolCall" && stored.arguments,
    );
    expect(view.turn(turn).toolResults[0]).to.equal(turn.toolResults[0]);
  });

  it("permits text and tool calls only", () =>
    expect(blocks.map((block) => view.permits(block))).to.deep.equal([false, true, false, true, false]));

  it("reads content that is missing as no blocks, and a missing block as null", () => {
    const turn = turnOf(branch().assistant({ text: "a" }));
    const damaged = {
      ...turn,
      assistant: { ...turn.assistant, content: null as unknown as AssistantBlock[] },
    };
    expect(view.blocks(damaged)).to.deep.equal([]);
    expect(view.block(undefined)).to.equal(null);
  });

  for (const name of RECOVERY_TOOL_NAMES) {
    it(`hides a turn whose calls are all of recovery tools: ${name}`, () =>
      expect(view.isVisible(calling([{ name }, { name: "load_history" }], {}, {}))).to.equal(false));

    it(`gives null for the results of ${name} in a mixed turn, and the rest exactly`, () => {
      const turn = calling([{ name }, { name: "read" }], {}, {});
      expect(view.isVisible(turn)).to.equal(true);
      expect(view.turn(turn).toolResults).to.deep.equal([null, turn.toolResults[1]]);
    });
  }

  it("shows texts, user messages, context items and other tools", () => {
    const building = branch().custom("x").user("u").assistant({ text: "a" }).user("v");
    const items = itemsOf(building.assistant({ calls: [{ name: "read" }] }).results());
    expect(items.every((item) => view.isVisible(item))).to.equal(true);
  });

  it("omits a result by the name of its call as well as by its own", () => {
    const byCall = calling([{ name: "load_history" }], { toolName: "renamed" });
    const byResult = calling([{ name: "renamed" }], { toolName: "load_history" });
    for (const turn of [byCall, byResult]) expect(view.turn(turn).toolResults).to.deep.equal([null]);
  });

  it("omits a result whose tool itself called a recovery tool", () => {
    const turnWith = (...names: string[]) => calling([{ name: "script" }], { nestedCalls: nested(...names) });
    expect(view.turn(turnWith("read", "search_history")).toolResults).to.deep.equal([null]);
    expect(view.turn(turnWith("read", "bash")).toolResults[0]).not.to.equal(null);
  });

  it("takes nested calls of any shape", () => {
    const damaged = [{}, { calls: null }, { calls: [null, 7, { name: 7 }] }];
    for (const nestedCalls of damaged as unknown as ReturnType<typeof nested>[])
      expect(view.turn(calling([{ name: "script" }], { nestedCalls })).toolResults[0]).not.to.equal(null);
  });
});

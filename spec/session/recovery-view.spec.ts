import { expect } from "chai";
import type { AssistantBlock } from "../../lib/messages.ts";
import type { ModelTurnItem } from "../../lib/session/history-item.ts";
import { RecoveryView } from "../../lib/session/recovery-view.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { itemsOf } from "../support/history.ts";

const view = new RecoveryView();

function turnOf(building: BranchBuilder): ModelTurnItem {
  const turn = itemsOf(building.entries).find((item) => item.kind === "modelTurn");
  if (turn?.kind !== "modelTurn") throw new Error("no model turn");
  return turn;
}

const call = (name: string, id: string): AssistantBlock => ({
  type: "toolCall",
  id,
  name,
  arguments: { path: "a.ts", thinkingSignature: "the application's own", nested: { textSignature: "kept" } },
});

describe("RecoveryView", () => {
  it("thinking, redacted thinking and unknown blocks become null slots at their index", () => {
    const content = [
      { type: "thinking", thinking: "secret", thinkingSignature: "sig" },
      { type: "text", text: "said" },
      { type: "thinking", thinking: "", thinkingSignature: "opaque", redacted: true },
      { type: "new_kind", text: "unknown" },
      { type: "text", text: "said too" },
    ] as unknown as AssistantBlock[];
    const { assistant } = view.turn(turnOf(branch().assistant({ content })));
    const [first, second] = ["said", "said too"].map((text) => ({ type: "text", text }));
    expect(assistant.content).to.deep.equal([null, first, null, null, second]);
  });

  it("signatures of text and tool calls are removed, and no field of an application", () => {
    const content: AssistantBlock[] = [
      { type: "text", text: "said", textSignature: "sig" },
      { ...call("read", "c1"), thoughtSignature: "sig" } as AssistantBlock,
    ];
    const turn = turnOf(branch().assistant({ content }).results("ok"));
    expect(view.turn(turn).assistant.content).to.deep.equal([
      { type: "text", text: "said" },
      call("read", "c1"),
    ]);
  });

  it("ordinary results are the stored objects", () => {
    const turn = turnOf(
      branch()
        .assistant({ calls: [{ name: "read" }] })
        .result({ text: "x", isError: true }),
    );
    expect(view.turn(turn).toolResults[0]).to.equal(turn.toolResults[0]);
  });

  it("raw items are never changed", () => {
    const content: AssistantBlock[] = [
      { type: "thinking", thinking: "secret", thinkingSignature: "sig" },
      { type: "text", text: "said", textSignature: "sig" },
    ];
    const turn = turnOf(branch().assistant({ content }));
    const before = JSON.stringify(turn);
    view.turn(turn);
    view.block(turn.assistant.content[1]);
    expect(JSON.stringify(turn)).to.equal(before);
  });

  it("a turn whose calls are all recovery tools is hidden; one without calls and a mixed one are not", () => {
    const turnCalling = (...names: string[]) =>
      turnOf(
        branch()
          .assistant({ text: "said", calls: names.map((name) => ({ name })) })
          .results("r"),
      );
    expect(view.isVisible(turnCalling("search_history", "load_history"))).to.equal(false);
    expect(view.isVisible(turnCalling("read", "load_history"))).to.equal(true);
    expect(view.isVisible(turnCalling())).to.equal(true);
  });

  it("in a mixed turn the recovery results become null slots, by call name or by result name", () => {
    const turn = turnOf(
      branch()
        .assistant({ calls: ["read", "load_history", "read"].map((name, n) => ({ name, id: `c${n}` })) })
        .result({ callId: "c0", text: "kept" })
        .result({ callId: "c1", text: "reply", toolName: "renamed" })
        .result({ callId: "c2", text: "reply", toolName: "search_history" }),
    );
    const { toolResults, assistant } = view.turn(turn);
    expect(toolResults).to.deep.equal([turn.toolResults[0], null, null]);
    expect(assistant.content).to.deep.equal(turn.assistant.content);
  });

  it("a result whose tool called a recovery tool is one too", () => {
    const nested = (name: string) => ({
      text: "out",
      nestedCalls: { complete: true, calls: [{ id: "n", name, status: "ok" as const }] },
    });
    const turn = turnOf(
      branch()
        .assistant({ calls: [{ name: "codemode" }, { name: "codemode" }] })
        .result(nested("read"))
        .result(nested("read_context_output")),
    );
    expect(view.turn(turn).toolResults).to.deep.equal([turn.toolResults[0], null]);
  });
});

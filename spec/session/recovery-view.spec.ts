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

  it("text and tool calls may be given back, thinking and what is not known may not", () => {
    const types = ["text", "toolCall", "thinking", "new_kind"];
    const permitted = types.map((type) => view.permits({ type } as AssistantBlock));
    expect(permitted).to.deep.equal([true, true, false, false]);
  });

  it("damaged content gives what can be read: null slots for blocks that are none, nothing where it is missing", () => {
    const turnWith = (content: unknown) => {
      const item = turnOf(branch().assistant({ content: [] }));
      return view.turn({ ...item, assistant: { ...item.assistant, content } as typeof item.assistant });
    };
    const text = { type: "text", text: "said" };
    expect(turnWith([null, text]).assistant.content).to.deep.equal([null, text]);
    for (const content of [undefined, null, "said"])
      expect(turnWith(content).assistant.content).to.deep.equal([]);
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

  it("each of the four recovery tools hides its turn", () => {
    for (const name of ["search_history", "browse_history", "load_history", "read_context_output"])
      expect(
        view.isVisible(
          turnOf(
            branch()
              .assistant({ calls: [{ name }] })
              .results(),
          ),
        ),
        name,
      ).to.equal(false);
  });

  it("user messages and context items are always shown", () => {
    for (const item of itemsOf(branch().user("u").custom("x").entries))
      expect(view.isVisible(item), item.kind).to.equal(true);
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
    const nested = (...names: string[]) => ({
      text: "out",
      nestedCalls: { complete: true, calls: names.map((name) => ({ id: "n", name, status: "ok" as const })) },
    });
    const turn = turnOf(
      branch()
        .assistant({ calls: [{ name: "codemode" }, { name: "codemode" }] })
        .result(nested("read"))
        .result(nested("read", "read_context_output")),
    );
    expect(view.turn(turn).toolResults).to.deep.equal([turn.toolResults[0], null]);
  });

  it("a result is judged by what can be read of the calls its tool made", () => {
    const omits = (calls: unknown) => {
      const item = turnOf(
        branch()
          .assistant({ calls: [{ name: "codemode" }] })
          .results(),
      );
      const [result] = item.toolResults;
      return (
        result && view.omits(item, { ...result, nestedCalls: { complete: true, calls } } as typeof result)
      );
    };
    for (const calls of [undefined, null, "load_history", [], [null], [{}], [{ name: 7 }]])
      expect(omits(calls), JSON.stringify(calls)).to.equal(false);
    expect(omits([null, {}, { name: "load_history" }])).to.equal(true);
  });
});

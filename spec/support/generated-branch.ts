/** Branches of every shape for property specs. What must never be given back carries one of these marks. */
import fc from "fast-check";
import type { AssistantBlock, ContentBlock, ToolCall } from "../../lib/messages.ts";
import { type BranchBuilder, branch } from "./branch-builder.ts";
import { prose } from "./prose.ts";
import { PIXEL } from "./session-shapes.ts";

/** Marks of private text: thinking, signatures, and replies of the recovery tools. */
export const PRIVATE_MARKS = ["THOUGHT#", "SIGNATURE#", "REPLY#"] as const;
const [THOUGHT, SIGNATURE, REPLY] = PRIVATE_MARKS;

const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "B", " ", "\n", '"', "\\", "文", "é", "🙂", "\ud83d", "\u0007", "\u2028"),
  }),
  fc.constantFrom("", "  ", prose(1, 700), "👩‍👩‍👧‍👦\r\nlib/session/open-turn.ts"),
);
const image: fc.Arbitrary<ContentBlock> = fc
  .constantFrom("AAAA", PIXEL)
  .map((data) => ({ type: "image", mimeType: "image/png", data }));
const content = fc.array(
  fc.oneof(
    text.map((said): ContentBlock => ({ type: "text", text: said })),
    image,
  ),
  { maxLength: 3 },
);
const args = fc.record({
  path: text,
  deep: fc.array(fc.record({ files: fc.array(text, { maxLength: 2 }), n: fc.integer() }), { maxLength: 2 }),
});

/** A call with the result it gets; `public` ones are given back. */
interface CallScene {
  readonly kind: "plain" | "recovery" | "renamed" | "nested";
  readonly args: ToolCall["arguments"];
  readonly result: ContentBlock[];
  readonly isError: boolean;
}

const call: fc.Arbitrary<CallScene> = fc.record({
  kind: fc.constantFrom("plain", "plain", "plain", "recovery", "renamed", "nested"),
  args,
  result: content,
  isError: fc.boolean(),
});

const block: fc.Arbitrary<AssistantBlock> = fc.oneof(
  text.map((said): AssistantBlock => ({ type: "text", text: said })),
  text.map((said): AssistantBlock => ({ type: "text", text: said, textSignature: SIGNATURE })),
  fc.constant<AssistantBlock>({ type: "thinking", thinking: THOUGHT, thinkingSignature: SIGNATURE }),
  fc.constant<AssistantBlock>({
    type: "thinking",
    thinking: "",
    thinkingSignature: SIGNATURE,
    redacted: true,
  }),
  fc.constant({ type: "future", text: THOUGHT } as unknown as AssistantBlock),
);

type Scene = (building: BranchBuilder) => BranchBuilder;

const turn: fc.Arbitrary<Scene> = fc
  .record({
    blocks: fc.array(block, { maxLength: 4 }),
    calls: fc.array(call, { maxLength: 3 }),
    aborted: fc.boolean(),
  })
  .map(
    ({ blocks, calls, aborted }) =>
      (building) =>
        withTurn(building, blocks, calls, aborted ? "aborted" : "whole"),
  );

const scene: fc.Arbitrary<Scene> = fc.oneof(
  text.map(
    (said): Scene =>
      (building) =>
        building.user(said),
  ),
  content.map(
    (blocks): Scene =>
      (building) =>
        building.user(blocks),
  ),
  turn,
  turn,
  text.map(
    (said): Scene =>
      (building) =>
        building.bash("run", said),
  ),
  content.map(
    (blocks): Scene =>
      (building) =>
        building.custom(blocks),
  ),
  text.map(
    (said): Scene =>
      (building) =>
        building.compaction(said, building.leafId),
  ),
);

/** A branch of up to a dozen scenes, after a first prompt. */
export const generatedBranch: fc.Arbitrary<BranchBuilder> = fc
  .array(scene, { maxLength: 12 })
  .map((scenes) => scenes.reduce((building, play) => play(building), branch().user("Begin.")));

function withTurn(
  building: BranchBuilder,
  blocks: readonly AssistantBlock[],
  calls: readonly CallScene[],
  end: "aborted" | "whole",
): BranchBuilder {
  const made = calls.map(
    (scene, n): AssistantBlock => ({
      type: "toolCall",
      id: `call-${n}`,
      name: scene.kind === "recovery" ? "load_history" : "tool",
      arguments: scene.args,
      thoughtSignature: SIGNATURE,
    }),
  );
  const stopReason = end === "aborted" ? "aborted" : calls.length > 0 ? "toolUse" : "stop";
  building.assistant({ content: [...blocks, ...made], stopReason });
  // An aborted turn may lack results.
  const answered = end === "aborted" ? calls.slice(1) : calls;
  for (const scene of answered) building.result(resultOf(scene, calls.indexOf(scene)));
  return building;
}

function resultOf({ kind, result, isError }: CallScene, n: number): Parameters<BranchBuilder["result"]>[0] {
  const draft = { callId: `call-${n}`, isError };
  if (kind === "plain") return { ...draft, content: result };
  const reply = { ...draft, text: REPLY };
  if (kind === "renamed") return { ...reply, toolName: "search_history" };
  if (kind !== "nested") return reply;
  return {
    ...reply,
    nestedCalls: { complete: true, calls: [{ id: "n", name: "read_context_output", status: "ok" }] },
  };
}

/** Branches of every shape for property specs. What must never be given back carries one of these marks. */
import fc from "fast-check";
import type { AssistantBlock, ContentBlock, ToolCall } from "../../lib/messages.ts";
import { type BranchBuilder, branch } from "./branch-builder.ts";
import { prose } from "./prose.ts";
import { PIXEL } from "./session-shapes.ts";

/** Marks of private text: thinking, signatures, replies of the recovery tools, `!!` runs, state of extensions. */
export const PRIVATE_MARKS = ["THOUGHT#", "SIGNATURE#", "REPLY#", "WITHHELD#", "STATE#"] as const;
const [THOUGHT, SIGNATURE, REPLY, WITHHELD, STATE] = PRIVATE_MARKS;

/** 600 000 characters with everything that is hard to cut: quotes, controls, pairs and a half of one. */
const HUGE = `${prose(1, 300_000)}🙂\ud83d"\\\u0007${"文".repeat(100_000)}${"🙂".repeat(100_000)}`;

const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "B", " ", "\n", '"', "\\", "文", "é", "🙂", "\ud83d", "\u0007", "\u2028"),
  }),
  fc.constantFrom("", "  ", prose(1, 700), "👩‍👩‍👧‍👦\r\nlib/session/open-turn.ts"),
);
const image: fc.Arbitrary<ContentBlock> = fc
  .constantFrom("AAAA", PIXEL)
  .map((data) => ({ type: "image", mimeType: "image/png", data }));
/** Of a kind that nobody knows yet: in messages and results it is given back as it is. */
const future = text.map((said) => ({ type: "audio", transcript: said }) as unknown as ContentBlock);
const content = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: text.map((said): ContentBlock => ({ type: "text", text: said })) },
    { weight: 2, arbitrary: image },
    { weight: 1, arbitrary: future },
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
        building.bash("run", said).bash(WITHHELD, `${WITHHELD}${said}`, "withheld"),
  ),
  content.map(
    (blocks): Scene =>
      (building) =>
        building.custom(blocks).state("mine", { STATE, blocks }),
  ),
  text.map(
    (said): Scene =>
      (building) =>
        building.compaction(said, building.leafId),
  ),
  text.map(
    (said): Scene =>
      (building) =>
        building.branchSummary(said, building.leafId),
  ),
);

/** A branch of up to a dozen scenes, after a first prompt. */
export const generatedBranch: fc.Arbitrary<BranchBuilder> = fc
  .array(scene, { maxLength: 12 })
  .map((scenes) => scenes.reduce((building, play) => play(building), branch().user("Begin.")));

/** The same with one output of 600 000 characters: said, called with, printed, or run by the user. */
export const hugeBranch: fc.Arbitrary<BranchBuilder> = fc
  .tuple(
    generatedBranch,
    fc.constantFrom<Scene>(
      (building) => building.user(HUGE),
      (building) => building.turn("x", [{ name: "write", args: { path: "a.ts", text: HUGE } }], "done"),
      (building) => building.turn("x", [{ name: "dump" }], HUGE),
      (building) => building.turn("x", [{ name: "dump" }, { name: "load_history" }], HUGE, HUGE),
      (building) => building.bash("dump", HUGE),
      (building) => building.custom(HUGE),
    ),
  )
  .map(([building, play]) => play(building));

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

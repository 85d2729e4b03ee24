/** Sessions to estimate: agents that read texts of one kind, agents whose material changes, and stored sessions. */
import { readFileSync } from "node:fs";
import type { AgentMessage, AssistantMessage, SessionEntry } from "../../lib/messages.ts";
import type { ResidentInput } from "../../lib/usage/token-estimator.ts";
import { type TextKind, textOf } from "./corpus.ts";
import type { EstimateRun } from "./estimate-run.ts";
import type { Random } from "./random.ts";

export type SceneKind = TextKind | "images";

const TOOLS = ["read", "bash", "edit", "write", "grep"].map((name) => ({
  name,
  description: `Runs ${name} in the project folder and returns what it prints. Large output is cut at 2,000 lines.`,
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the file, relative to the project folder" },
      offset: { type: "number", description: "First line" },
      limit: { type: "number", description: "Number of lines" },
    },
    required: ["path"],
    additionalProperties: false,
  },
}));

/** A system prompt of about this many tokens, and five tools. */
export function residentInput(tokens: number, random: Random): ResidentInput {
  return { systemPrompt: textOf("prose", tokens * 4.7, random), tools: TOOLS };
}

/** A run of tool calls that return texts of this kind; every eighth exchange ends a turn. */
export function readTexts(run: EstimateRun, kind: SceneKind, exchanges: number, random: Random): void {
  run.store(user(`Look into ${kind} next: ${textOf("prose", 200, random)}`));
  for (let exchange = 1; exchange <= exchanges; exchange++) {
    const calls = Array.from({ length: random.between(1, 2) }, () => random.between(1, 1e9));
    run.answer(withCalls(textOf("prose", random.between(20, 300), random), calls, random));
    for (const call of calls) run.store(result(call, kind, random));
    if (exchange % 8 > 0) continue;
    run.answer({ content: [{ type: "text", text: textOf("prose", 900, random) }], stopReason: "stop" });
    run.store(user(`And now: ${textOf("prose", 200, random)}`));
  }
}

function withCalls(
  text: string,
  calls: readonly number[],
  random: Random,
): Pick<AssistantMessage, "content" | "stopReason"> {
  return {
    content: [
      { type: "text", text },
      ...calls.map((call) => ({
        type: "toolCall" as const,
        id: `call_${call}`,
        name: random.pick(TOOLS).name,
        arguments: {
          path: textOf("listing", 60, random).split(" ").at(-1) ?? "",
          offset: random.between(1, 999),
        },
      })),
    ],
    stopReason: "toolUse",
  };
}

/** Share of tool results that are at most this many bytes, in the two real sessions that the specs use. */
const RESULT_BYTES = [
  [0, 20],
  [0.25, 140],
  [0.5, 300],
  [0.75, 1_240],
  [0.9, 4_800],
  [0.95, 8_500],
  [1, 27_000],
] as const;

/** A size as real tool results have it. */
function resultBytes(random: Random): number {
  const share = random.next();
  const above = RESULT_BYTES.findIndex(([limit]) => limit > share);
  const [[low, lowBytes], [high, highBytes]] = [
    RESULT_BYTES[above - 1] ?? [0, 20],
    RESULT_BYTES[above] ?? [1, 27_000],
  ];
  return Math.round(lowBytes * (highBytes / lowBytes) ** ((share - low) / (high - low)));
}

/** Bytes of a character in UTF-8: tools cut their output by bytes. */
const CHARACTER_BYTES: Readonly<Partial<Record<SceneKind, number>>> = { chinese: 3 };

type Content = Extract<AgentMessage, { role: "toolResult" }>["content"];

function result(call: number, kind: SceneKind, random: Random): AgentMessage {
  const characters = Math.ceil(resultBytes(random) / (CHARACTER_BYTES[kind] ?? 1));
  const content: Content =
    kind === "images"
      ? [
          { type: "text", text: "Read image file [image/png]" },
          { type: "image", data: "A".repeat(random.between(1_000, 30_000)), mimeType: "image/png" },
        ]
      : [{ type: "text", text: textOf(kind, characters, random) }];
  return {
    role: "toolResult",
    toolCallId: `call_${call}`,
    toolName: "read",
    content,
    isError: false,
    timestamp: 0,
  };
}

function user(content: string): AgentMessage {
  return { role: "user", content, timestamp: 0 };
}

/** Replays the messages of a stored session; its answers get the usage of this provider. */
export function replay(run: EstimateRun, file: string): void {
  for (const line of readFileSync(file, "utf8").split("\n").slice(1)) {
    if (line === "") continue;
    const entry = JSON.parse(line) as SessionEntry;
    if (entry.type !== "message" || entry.message.role === "system") continue;
    const { message } = entry;
    if (message.role === "assistant") run.answer(message);
    else run.store(message);
  }
}

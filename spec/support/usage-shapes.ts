/** Sessions whose saved usage has a shape that stats must get right. */
import type { SessionEntry } from "../../lib/messages.ts";
import { type BranchBuilder, branch } from "./branch-builder.ts";
import { prose } from "./prose.ts";

interface UsageShape {
  readonly entries: readonly SessionEntry[];
  /** The session that this one was forked from. */
  readonly parentSession?: string;
}

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

function usage(input: number, cacheRead: number, cacheWrite: number) {
  const output = 50;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: NO_COST,
  };
}

/** A session of two answered prompts, the second one mostly read from a cache. */
function talk(): BranchBuilder {
  return branch()
    .user(prose(1, 400))
    .assistant({ text: prose(2, 400), usage: usage(1_200, 0, 800) })
    .user(prose(3, 400))
    .assistant({ text: prose(4, 400), usage: usage(10, 2_000, 200) });
}

function compacted(): BranchBuilder {
  const session = talk();
  return session.entry({
    type: "compaction",
    summary: prose(5, 200),
    firstKeptEntryId: session.leafId,
    tokensBefore: 2_210,
    usage: usage(2_210, 0, 0),
  });
}

function tree(): BranchBuilder {
  const session = talk();
  const [, fork] = session.entries;
  if (fork) session.goTo(fork.id);
  return session
    .entry({
      type: "branch_summary",
      summary: prose(6, 200),
      fromId: session.leafId,
      usage: usage(400, 0, 0),
    })
    .user(prose(7, 400))
    .assistant({ text: prose(8, 400), usage: usage(5, 1_990, 100) });
}

function edited(): BranchBuilder {
  const session = talk();
  return session.contextEdit(session.leafId, prose(9, 1_200)).contextEdit(session.leafId, null);
}

function tools(): BranchBuilder {
  const session = branch()
    .user("go")
    .assistant({ calls: [{ name: "sub" }], usage: usage(1_000, 0, 0) });
  return session.message({
    role: "toolResult",
    toolCallId: "call-1",
    toolName: "sub",
    content: [{ type: "text", text: "done" }],
    isError: false,
    timestamp: Date.UTC(2026, 0, 5, 9, 0, 2),
    usage: usage(300, 100, 0),
  });
}

const warming = { type: "usage", kind: "cache_warm", provider: "p", model: "m" } as const;

/** By name. */
export const USAGE_SHAPES: Readonly<Record<string, UsageShape>> = {
  empty: { entries: [] },
  talk: { entries: talk().entries },
  fork: { entries: talk().user("mine").entries, parentSession: "parent.jsonl" },
  tree: { entries: tree().entries },
  compaction: { entries: compacted().entries },
  "compaction-answered": {
    entries: compacted()
      .user("on")
      .assistant({ usage: usage(700, 0, 0) }).entries,
  },
  warming: { entries: talk().entry({ ...warming, usage: usage(0, 2_210, 0) }).entries },
  "context-edits": { entries: edited().entries },
  "tool-usage": { entries: tools().entries },
  "model-change": { entries: talk().model("p", "other").entries },
  "zero-usage": { entries: talk().user("x").assistant({ text: "y" }).entries },
  "only-zero-usage": { entries: branch().user("x").assistant({ text: "y" }).entries },
  "uncached-provider": {
    entries: branch()
      .user("x")
      .assistant({ text: "y", usage: usage(900, 0, 0) }).entries,
  },
  "missing-counters": {
    entries: talk()
      .user("x")
      .message({ role: "assistant", content: [], usage: { input: 700, output: 5 } } as never).entries,
  },
  "failed-answer": {
    entries: talk()
      .user("x")
      .assistant({ stopReason: "error", usage: usage(9, 0, 0) }).entries,
  },
};

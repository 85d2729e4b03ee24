import { expect } from "chai";
import type { AssistantMessage, SessionEntry } from "../../lib/messages.ts";
import { type CacheTotals, cacheTotals } from "../../lib/stats/cache-totals.ts";
import { branch } from "../support/branch-builder.ts";

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

function usage(input: number, cacheRead: number, cacheWrite: number, output = 0): AssistantMessage["usage"] {
  const totalTokens = input + cacheRead + cacheWrite + output;
  return { input, output, cacheRead, cacheWrite, totalTokens, cost: NO_COST };
}

const totals = (read?: number, written?: number, input?: number): CacheTotals => ({
  readTokens: read,
  writtenTokens: written,
  inputTokens: input,
});

/** Totals of a session of responses with exactly these usage fields. */
function totalsOf(...records: unknown[]): CacheTotals {
  const session = branch();
  for (const record of records) session.message({ role: "assistant", content: [], usage: record } as never);
  return cacheTotals(session.entries);
}

describe('cache totals: section "Read-only session stats"', () => {
  it("sum each saved usage record once across all branches", () => {
    const session = branch()
      .user("a")
      .assistant({ usage: usage(1, 10, 100) });
    const fork = session.leafId;
    session
      .user("b")
      .assistant({ usage: usage(2, 20, 200) })
      .goTo(fork);
    session.user("c").assistant({ usage: usage(4, 40, 400) });
    expect(cacheTotals(session.entries)).to.deep.equal(totals(70, 700, 777));
  });

  it("include responses, tool results with usage, warming, compactions and branch summaries", () => {
    const session = branch().assistant({ calls: [{ name: "sub" }], usage: usage(1, 2, 4) });
    const entries: SessionEntry[] = session
      .message({
        role: "toolResult",
        toolCallId: "call-1",
        toolName: "sub",
        content: [],
        isError: false,
        timestamp: 1,
        usage: usage(10, 20, 40),
      })
      .entry({ type: "usage", kind: "cache_warm", provider: "p", model: "m", usage: usage(100, 200, 400) })
      .entry({
        type: "compaction",
        summary: "s",
        firstKeptEntryId: "x",
        tokensBefore: 1,
        usage: usage(1_000, 2_000, 4_000),
      })
      .entry({
        type: "branch_summary",
        summary: "s",
        fromId: "x",
        usage: usage(10_000, 20_000, 40_000),
      }).entries;
    expect(cacheTotals(entries)).to.deep.equal(totals(22_222, 44_444, 77_777));
  });

  it("count nothing of the other entries, whatever they hold", () => {
    const session = branch()
      .user("a")
      .state("ext", { usage: usage(1, 1, 1) });
    session.message({ role: "user", content: "b", timestamp: 1, usage: usage(1, 1, 1) } as never);
    expect(cacheTotals(session.entries)).to.deep.equal(totals(0, 0, 0));
  });

  it("are 0 in a session without any record", () => {
    expect(totalsOf()).to.deep.equal(totals(0, 0, 0));
    expect(totalsOf(undefined, null, "x", 5, [])).to.deep.equal(totals(0, 0, 0));
  });

  it("take a record with only zero or missing counters as none", () => {
    expect(totalsOf(usage(0, 0, 0), {}, { input: 0 }, { cacheRead: null })).to.deep.equal(totals(0, 0, 0));
    expect(totalsOf(usage(0, 0, 0), usage(3, 2, 1))).to.deep.equal(totals(2, 1, 6));
  });

  it("keep explicit zero cache counters as zero beside a measured one", () => {
    expect(totalsOf(usage(10, 0, 0))).to.deep.equal(totals(0, 0, 10));
    expect(totalsOf({ input: 0, output: 7, cacheRead: 0, cacheWrite: 0 })).to.deep.equal(totals(0, 0, 0));
  });

  it("are unavailable where a counter that belongs in them is missing, and only there", () => {
    expect(totalsOf({ input: 10, cacheRead: 3 }, usage(1, 1, 1))).to.deep.equal(
      totals(4, undefined, undefined),
    );
    expect(totalsOf({ input: 10, cacheWrite: 3 })).to.deep.equal(totals(undefined, 3, undefined));
    expect(totalsOf({ cacheRead: 10, cacheWrite: 3 })).to.deep.equal(totals(10, 3, undefined));
    expect(totalsOf({ totalTokens: 10 })).to.deep.equal(totals(undefined, undefined, undefined));
  });

  for (const bad of [-5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "123", true, {}]) {
    it(`are unavailable where a counter is invalid or unsafe: ${String(bad)}`, () => {
      expect(totalsOf(usage(1, 1, 1), { ...usage(10, 3, 4), cacheRead: bad })).to.deep.equal(
        totals(undefined, 5, undefined),
      );
      expect(totalsOf({ cacheRead: bad, cacheWrite: 0, input: 0 })).to.deep.equal(
        totals(undefined, 0, undefined),
      );
    });
  }

  it("are unavailable where a sum is unsafe", () => {
    const huge = Number.MAX_SAFE_INTEGER;
    expect(totalsOf(usage(0, huge, 1), usage(0, 1, 1))).to.deep.equal(totals(undefined, 2, undefined));
    expect(totalsOf(usage(0, huge, 0))).to.deep.equal(totals(huge, 0, huge));
  });
});

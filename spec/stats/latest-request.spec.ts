import { expect } from "chai";
import type { AssistantMessage } from "../../lib/messages.ts";
import type { SelectionReport } from "../../lib/paging/selection-report.ts";
import { LatestRequest } from "../../lib/stats/latest-request.ts";
import { type AssistantDraft, branch } from "../support/branch-builder.ts";

const TIME = Date.UTC(2026, 0, 5);
const report = (tokensAfter: number, time = TIME) => ({ tokensAfter, time }) as SelectionReport;
const USAGE = { input: 1, output: 1_000, cacheRead: 20, cacheWrite: 300, totalTokens: 1_321 };

function response(draft: AssistantDraft = { usage: USAGE }): AssistantMessage {
  const [message] = branch().assistant(draft).messages;
  if (message?.role !== "assistant") throw new Error("no response");
  return message;
}

describe('latest request: section "Read-only session stats"', () => {
  let latest: LatestRequest;
  const tokens = (entries = branch().path) => latest.tokens(entries);

  beforeEach(() => {
    latest = new LatestRequest();
  });

  it("is unknown before the first", () => expect(tokens()).to.equal(undefined));

  it("is the latest successful selection estimate", () => {
    latest.select(report(500));
    latest.select(report(700));
    expect(tokens()).to.deep.equal({ tokens: 700, source: "estimated" });
  });

  it("is replaced by input + cacheRead + cacheWrite of a successful response, output excluded", () => {
    latest.select(report(500));
    latest.answer(response());
    expect(tokens()).to.deep.equal({ tokens: 321, source: "measured" });
    latest.select(report(800));
    expect(tokens()).to.deep.equal({ tokens: 800, source: "estimated" });
  });

  it("stays the estimate after a failed response, one without usage, and one of an earlier request", () => {
    latest.select(report(500));
    for (const stopReason of ["error", "aborted"] as const)
      latest.answer(response({ usage: USAGE, stopReason }));
    for (const usage of [
      undefined,
      null,
      {},
      { input: 10 },
      { ...USAGE, input: Number.NaN },
      { ...USAGE, cacheRead: "1" },
    ])
      latest.answer({ ...response(), usage } as AssistantMessage);
    latest.answer({ ...response(), timestamp: TIME - 1 });
    expect(tokens()).to.deep.equal({ tokens: 500, source: "estimated" });
  });

  it("is cleared by lifecycle invalidation", () => {
    latest.select(report(500));
    latest.answer(response());
    latest.clear();
    expect(tokens()).to.equal(undefined);
    expect([latest.report, latest.measuredTokens]).to.deep.equal([undefined, undefined]);
    latest.answer(response());
    expect(tokens()).to.equal(undefined);
  });

  describe("after resume", () => {
    const saved = () => branch().user("a").assistant({ usage: USAGE });

    it("is the measured input of the latest saved response on the active branch", () => {
      const older = branch()
        .user("a")
        .assistant({ usage: { ...USAGE, input: 5_000 } });
      const fork = older.leafId;
      older
        .user("left")
        .assistant({ usage: { ...USAGE, input: 9_000 } })
        .goTo(fork);
      older.user("b").assistant({ usage: USAGE }).user("c").bash("ls", "x").custom("y");
      expect(tokens(older.path)).to.deep.equal({ tokens: 321, source: "measured" });
    });

    it("is not that of an older response, where the latest failed or was not measured", () => {
      for (const draft of [
        { stopReason: "error" as const },
        { stopReason: "aborted" as const, usage: USAGE },
        {},
      ])
        expect(tokens(saved().user("b").assistant(draft).path)).to.equal(undefined);
    });

    it("is unknown where a compaction, branch summary or model change came after that response", () => {
      const session = saved();
      expect(tokens(session.compaction("s", session.leafId).path)).to.equal(undefined);
      expect(tokens(saved().branchSummary("s", "x").path)).to.equal(undefined);
      expect(tokens(saved().model("p", "m").user("b").path)).to.equal(undefined);
    });

    it("is known again with the first response after such a boundary", () => {
      expect(tokens(saved().model("p", "m").user("b").assistant({ usage: USAGE }).path)).to.deep.equal({
        tokens: 321,
        source: "measured",
      });
    });

    it("gives way to the next selection", () => {
      latest.select(report(500));
      expect(tokens(saved().path)).to.deep.equal({ tokens: 500, source: "estimated" });
    });
  });
});

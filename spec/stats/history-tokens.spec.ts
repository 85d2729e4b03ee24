import { expect } from "chai";
import { statusPriceOf } from "../../lib/host/pi.ts";
import { historyTokens } from "../../lib/stats/history-tokens.ts";
import { branch } from "../support/branch-builder.ts";

const tokensOf = (entries: Parameters<typeof historyTokens>[0]) => historyTokens(entries, statusPriceOf);
/** A text of that many tokens as Pi's estimator counts: characters / 4. */
const text = (tokens: number) => "abcd".repeat(tokens);

describe('history tokens: section "Read-only session stats"', () => {
  it("counts the entries of all branches, not the active or paged projection", () => {
    const session = branch()
      .user(text(10))
      .assistant({ text: text(20) });
    const fork = session.leafId;
    session.user(text(40)).goTo(fork).user(text(80));
    expect(tokensOf(session.entries)).to.equal(150);
    expect(tokensOf(session.path)).to.equal(110);
  });

  it("counts with Pi's message estimator: texts, thinking, calls, images, bash runs, custom messages", () => {
    const session = branch()
      .user([
        { type: "text", text: text(3) },
        { type: "image", data: "x".repeat(9_000), mimeType: "image/png" },
      ])
      .assistant({ thinking: text(5), text: text(7), calls: [{ name: "read", args: { path: "abcd" } }] })
      .results(text(11))
      .bash("abcd", text(13))
      .bash("abcd", text(17), "withheld")
      .custom(text(19));
    expect(tokensOf(session.entries)).to.equal(3 + 1_200 + 5 + 7 + 5 + 11 + 14 + 18 + 19);
  });

  it("counts the summaries of compactions and branches", () => {
    const session = branch().user(text(1));
    session.compaction(text(30), session.leafId).branchSummary(text(50), session.leafId);
    expect(tokensOf(session.entries)).to.equal(81);
  });

  it("counts originals and replacements of context edits, because the file holds both", () => {
    const session = branch().user(text(100));
    session.contextEdit(session.leafId, text(10)).contextEdit(session.leafId, null);
    session.contextEdit(session.leafId, [
      { type: "text", text: text(5) },
      { type: "image", data: "", mimeType: "image/png" },
    ]);
    expect(tokensOf(session.entries)).to.equal(100 + 10 + 0 + 1_205);
  });

  it("counts the replacement of a response as a response", () => {
    const session = branch().assistant({ text: text(8) });
    session.entry({
      type: "context_edit",
      targetId: session.leafId,
      replacement: {
        content: [
          { type: "thinking", thinking: text(4) },
          { type: "text", text: text(2) },
        ],
      },
    });
    expect(tokensOf(session.entries)).to.equal(8 + 6);
  });

  it("leaves signatures and other metadata out", () => {
    const session = branch().assistant({
      content: [{ type: "thinking", thinking: text(2), thinkingSignature: text(500) }],
    });
    session
      .state("ext", { big: text(500) })
      .model("p", "m")
      .entry({ type: "label", targetId: session.leafId, label: text(500) });
    session.entry({
      type: "compaction",
      summary: text(3),
      firstKeptEntryId: "x",
      tokensBefore: 9,
      details: text(500),
    });
    expect(tokensOf(session.entries)).to.equal(5);
  });

  it("takes damaged content: it counts as small, and nothing throws (D11)", () => {
    const session = branch().user(text(6));
    for (const content of [undefined, null, [{}], [{ type: "text" }], [{ type: "new_kind" }], 5, "abcd"]) {
      session.message({
        role: "toolResult",
        toolCallId: "c",
        toolName: "t",
        content,
        isError: false,
        timestamp: 1,
      } as never);
      session.message({ role: "assistant", content, timestamp: 1 } as never);
    }
    session.entry({ type: "context_edit", targetId: "x", replacement: { content: [null] as never } });
    session.entry({ type: "compaction", firstKeptEntryId: "x", tokensBefore: 9 } as never);
    expect(tokensOf(session.entries)).to.equal(7);
  });
});

/** What holds for every branch: exact pages, exact items, and nothing private in any reply. */
import { expect } from "chai";
import fc from "fast-check";
import type { AssistantBlock, SessionEntry } from "../../lib/messages.ts";
import type { PageInput } from "../../lib/recovery/inputs.ts";
import { OutputPageReader } from "../../lib/recovery/output-page-reader.ts";
import type { BranchProjection } from "../../lib/session/branch-projection.ts";
import type { HistoryItem, ModelTurnItem } from "../../lib/session/history-item.ts";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import { branch } from "../support/branch-builder.ts";
import { generatedBranch, PRIVATE_MARKS } from "../support/generated-branch.ts";
import { codeOf, navigatorOf, projectionOf, WIDE } from "../support/history.ts";
import { prose } from "../support/prose.ts";

const RECOVERY = ["search_history", "browse_history", "load_history", "read_context_output"];
const reader = new OutputPageReader(new TokenEstimator());

/** The public form of a block, said again and not by the code under test. */
function publicBlock(block: AssistantBlock): unknown {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type !== "toolCall") return null;
  return { type: "toolCall", id: block.id, name: block.name, arguments: block.arguments };
}

function publicResult(turn: ModelTurnItem, n: number): unknown {
  const result = turn.toolResults[n];
  const call = turn.assistant.content.find(
    (block) => block.type === "toolCall" && block.id === result?.toolCallId,
  );
  const names = [
    result?.toolName,
    call?.type === "toolCall" ? call.name : "",
    ...(result?.nestedCalls?.calls ?? []).map(({ name }) => name),
  ];
  return names.some((name) => RECOVERY.includes(name ?? "")) ? null : result;
}

interface AddressedOutput {
  readonly input: PageInput;
  readonly value: unknown;
}

/** Each addressable output of a branch with what its pages must join to; `null` where it must be refused. */
function outputs({ items }: BranchProjection): AddressedOutput[] {
  return items.flatMap((item): AddressedOutput[] => {
    const { historyId } = item;
    if (item.kind !== "modelTurn") return [{ input: { historyId, source: item.kind }, value: item.message }];
    const blocks = item.assistant.content.map((block, contentIndex) => ({
      input: { historyId, source: "assistant" as const, contentIndex },
      value: publicBlock(block),
    }));
    const results = item.toolResults.map(({ toolCallId }, n) => ({
      input: { historyId, source: "toolResult" as const, toolCallId },
      value: publicResult(item, n),
    }));
    return [...blocks, ...results];
  });
}

function joinedPages(
  history: BranchProjection,
  input: PageInput,
  limit: number,
  budgetTokens: number,
): string {
  let text = "";
  for (let offset: number | null = 0; offset !== null; ) {
    const page = reader.read({ ...input, limit, offset }, history, budgetTokens);
    expect(page.text.length, "progress").to.be.above(page.totalCharacters === 0 ? -1 : 0);
    text += page.text;
    offset = page.nextOffset;
  }
  return text;
}

function isVisible(item: HistoryItem): boolean {
  if (item.kind !== "modelTurn") return true;
  const calls = item.assistant.content.filter((block) => block.type === "toolCall");
  return calls.length === 0 || calls.some(({ name }) => !RECOVERY.includes(name));
}

function expectExactPages(entries: readonly SessionEntry[], limit: number, budgetTokens: number): void {
  const history = projectionOf(entries);
  for (const { input, value } of outputs(history)) {
    if (value === null) {
      expect(codeOf(() => reader.read(input, history, budgetTokens))).to.be.oneOf([
        "OMITTED_OUTPUT",
        "RECOVERY_OUTPUT",
      ]);
    } else expect(joinedPages(history, input, limit, budgetTokens)).to.equal(JSON.stringify(value));
  }
}

describe("for every branch", () => {
  it("pages joined equal the public JSON, and what is private is refused", () => {
    const limits = fc.integer({ min: 1, max: 300 });
    const budgets = fc.constantFrom(1, 100, 100_000);
    fc.assert(
      fc.property(generatedBranch, limits, budgets, ({ entries }, limit, budgetTokens) =>
        expectExactPages(entries, limit, budgetTokens),
      ),
    );
  });

  it("outputs of 600 000 characters are paged exactly, too", () => {
    const huge = `${prose(1, 300_000)}🙂\ud83d"\\${"文".repeat(300_000)}`;
    const { entries } = branch()
      .turn(huge, [{ name: "dump", args: { input: huge } }], huge, huge)
      .bash("x", huge);
    expectExactPages(entries, 32_000, 128_000);
  });

  it("load gives back what is stored, with exactly the omissions named", () => {
    fc.assert(
      fc.property(generatedBranch, ({ entries }) => {
        const navigator = navigatorOf(entries);
        const visible = projectionOf(entries).items.filter(isVisible);
        visible.forEach((item, sequence) => {
          const { items, images } = navigator.load({ historyIds: [item.historyId] }, WIDE);
          const [loaded] = withImages(items, images) as [Record<string, unknown>];
          expect(loaded).to.include({
            historyId: item.historyId,
            kind: item.kind,
            sequence,
            timestamp: item.timestamp,
          });
          if (item.kind !== "modelTurn") {
            expect(loaded.message).to.deep.equal(asJson(item.message));
            return;
          }
          const content = item.assistant.content.map(publicBlock);
          expect(loaded.assistant).to.deep.equal(asJson({ ...item.assistant, content }));
          expect(loaded.toolResults).to.deep.equal(
            asJson(item.toolResults.map((_, n) => publicResult(item, n))),
          );
        });
      }),
    );
  });

  it("nothing private appears in any reply, whatever is asked", () => {
    const queries = fc.constantFrom(
      "",
      "thought",
      "signature",
      "reply",
      "load_history",
      "lib/session",
      "文",
      "🙂",
      "tool a",
    );
    fc.assert(
      fc.property(
        generatedBranch,
        queries,
        fc.constantFrom("forward", "backward", "around"),
        ({ entries }, query, direction) => {
          const navigator = navigatorOf(entries);
          const history = projectionOf(entries);
          const visible = history.items.filter(isVisible).map(({ historyId }) => historyId);
          const pages = outputs(history).flatMap(({ input, value }) =>
            value === null ? [] : [reader.read(input, history, 1e6)],
          );
          const replies = [
            navigator.search({ query, limit: 10, load: true }, WIDE),
            navigator.browse({ direction, count: 10 }, WIDE),
            ...visible.map((historyId) => navigator.load({ historyIds: [historyId] }, WIDE)),
            ...pages,
          ];
          for (const mark of PRIVATE_MARKS) expect(JSON.stringify(replies)).not.to.contain(mark);
        },
      ),
    );
  });

  it("searching changes nothing", () => {
    fc.assert(
      fc.property(generatedBranch, ({ entries }) => {
        const before = JSON.stringify(entries);
        const navigator = navigatorOf(entries);
        navigator.search({ query: "lib tool 文", load: true }, WIDE);
        navigator.browse({ direction: "around" }, WIDE);
        expect(JSON.stringify(entries)).to.equal(before);
      }),
    );
  });

  it("a match points at the text that was asked for", () => {
    fc.assert(
      fc.property(
        generatedBranch,
        fc.constantFrom("Begin", "lib/session", "tool", "stable cut"),
        ({ entries }, query) => {
          const history = projectionOf(entries);
          for (const { historyId, match } of navigatorOf(entries).search({ query, limit: 10 }, WIDE)
            .references) {
            if (!match) throw new Error("a search without match");
            const page = reader.read({ historyId, ...match }, history, 1e6);
            const first = query.split(/\W/)[0]?.toLowerCase() ?? "";
            const words = query.toLowerCase().split(/\W/);
            expect(
              words.some((word) => page.text.toLowerCase().startsWith(word)),
              `${first}: ${page.text.slice(0, 40)}`,
            ).to.equal(true);
          }
        },
      ),
    );
  });
});

/** As a reply carries it: fields without a value are not there. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Puts images back to where they were. */
function withImages(items: readonly object[], images: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(items), (_, value) =>
    value?.type === "image" && typeof value.attachment === "number" ? images[value.attachment - 1] : value,
  );
}

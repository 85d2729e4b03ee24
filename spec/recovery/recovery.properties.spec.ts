/** What holds for every branch: exact pages, exact items, and nothing private in any reply. */
import { expect } from "chai";
import fc from "fast-check";
import type { SessionEntry } from "../../lib/messages.ts";
import type { BrowseInput } from "../../lib/recovery/inputs.ts";
import { OutputPageReader } from "../../lib/recovery/output-page-reader.ts";
import { recoveryTools } from "../../lib/recovery/recovery-tools.ts";
import type { HistoryItem } from "../../lib/session/history-item.ts";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import {
  joinedPages,
  outputsOf,
  publicBlock,
  publicResult,
  RECOVERY_TOOLS,
} from "../support/addressed-outputs.ts";
import { generatedBranch, hugeBranch, PRIVATE_MARKS } from "../support/generated-branch.ts";
import { codeOf, navigatorOf, projectionOf, WIDE } from "../support/history.ts";
import { seededRuns } from "../support/property-runs.ts";

const estimator = new TokenEstimator();
const reader = new OutputPageReader(estimator);

function isVisible(item: HistoryItem): boolean {
  if (item.kind !== "modelTurn") return true;
  const calls = item.assistant.content.filter((block) => block.type === "toolCall");
  return calls.length === 0 || calls.some(({ name }) => !RECOVERY_TOOLS.includes(name));
}

async function expectExactPages(
  entries: readonly SessionEntry[],
  limit: number,
  budgetTokens: number,
): Promise<void> {
  const history = projectionOf(entries);
  for (const { input, value } of history.items.flatMap(outputsOf)) {
    if (value === null) {
      expect(codeOf(() => reader.read(input, history, budgetTokens))).to.be.oneOf([
        "OMITTED_OUTPUT",
        "RECOVERY_OUTPUT",
      ]);
      continue;
    }
    const pages = joinedPages((offset) => reader.read({ ...input, limit, offset }, history, budgetTokens));
    expect(await pages).to.equal(JSON.stringify(value));
  }
}

/** What every tool answers, and how it refuses: all that ever reaches the model. */
async function allReplies(
  entries: readonly SessionEntry[],
  query: string,
  direction: BrowseInput["direction"],
): Promise<string> {
  const history = projectionOf(entries);
  const navigator = navigatorOf(entries);
  const pages = new OutputPageReader(estimator);
  const open = () => ({ navigator, pages, history, scope: WIDE });
  const tools = recoveryTools({ open, row: () => ({ render: () => [], invalidate: () => undefined }) });
  const ids = history.items.map(({ historyId }) => historyId);
  const inputs: Readonly<Record<string, readonly object[]>> = {
    search_history: [
      { query, limit: 10, load: true },
      { query: "", limit: 10 },
    ],
    browse_history: [{ direction, count: 10 }],
    load_history: ids.map((historyId) => ({ historyIds: [historyId] })),
    read_context_output: history.items.flatMap(outputsOf).map(({ input }) => ({ ...input, limit: 32_000 })),
  };
  let replies = "";
  for (const { name, execute } of tools) {
    for (const input of inputs[name] ?? []) {
      const reply = execute("call", input as never, undefined, undefined, {} as never);
      replies += await reply.then(JSON.stringify, String);
    }
  }
  return replies;
}

/** Told in the query, they would be found first if they were searched at all. */
const QUERIES = ["", ...PRIVATE_MARKS, "reply", "load_history", "lib/session", "文", "🙂", "tool a", "zebra"];

for (const { title, ...parameters } of seededRuns(100)) {
  describe(`for every branch (${title})`, () => {
    it("pages joined equal the public JSON, and what is private is refused", async () => {
      const limits = fc.integer({ min: 1, max: 300 });
      const budgets = fc.constantFrom(1, 100, 100_000);
      await fc.assert(
        fc.asyncProperty(generatedBranch, limits, budgets, ({ entries }, limit, budgetTokens) =>
          expectExactPages(entries, limit, budgetTokens),
        ),
        parameters,
      );
    });

    it("outputs of 600 000 characters are paged and loaded exactly, too", async () => {
      await fc.assert(
        fc.asyncProperty(hugeBranch, fc.constantFrom(30_000, 32_000), async ({ entries }, limit) => {
          await expectExactPages(entries, limit, 128_000);
          await expectExactItems(entries);
        }),
        { ...parameters, numRuns: 6 },
      );
    }).timeout(60_000);

    it("load gives back what is stored, with exactly the omissions named", async () => {
      await fc.assert(
        fc.asyncProperty(generatedBranch, ({ entries }) => expectExactItems(entries)),
        parameters,
      );
    });

    it("nothing private appears in any reply, whatever is asked", async () => {
      const directions = fc.constantFrom("forward", "backward", "around");
      await fc.assert(
        fc.asyncProperty(
          generatedBranch,
          fc.constantFrom(...QUERIES),
          directions,
          async ({ entries }, query, direction) => {
            const replies = await allReplies(entries, query, direction);
            for (const mark of PRIVATE_MARKS) expect(replies).not.to.contain(mark);
          },
        ),
        parameters,
      );
    });

    it("searching changes nothing", async () => {
      await fc.assert(
        fc.asyncProperty(generatedBranch, async ({ entries }) => {
          const before = JSON.stringify(entries);
          await allReplies(entries, "lib tool 文", "around");
          expect(JSON.stringify(entries)).to.equal(before);
        }),
        parameters,
      );
    });

    it("a match points at the text that was asked for", async () => {
      const queries = fc.constantFrom("Begin", "lib/session", "tool", "stable cut");
      await fc.assert(
        fc.asyncProperty(generatedBranch, queries, async ({ entries }, query) => {
          const history = projectionOf(entries);
          const { references } = await navigatorOf(entries).search({ query, limit: 10 }, WIDE);
          for (const { historyId, match } of references) {
            if (!match) throw new Error("a search without match");
            const page = reader.read({ historyId, ...match }, history, 1e6);
            const words = query.toLowerCase().split(/\W/);
            const isThere = words.some((word) => page.text.toLowerCase().startsWith(word));
            expect(isThere, page.text.slice(0, 40)).to.equal(true);
          }
        }),
        parameters,
      );
    });
  });
}

async function expectExactItems(entries: readonly SessionEntry[]): Promise<void> {
  const navigator = navigatorOf(entries);
  const visible = projectionOf(entries).items.filter(isVisible);
  for (const [sequence, item] of visible.entries()) {
    const { historyId, kind, timestamp } = item;
    const { items, images } = await navigator.load({ historyIds: [historyId] }, WIDE);
    const [loaded] = withImages(items, images) as [Record<string, unknown>];
    expect(loaded).to.include({ historyId, kind, sequence, timestamp });
    if (item.kind !== "modelTurn") {
      expect(loaded.message).to.deep.equal(asJson(item.message));
      continue;
    }
    const content = item.assistant.content.map(publicBlock);
    expect(loaded.assistant).to.deep.equal(asJson({ ...item.assistant, content }));
    const results = item.toolResults.map((_, n) => publicResult(item, n));
    expect(loaded.toolResults).to.deep.equal(asJson(results));
  }
}

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

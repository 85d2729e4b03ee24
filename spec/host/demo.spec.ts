/** `npm run demo` in a short form: what it reports, and that it ends well only when all is well. */
import { expect } from "chai";
import type { Bill } from "../../demo/bill.ts";
import { failuresOf } from "../../demo/report.ts";
import type { DemoRun } from "../../demo/run.ts";
import { runDemo } from "../support/run-demo.ts";

it("demo: within the budget, cheaper than a session of twice the budget, and the needle comes back", async () => {
  const { code, stderr, report } = await runDemo("--prompts", "30");
  expect(stderr).to.equal("");
  expect(code).to.equal(0);
  const { budgetTokens, paged, whole, needle, failures } = report;
  expect(failures).to.deep.equal([]);
  expect(paged.bills.map(({ tokens }) => tokens > budgetTokens)).to.deep.equal(
    Array(paged.requests).fill(false),
  );
  expect(paged.cuts.length, "cuts").to.be.at.least(1);
  expect(whole.cuts).to.deep.equal([]);
  expect(whole.largestTokens).to.be.above(budgetTokens);
  expect(whole.hitRate).to.be.within(0.9, 1);
  expect(paged.hitRate).to.be.within(0.8, whole.hitRate);
  expect(paged.billedPerCall).to.be.below(whole.billedPerCall);
  expect(needle.tools).to.deep.equal(["search_history", "read_context_output"]);
  expect(needle.answer).to.equal(needle.stored);
});

it("demo: a session too short to evict the needle fails", async () => {
  const { code, stderr } = await runDemo("--prompts", "2");
  expect(code).to.equal(1);
  expect(stderr).to.contain("FAILED: The needle had not left the window.");
});

it("demo: a request above the budget and another answer than the needle are failures", () => {
  const bill: Bill = {
    tokens: 1_001,
    readTokens: 0,
    writtenTokens: 1_001,
    inputTokens: 0,
    billedTokens: 1_251,
  };
  const run: DemoRun = {
    bills: [{ ...bill, tokens: 1_000 }, bill],
    cuts: [1],
    needle: { wasInWindow: false, tools: [], answer: "I do not know.", isExact: false },
    errors: [],
  };
  expect(failuresOf({ budgetTokens: 1_000, prompts: 1, paged: run, whole: run })).to.deep.equal([
    "Request 1 has 1,001 tokens, the budget is 1,000.",
    "The needle did not come back word for word, but: I do not know.",
  ]);
});

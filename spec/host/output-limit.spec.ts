/** Paging leaves the model room to answer: what Pi asks for as output limit, read from the wire. */
import { expect } from "chai";
import { CURRENT } from "../support/pi-hosts.ts";
import { printPrompts } from "../support/pi-process.ts";
import { requestStability } from "../support/request-stability.ts";
import { numberedPrompts, readingCalls, toolAgent, writeNotes } from "../support/scripts.ts";
import { Stage, type StageOptions } from "../support/stage.ts";
import { outputLimit, WIRE_APIS } from "../support/wire.ts";

describe("output limit in the current Pi", () => {
  for (const api of WIRE_APIS) {
    it(`${api}: the first request after a cut asks for all that is free`, async () => {
      const limits = await outputLimits({
        api,
        model: { contextWindow: 60_000, maxTokens: 32_000 },
        paging: { tokenBudget: 40_000 },
        resultCharacters: 5_000,
      });
      expect(limits.atCuts.length, "cuts").to.be.above(1);
      expect(Math.min(...limits.atCuts), `at the cuts: ${limits.atCuts}`).to.be.at.least(27_000);
    });

    for (const { contextWindow, maxTokens, resultCharacters } of [
      { contextWindow: 32_000, maxTokens: 16_384, resultCharacters: 3_000 },
      { contextWindow: 32_000, maxTokens: 32_000, resultCharacters: 3_000 },
      { contextWindow: 128_000, maxTokens: 16_384, resultCharacters: 12_000 },
      { contextWindow: 128_000, maxTokens: 64_000, resultCharacters: 12_000 },
    ]) {
      it(`${api}: window ${contextWindow}, maximum ${maxTokens}, default budget: a third of the room`, async () => {
        const model = { contextWindow, maxTokens };
        const limits = await outputLimits({ api, model, resultCharacters });
        const room = Math.min(maxTokens, 16_384, contextWindow / 4);
        expect(limits.atCuts.length, "cuts").to.be.above(1);
        expect(Math.min(...limits.all), `all: ${limits.all}`).to.be.at.least(room / 3);
      });
    }
  }
});

/** Runs 24 prompts in print mode and reads the limit of each request. */
async function outputLimits({
  resultCharacters,
  ...options
}: StageOptions & { readonly resultCharacters: number }): Promise<{ all: number[]; atCuts: number[] }> {
  const stage = await Stage.open({ ...options, rules: "strict", script: toolAgent(readingCalls) });
  writeNotes(stage.sandbox, resultCharacters);
  try {
    const run = await printPrompts(CURRENT, stage.sandbox, numberedPrompts(24));
    expect(run.stderr).to.equal("");
    expect(run.code).to.equal(0);
    const all = stage.mock.bodies.map((body) => outputLimit(body) ?? 0);
    const { cuts } = requestStability(stage.mock.bodies);
    return { all, atCuts: cuts.map((n) => all[n] ?? 0) };
  } finally {
    await stage.close();
  }
}

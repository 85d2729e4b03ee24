/**
 * Long runs in the real Pis whose provider counts by its own tokenizer: no request exceeds the budget after the first
 * answer, and no cut takes more than it must. What the agent reads: source code, JSON and Chinese.
 */
import { expect } from "chai";
import { type TextKind, textOf } from "../../bench/estimates/corpus.ts";
import { Random } from "../../bench/estimates/random.ts";
import { CURRENT, HOSTS, type PiHost } from "../support/pi-hosts.ts";
import { requestStability } from "../support/request-stability.ts";
import { toolAgent } from "../support/scripts.ts";
import { Stage } from "../support/stage.ts";
import { bodyTokens, type Tokenizer } from "../support/tokenizers.ts";

const PROMPTS = 40;
const READS = 3;
/** All that is read fills the budget about three times. */
const READ_BUDGETS = 3;
/** The most characters that a token holds, by kind: no read is larger than planned. */
const CHARACTERS_PER_TOKEN = { source: 3.6, json: 2.7, chinese: 1 } as const;
const KINDS = ["source", "json", "chinese"] as const satisfies readonly TextKind[];
const BUDGETS = [8_000, 40_000, 128_000];
const RUNS: readonly (readonly [(typeof KINDS)[number], Tokenizer])[] = [
  ["source", "o200k"],
  ["source", "cl100k"],
  ["json", "o200k"],
  ["json", "cl100k"],
  ["chinese", "o200k"],
  ["chinese", "cl100k"],
];

describe("requests counted by the provider's tokenizer stay within the budget", () => {
  for (const [kind, tokenizer] of RUNS) {
    for (const budget of BUDGETS) {
      it(`current Pi in this process: ${kind}, ${tokenizer}, ${budget / 1_000} K`, async () => {
        const stage = await openStage(kind, tokenizer, budget);
        try {
          const { prompt, errors } = await stage.sdk(CURRENT);
          for (let n = 1; n <= PROMPTS; n++) await prompt(promptText(n));
          expect(errors).to.deep.equal([]);
          expectWithinBudget(stage, budget);
        } finally {
          await stage.close();
        }
      });
    }
  }

  for (const host of HOSTS) {
    for (const kind of KINDS) {
      it(`${host.name} Pi in RPC mode: ${kind}, cl100k, 40 K`, () => rpcRun(host, kind));
    }
  }
});

async function rpcRun(host: PiHost, kind: (typeof KINDS)[number]): Promise<void> {
  const stage = await openStage(kind, "cl100k", 40_000);
  try {
    const session = stage.rpc(host);
    for (let n = 1; n <= PROMPTS; n++) await session.prompt(promptText(n));
    expect(session.extensionErrors).to.deep.equal([]);
    expectWithinBudget(stage, 40_000);
  } finally {
    await stage.close();
  }
}

function promptText(n: number): string {
  return `Prompt ${n}: read the next files and compare them.`;
}

async function openStage(kind: (typeof KINDS)[number], tokenizer: Tokenizer, budget: number): Promise<Stage> {
  const stage = await Stage.open({
    rules: "strict",
    count: (body) => bodyTokens(body, tokenizer),
    script: toolAgent((n) => readCalls(n)),
    paging: { tokenBudget: budget },
    model: { contextWindow: 1_000_000 },
  });
  const random = new Random(budget);
  const characters = ((READ_BUDGETS * budget) / (PROMPTS * READS)) * CHARACTERS_PER_TOKEN[kind];
  const names = Array.from({ length: 2 * PROMPTS }, (_, index) => `file-${index}.txt`);
  for (const name of names)
    stage.sandbox.write(name, textOf(kind, random.between(1, 2 * characters), random));
  return stage;
}

function readCalls(n: number) {
  return Array.from({ length: READS }, (_, read) => ({
    name: "read",
    args: { path: `file-${(n * READS + read) % (2 * PROMPTS)}.txt` },
  }));
}

function expectWithinBudget({ mock }: Stage, budget: number): void {
  expect(mock.requests.map(({ outcome }) => outcome)).to.deep.equal(Array(2 * PROMPTS).fill("answered"));
  const over = mock.requests.slice(1).filter(({ tokens }) => tokens > budget);
  expect(over.map(({ n, tokens }) => [n, tokens])).to.deep.equal([]);
  const { cuts } = requestStability(mock.bodies);
  expect(cuts.length, "cuts").to.be.at.least(1);
  // A turn is far smaller than what a cut frees, so older ones would have fitted into a half-empty window.
  const target = (budget * 5) / 8;
  const small = cuts.filter((cut) => (mock.requests[cut]?.tokens ?? 0) < target / 2);
  expect(
    small.map((cut) => [cut, mock.requests[cut]?.tokens]),
    `cuts to less than ${target / 2}`,
  ).to.deep.equal([]);
}

/**
 * A session file that may not be written any more. One Pi goes on in memory, the other sends nothing until it may write
 * again: with the extension each does the same, and whatever goes out is paged.
 */
import { chmodSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { MODE_BOUND, modeObstacle } from "../support/mode-bound.ts";
import { HOSTS, PACKAGE_DIR, type PiHost } from "../support/pi-hosts.ts";
import { requestStability } from "../support/request-stability.ts";
import type { RpcSession } from "../support/rpc-session.ts";
import { answerTo, numberedPrompts, readingCalls, toolAgent, writeNotes } from "../support/scripts.ts";
import { skipWhere } from "../support/skip.ts";
import { Stage } from "../support/stage.ts";

const BUDGET_TOKENS = 12_000;
const PROMPTS = numberedPrompts(12);
const READ_ONLY_FROM = 1;
const WRITABLE_FROM = 7;
/** A Pi that sends nothing while it cannot store repeats the answer before. */
const ANSWERED_ON_DISK = PROMPTS.map((prompt, n) =>
  answerTo(n < WRITABLE_FROM ? (PROMPTS[READ_ONLY_FROM - 1] ?? "") : prompt),
);

for (const host of HOSTS) {
  describe(`read-only session file of the ${host.name} Pi`, () => {
    before(function () {
      skipWhere(this, modeObstacle());
    });

    it("Pi does what it does without the extension, and what goes out is paged", async () => {
      const without = await lived(host, []);
      const paged = await lived(host, ["-e", PACKAGE_DIR]);
      expect(paged.answers).to.deep.equal(without.answers);
      expect(paged.requests).to.equal(without.requests);
      expect(paged.told).to.deep.equal([]);
      expect([without.cuts, paged.cuts > 0], "cuts").to.deep.equal([0, true]);
      expect(paged.overBudget, "requests above the budget").to.deep.equal([]);
      expect(paged.unlawful).to.deep.equal([]);
      const isInMemory = host.name === "legacy";
      expect(paged.answers).to.deep.equal(isInMemory ? PROMPTS.map(answerTo) : ANSWERED_ON_DISK);
      expect(paged.cutsInMemory > 0, "cuts in memory").to.equal(isInMemory);
    });
  });
}

interface Lived {
  readonly answers: unknown[];
  readonly requests: number;
  /** How often the cut moved, in all and while the file was read-only. */
  readonly cuts: number;
  readonly cutsInMemory: number;
  readonly overBudget: number[];
  readonly unlawful: unknown[];
  readonly told: string[];
}

/** One run: the file is written, then read-only, then writable again. */
async function lived(host: PiHost, args: readonly string[]): Promise<Lived> {
  const stage = await openStage();
  const { mock } = stage;
  try {
    const session = stage.rpc(host, { args, through: MODE_BOUND });
    const before = await answersOf(session, PROMPTS.slice(0, READ_ONLY_FROM));
    const from = mock.bodies.length;
    const meanwhile = await whileReadOnly(session, PROMPTS.slice(READ_ONLY_FROM, WRITABLE_FROM));
    const inMemory = mock.bodies.slice(from);
    const after = await answersOf(session, PROMPTS.slice(WRITABLE_FROM));
    return {
      answers: [...before, ...meanwhile, ...after],
      requests: mock.requests.length,
      cuts: requestStability(mock.bodies).cuts.length,
      cutsInMemory: requestStability(inMemory).cuts.length,
      overBudget: mock.requests.map(({ tokens }) => tokens).filter((tokens) => tokens > BUDGET_TOKENS),
      unlawful: mock.unlawful.map(({ violations }) => violations),
      told: [...session.notifications.map(({ text }) => text), ...session.extensionErrors],
    };
  } finally {
    await stage.close();
  }
}

/** Answers from a time in which nothing can be stored. */
async function whileReadOnly(session: RpcSession, prompts: readonly string[]): Promise<unknown[]> {
  const { sessionFile } = (await session.call("get_state")) as { sessionFile: string };
  const stored = readFileSync(sessionFile, "utf8");
  chmodSync(sessionFile, 0o444);
  const answers = await answersOf(session, prompts);
  chmodSync(sessionFile, 0o644);
  expect(readFileSync(sessionFile, "utf8"), "a file that was not written").to.equal(stored);
  return answers;
}

async function openStage(): Promise<Stage> {
  const stage = await Stage.open({
    rules: "strict",
    script: toolAgent(readingCalls),
    paging: { tokenBudget: BUDGET_TOKENS },
  });
  writeNotes(stage.sandbox, 3_000);
  return stage;
}

/** The last answer after each prompt; a prompt that Pi refuses has its reason instead. */
async function answersOf(session: RpcSession, prompts: readonly string[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const prompt of prompts) {
    const answer = session.prompt(prompt).then(
      async () => ((await session.call("get_last_assistant_text")) as { text?: string }).text,
      (error: Error) => error.message.split("\n")[0],
    );
    answers.push(await answer);
  }
  return answers;
}

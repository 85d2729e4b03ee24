/**
 * The sample fork in the real Pis, with this package beneath it as a directory and as the packed tarball. All three of
 * its strategies show on the wire: at each cut the newest four turns stay, a cut does not split the running turn as long
 * as that fits, and where the stored history is damaged each request is cut down to half of the budget. Its own specs
 * run as its author runs them, against the same two. The strategy of README.md is the first of the three.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { damagedSession } from "../support/damaged-session.ts";
import { type Installed, installFork, packPackage, testFork } from "../support/fork-package.ts";
import type { ScriptedStep } from "../support/model-step.ts";
import { HOSTS, PACKAGE_DIR, type PiHost } from "../support/pi-hosts.ts";
import { codeBlocks } from "../support/readme-blocks.ts";
import { requestStability } from "../support/request-stability.ts";
import { numberedPrompts, readingCalls, toolAgent, writeNotes } from "../support/scripts.ts";
import { writeSessionFile } from "../support/session-files.ts";
import { Stage } from "../support/stage.ts";
import { contentText, conversation, endsWithResults, lastUserText, type WireBody } from "../support/wire.ts";

const BUDGET_TOKENS = 20_000;
const LONG_PROMPT = "Read everything, one round after the other.";
const LONG_ROUNDS = 9;
const NOTICE = "[context-paging] Notice generated";

describe("the sample fork", () => {
  let packed: Awaited<ReturnType<typeof packPackage>>;

  before(async () => {
    packed = await packPackage();
  });
  after(() => packed?.remove());

  for (const [what, installed] of Object.entries({
    "package directory": (): Installed => "directory",
    "packed tarball": (): Installed => ({ tarball: packed.tarball }),
  })) {
    it(`passes its own specs: ${what}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), "paging-fork-"));
      try {
        const printed = await testFork(await installFork(folder, installed()));
        for (const family of ["eviction", "snap", "fallback"])
          expect(printed).to.contain(`${family} conformance`);
        expect(printed).to.match(/\b\d\d passing/);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

    for (const host of HOSTS) {
      it(`keeps the newest turns: ${host.name} Pi, ${what}`, () =>
        onStage((stage) => expectNewestTurns(stage, host, installed())));

      it(`cuts between turns: ${host.name} Pi, ${what}`, () =>
        onStage(async (stage) => {
          const prompts = [...numberedPrompts(2), LONG_PROMPT];
          await converse(stage, host, { installed: installed(), prompts });
          const [cut = 0, ...others] = requestStability(stage.mock.bodies).cuts;
          expect(others, "further cuts").to.deep.equal([]);
          const body = stage.mock.bodies[cut];
          expect(userTexts(body).slice(1)).to.deep.equal([LONG_PROMPT]);
          // Two turns of two requests came before; since then each request has brought one round.
          expect(roundsIn(body), "rounds of the running turn").to.equal(cut - 4);
        }));

      it(`falls back to half of the budget: ${host.name} Pi, ${what}`, () =>
        onStage(async (stage) => {
          const file = writeSessionFile(stage.sandbox, damagedSession(20));
          const prompts = numberedPrompts(3);
          await converse(stage, host, { installed: installed(), prompts, args: ["--session", file] });
          expectAnswered(stage, prompts);
          expect(Math.max(...stage.mock.requests.map(({ tokens }) => tokens))).to.be.below(BUDGET_TOKENS / 2);
          for (const body of stage.mock.bodies) expect(userTexts(body)[0]).to.contain(NOTICE);
        }));
    }
  }
});

describe("the strategy of README.md", () => {
  const readme = readFileSync(join(PACKAGE_DIR, "README.md"), "utf8");
  const [strategy = ""] = codeBlocks(readme)
    .map(({ text }) => text)
    .filter((text) => text.includes("export default"));

  it("has at most 20 lines", () => {
    expect(strategy.trim().split("\n")).to.have.length.within(5, 20);
  });

  for (const host of HOSTS) {
    it(`keeps the newest turns: ${host.name} Pi`, () =>
      onStage((stage) => expectNewestTurns(stage, host, "directory", strategy)));
  }
});

/** At each cut the newest four turns stay. */
async function expectNewestTurns(
  stage: Stage,
  host: PiHost,
  installed: Installed,
  index?: string,
): Promise<void> {
  const prompts = numberedPrompts(20);
  await converse(stage, host, { installed, prompts, ...(index !== undefined && { index }) });
  expectAnswered(stage, prompts);
  const { cuts, breaks } = requestStability(stage.mock.bodies);
  expect(breaks, "requests that are neither a cut nor an extension").to.deep.equal([]);
  expect(cuts.length, `cuts at ${cuts}`).to.be.within(2, 8);
  for (const cut of cuts) {
    const texts = userTexts(stage.mock.bodies[cut]);
    expect(texts[0]).to.contain(NOTICE);
    expect(texts.slice(1), "the newest four turns and the new prompt").to.have.length(5);
  }
}

async function onStage(play: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await Stage.open({
    rules: "strict",
    script: agent(),
    paging: { tokenBudget: BUDGET_TOKENS },
  });
  writeNotes(stage.sandbox, 2_400);
  try {
    await play(stage);
  } finally {
    await stage.close();
  }
}

/** Answers after one round of calls, the long prompt after many. */
function agent(): ScriptedStep {
  const oneRound = toolAgent(readingCalls);
  let rounds = 0;
  return (body, n) => {
    const isLong = lastUserText(body) === LONG_PROMPT;
    if (isLong && rounds < LONG_ROUNDS) {
      rounds += 1;
      return { text: "I go on.", calls: readingCalls(n) };
    }
    return typeof oneRound === "function" ? oneRound(body, n) : oneRound;
  };
}

interface Conversation {
  readonly installed: Installed;
  readonly prompts: readonly string[];
  readonly args?: readonly string[];
  /** The extension of the fork, where it is not the sample's. */
  readonly index?: string;
}

async function converse(
  stage: Stage,
  host: PiHost,
  { installed, prompts, args = [], index }: Conversation,
): Promise<void> {
  const fork = await installFork(stage.sandbox.root, installed);
  if (index !== undefined) writeFileSync(join(fork, "index.ts"), index);
  const session = stage.rpc(host, { args: ["-e", fork, ...args] });
  for (const prompt of prompts) await session.prompt(prompt);
  expect(session.extensionErrors).to.deep.equal([]);
  expect(session.notifications).to.deep.equal([]);
  expect(session.statuses).to.deep.equal(["paging on"]);
}

function expectAnswered({ mock }: Stage, prompts: readonly string[]): void {
  const finals = mock.requests.filter(({ body }) => endsWithResults(body));
  expect(finals.map(({ body }) => lastUserText(body))).to.deep.equal(prompts);
  expect(mock.requests.filter(({ outcome }) => outcome !== "answered")).to.deep.equal([]);
  expect(mock.requests.filter(({ tokens }) => tokens > BUDGET_TOKENS)).to.deep.equal([]);
}

/** Responses after the last prompt of the user. */
function roundsIn(body: WireBody | undefined): number {
  const messages = body ? conversation(body) : [];
  const last = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(last).filter(({ role }) => role === "assistant").length;
}

/** Texts of the user, the notice among them. */
function userTexts(body: WireBody | undefined): string[] {
  const messages = body ? conversation(body) : [];
  return messages.filter(({ role }) => role === "user").map(({ content }) => contentText(content));
}

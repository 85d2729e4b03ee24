/**
 * The provider's real limit lies 25 % below the budget: every prompt is answered all the same where the host can go
 * on, and on the legacy host the user is told what to do.
 */
import { expect } from "chai";
import { damagedSession } from "../support/damaged-session.ts";
import { CURRENT, LEGACY, PACKAGE_DIR } from "../support/pi-hosts.ts";
import { printPrompts } from "../support/pi-process.ts";
import { answerTo, numberedPrompts, readingCalls, toolAgent, writeNotes } from "../support/scripts.ts";
import { writeSessionFile } from "../support/session-files.ts";
import { skipWhere } from "../support/skip.ts";
import { Stage } from "../support/stage.ts";
import { countTokens } from "../support/token-count.ts";
import { tuiObstacle } from "../support/tui-session.ts";
import { endsWithResults, lastUserText, WIRE_APIS, type WireApi } from "../support/wire.ts";

const BUDGET_TOKENS = 40_000;
const LIMIT_TOKENS = 30_000;
const PROMPTS = numberedPrompts(8);
const NOT_ANSWERED = /not answered.*again/i;

/** How the provider reacts to a request above its limit: an error, or an answer that breaks off. */
type Overflow = "refusal" | "length stop";

describe("overflow in the current Pi", () => {
  for (const overflow of ["refusal", "length stop"] as const) {
    for (const api of WIRE_APIS) {
      it(`${overflow}, ${api}, RPC mode: all prompts are answered`, () =>
        onStage(api, overflow, async (stage) => {
          const session = stage.rpc(CURRENT);
          for (const prompt of PROMPTS) {
            await session.prompt(prompt);
            expect(await session.call("get_last_assistant_text")).to.deep.equal({ text: answerTo(prompt) });
          }
          expect(session.extensionErrors).to.deep.equal([]);
          expect(session.notifications).to.deep.equal([]);
          expectAllAnswered(stage);
        }));

      it(`${overflow}, ${api}, print mode: all prompts are answered`, () =>
        onStage(api, overflow, async (stage) => {
          const run = await printPrompts(CURRENT, stage.sandbox, PROMPTS);
          expect(run.stderr).to.equal("");
          expect(run.stdout.trim()).to.equal(answerTo(PROMPTS.at(-1) ?? ""));
          expect(run.code).to.equal(0);
          expectAllAnswered(stage);
        }));
    }

    it(`${overflow}, interactive mode: all prompts are answered`, async function () {
      skipWhere(this, tuiObstacle());
      await onStage("anthropic-messages", overflow, async (stage) => {
        const tui = stage.tui(CURRENT);
        await tui.waitFor("paging on");
        for (const prompt of PROMPTS) {
          await tui.submit(prompt);
          await tui.waitFor(answerTo(prompt));
        }
        expectAllAnswered(stage);
      });
    });
  }
});

describe("overflow in the current Pi, where no cut can be remembered", () => {
  for (const overflow of ["refusal", "length stop"] as const) {
    it(`${overflow}: all prompts are answered`, () =>
      onStage("openai-completions", overflow, async (stage) => {
        const file = writeSessionFile(stage.sandbox, damagedSession(20));
        const session = stage.rpc(CURRENT, { args: ["-e", PACKAGE_DIR, "--session", file] });
        for (const prompt of PROMPTS) await session.prompt(prompt);
        expect(session.extensionErrors).to.deep.equal([]);
        expect(session.notifications).to.deep.equal([]);
        expectAllAnswered(stage);
      }));
  }
});

describe("overflow in the legacy Pi", () => {
  for (const overflow of ["refusal", "length stop"] as const)
    for (const api of WIRE_APIS) {
      it(`${overflow}, ${api}, RPC mode: the user is told, and the prompt sent again is answered`, () =>
        onStage(api, overflow, async (stage) => {
          const session = stage.rpc(LEGACY);
          let told = 0;
          for (const prompt of PROMPTS) {
            await session.prompt(prompt);
            const overflows = overflowsOf(stage);
            const notes = session.notifications;
            expect(notes.length, `notifications after ${overflows} refusals`).to.equal(overflows);
            if (overflows === told) continue;
            told = overflows;
            expect(notes.at(-1)?.level).to.equal("error");
            expect(notes.at(-1)?.text).to.match(NOT_ANSWERED);
            await session.prompt(prompt);
            expect(await session.call("get_last_assistant_text")).to.deep.equal({ text: answerTo(prompt) });
          }
          expect(session.extensionErrors).to.deep.equal([]);
          expect(told).to.be.within(1, 3);
          expectAllAnswered(stage);
        }));

      it(`${overflow}, ${api}, print mode: the user is told on stderr, and the next prompts are answered`, () =>
        onStage(api, overflow, async (stage) => {
          const run = await printPrompts(LEGACY, stage.sandbox, PROMPTS);
          const told = run.stderr.split("\n").filter((line) => line.startsWith("context-paging: "));
          expect(told.length).to.equal(overflowsOf(stage)).and.be.within(1, 3);
          for (const line of told) expect(line).to.match(NOT_ANSWERED);
          expect(answered(stage)).to.have.length(PROMPTS.length - told.length);
        }));
    }
});

describe("overflow in the legacy Pi, interactive", () => {
  for (const overflow of ["refusal", "length stop"] as const) {
    it(`${overflow}: the user is told on the screen, and the prompt sent again is answered`, async function () {
      skipWhere(this, tuiObstacle());
      await onStage("anthropic-messages", overflow, async (stage) => {
        const tui = stage.tui(LEGACY);
        await tui.waitFor("paging on");
        let told = 0;
        for (const prompt of PROMPTS) {
          await tui.submit(prompt);
          await tui.waitUntil(() => overflowsOf(stage) > told || answered(stage).includes(prompt), prompt);
          if (overflowsOf(stage) === told) continue;
          told = overflowsOf(stage);
          await tui.waitFor(NOT_ANSWERED);
          await tui.submit(prompt);
          await tui.waitUntil(() => answered(stage).includes(prompt), `an answer to ${prompt}`);
        }
        expectAllAnswered(stage);
      });
    });
  }
});

async function onStage(
  api: WireApi,
  overflow: Overflow,
  act: (stage: Stage) => Promise<void>,
): Promise<void> {
  const agent = toolAgent(readingCalls);
  const stage = await Stage.open({
    api,
    rules: "strict",
    ...(overflow === "refusal" ? { limitTokens: LIMIT_TOKENS } : {}),
    script: (body, n) => {
      const breaksOff = overflow === "length stop" && countTokens(body) > LIMIT_TOKENS;
      if (breaksOff) return { text: "This answer breaks", stop: "length" };
      return typeof agent === "function" ? agent(body, n) : agent;
    },
    paging: { tokenBudget: BUDGET_TOKENS },
  });
  writeNotes(stage.sandbox, 7_000);
  try {
    await act(stage);
    expect(stage.mock.unlawful.map((request) => request.violations)).to.deep.equal([]);
  } finally {
    await stage.close();
  }
}

/** All prompts got an answer below the limit, and the limit was really met. */
function expectAllAnswered(stage: Stage): void {
  expect(overflowsOf(stage), "requests above the limit").to.be.within(1, 3);
  expect(answered(stage)).to.deep.equal(PROMPTS);
}

function overflowsOf({ mock }: Stage): number {
  return mock.requests.filter((request) => request.tokens > LIMIT_TOKENS).length;
}

/** The prompts whose tool results got an answer. */
function answered({ mock }: Stage): string[] {
  return mock.requests
    .filter((request) => request.tokens <= LIMIT_TOKENS && endsWithResults(request.body))
    .map((request) => lastUserText(request.body));
}

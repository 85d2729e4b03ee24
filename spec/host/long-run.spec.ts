/** A long agent run in the real Pis: within the budget at every request, and stable between two cuts. */
import { expect } from "chai";
import { HOSTS, type PiHost } from "../support/pi-hosts.ts";
import { printPrompts } from "../support/pi-process.ts";
import { requestStability } from "../support/request-stability.ts";
import { answerTo, numberedPrompts, readingCalls, toolAgent, writeNotes } from "../support/scripts.ts";
import { Stage, type StageOptions } from "../support/stage.ts";
import {
  conversationTexts,
  endsWithResults,
  lastUserText,
  WIRE_APIS,
  type WireApi,
  type WireBody,
} from "../support/wire.ts";

const BUDGET_TOKENS = 40_000;
const PROMPTS = numberedPrompts(40);

/** How the prompts get into Pi; returns the last answer as Pi shows it. */
type Drive = (host: PiHost, stage: Stage) => Promise<string>;

const DRIVES: Readonly<Record<string, Drive>> = {
  "RPC mode": async (host, stage) => {
    const session = stage.rpc(host);
    for (const prompt of PROMPTS) await session.prompt(prompt);
    expect(session.extensionErrors).to.deep.equal([]);
    const last = (await session.call("get_last_assistant_text")) as { text: string };
    return last.text;
  },
  "print mode": async (host, stage) => {
    const run = await printPrompts(host, stage.sandbox, PROMPTS, { args: ["--no-session"] });
    expect(run.stderr).to.equal("");
    return run.stdout.trim();
  },
  "a session in this process": async (host, stage) => {
    const { session, prompt, errors } = await stage.sdk(host);
    for (const text of PROMPTS) await prompt(text);
    expect(errors).to.deep.equal([]);
    return session.getLastAssistantText() ?? "";
  },
};

for (const host of HOSTS) {
  for (const api of WIRE_APIS) {
    for (const [mode, drive] of Object.entries(DRIVES)) {
      it(`long run: ${host.name} Pi, ${api}, ${mode}`, async () => {
        const stage = await openStage(api);
        try {
          const shown = await drive(host, stage);
          expect(shown).to.contain(
            JSON.stringify(answerTo(PROMPTS.at(-1) ?? ""))
              .slice(1, -1)
              .slice(0, 20),
          );
          expectAllAnswered(stage);
          expectLegalAndWithinBudget(stage);
          expectStable(stage);
        } finally {
          await stage.close();
        }
      });
    }
  }
}

for (const host of HOSTS) {
  for (const api of WIRE_APIS) {
    it(`long run: ${host.name} Pi, ${api}, what is kept is what Pi sends without paging`, async () => {
      const whole = await bodiesOf(host, api, { enabled: false });
      const paged = await bodiesOf(host, api, { tokenBudget: BUDGET_TOKENS });
      expect(paged).to.have.length(whole.length);
      expect(requestStability(paged).cuts.length, "cuts").to.be.above(1);
      paged.forEach((body, n) => {
        const all = conversationTexts(whole[n] ?? body);
        const sent = conversationTexts(body);
        const kept = sent[0] === all[0] ? sent : sent.slice(1);
        expect(kept, `request ${n}`).to.deep.equal(all.slice(all.length - kept.length));
      });
    });
  }
}

for (const host of HOSTS) {
  for (const api of WIRE_APIS) {
    it(`long run: ${host.name} Pi, ${api}, one prompt of 60 rounds`, async () => {
      const task = "Work through all notes.";
      const stage = await Stage.open({
        api,
        rules: "strict",
        script: (_body, n) => (n < 60 ? { calls: readingCalls(n) } : { text: answerTo(task) }),
        paging: { tokenBudget: BUDGET_TOKENS },
      });
      writeNotes(stage.sandbox, 3_000);
      try {
        const { session, prompt, errors } = await stage.sdk(host);
        await prompt(task);
        expect(session.getLastAssistantText()).to.equal(answerTo(task));
        expect(errors).to.deep.equal([]);
        expect(stage.mock.bodies.map(lastUserText)).to.deep.equal(Array(61).fill(task));
        expectLegalAndWithinBudget(stage);
        expectStable(stage);
      } finally {
        await stage.close();
      }
    });
  }
}

async function bodiesOf(host: PiHost, api: WireApi, paging: StageOptions["paging"]): Promise<WireBody[]> {
  const stage = await openStage(api, paging);
  try {
    const { prompt } = await stage.sdk(host);
    for (const text of PROMPTS.slice(0, 24)) await prompt(text);
    return stage.mock.bodies;
  } finally {
    await stage.close();
  }
}

async function openStage(
  api: WireApi,
  paging: StageOptions["paging"] = { tokenBudget: BUDGET_TOKENS },
): Promise<Stage> {
  const stage = await Stage.open({
    api,
    rules: "strict",
    script: toolAgent(readingCalls),
    paging,
    // Without paging all of it must fit, so that Pi does not compact.
    model: { contextWindow: 400_000 },
  });
  writeNotes(stage.sandbox, 4_000);
  return stage;
}

function expectAllAnswered({ mock }: Stage): void {
  const finals = mock.requests.filter((request) => endsWithResults(request.body));
  expect(finals.map((request) => lastUserText(request.body))).to.deep.equal(PROMPTS);
  expect(mock.requests.map((request) => request.outcome)).to.deep.equal(
    Array(2 * PROMPTS.length).fill("answered"),
  );
}

function expectLegalAndWithinBudget({ mock }: Stage): void {
  expect(mock.unlawful.map((request) => request.violations)).to.deep.equal([]);
  const over = mock.requests.filter((request) => request.tokens > BUDGET_TOKENS);
  expect(over.map((request) => [request.n, request.tokens])).to.deep.equal([]);
}

function expectStable({ mock }: Stage): void {
  const { cuts, breaks } = requestStability(mock.bodies);
  expect(breaks, "requests that are neither a cut nor an extension").to.deep.equal([]);
  // 120 000 to 140 000 tokens pass; the first cut comes at 40 000, and each frees 15 000.
  expect(cuts.length, `cuts at ${cuts}`).to.be.within(2, 10);
}

/**
 * Session files that Pi itself can continue are continued with paging on: every prompt is answered, every request is
 * legal, and what the file held before stays as it was, byte for byte.
 */
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { HOSTS, type PiHost } from "../support/pi-hosts.ts";
import { prose } from "../support/prose.ts";
import { type RequestStability, requestStability } from "../support/request-stability.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { numberedPrompts, toolAgent } from "../support/scripts.ts";
import { copySessionFile, writeSessionFile } from "../support/session-files.ts";
import { SESSION_SHAPES } from "../support/session-shapes.ts";
import { skipWhere } from "../support/skip.ts";
import { Stage } from "../support/stage.ts";
import { storedSessions } from "../support/stored-sessions.ts";
import { conversationTexts, endsWithResults, lastUserText } from "../support/wire.ts";

/** Each prompt reads 4 000 characters: with the small budget the cut passes over all that the file held. */
const PROMPTS = numberedPrompts(8);
const DEFAULT_BUDGET_TOKENS = 128_000;
const SMALL_BUDGET_TOKENS = 8_000;

interface Continuation {
  /** The prompts that were answered. */
  readonly answers: readonly string[];
  /** Kinds of rule violations, without the place. */
  readonly violations: readonly string[];
  readonly errors: readonly string[];
  readonly notes: readonly string[];
  readonly tokens: readonly number[];
  /** The messages of each request. */
  readonly conversations: readonly (readonly string[])[];
  readonly stability: RequestStability;
  readonly before: Buffer;
  readonly after: Buffer;
}

type PlaceFile = (sandbox: Sandbox) => string;

for (const host of HOSTS) {
  describe(`sessions continued in the ${host.name} Pi`, () => {
    for (const [name, entries] of Object.entries(SESSION_SHAPES)) {
      it(`generated: ${name}`, async () => {
        const placeFile: PlaceFile = (sandbox) => writeSessionFile(sandbox, entries());
        const alone = await proceed(host, placeFile, "alone");
        expect(alone.answers, "what Pi answers alone").to.deep.equal(PROMPTS);
        await expectContinued(host, placeFile, alone);
      });
    }

    const stored = storedSessions();
    if (stored.length === 0) {
      it("stored files", function () {
        skipWhere(this, "there is no folder of stored sessions beside this repository");
      });
    }
    for (const { name, file } of stored) {
      it(`stored: ${name}`, async function () {
        const placeFile: PlaceFile = (sandbox) => copySessionFile(sandbox, file);
        const alone = await proceed(host, placeFile, "alone");
        const isContinued = alone.answers.join() === PROMPTS.join();
        skipWhere(this, isContinued ? undefined : "this Pi cannot continue it on its own");
        await expectContinued(host, placeFile, alone);
      });
    }
  });
}

async function expectContinued(host: PiHost, placeFile: PlaceFile, alone: Continuation): Promise<void> {
  const byDefault = await proceed(host, placeFile, { tokenBudget: DEFAULT_BUDGET_TOKENS });
  expectFaithful(byDefault, alone, DEFAULT_BUDGET_TOKENS);
  const small = await proceed(host, placeFile, { tokenBudget: SMALL_BUDGET_TOKENS });
  expectFaithful(small, alone, SMALL_BUDGET_TOKENS);
  expect(small.stability.cuts.length, "cuts of the small budget").to.be.within(1, PROMPTS.length);
}

function expectFaithful(paged: Continuation, alone: Continuation, budgetTokens: number): void {
  const label = `budget ${budgetTokens}`;
  expect(paged.errors, `${label}: extension errors`).to.deep.equal([]);
  expect(paged.notes, `${label}: notifications`).to.deep.equal([]);
  expect(paged.answers, `${label}: answered prompts`).to.deep.equal(PROMPTS);
  expect(paged.violations.filter(isPairing), `${label}: broken pairs`).to.deep.equal([]);
  expect(alone.violations, `${label}: violations that Pi alone does not make`).to.include.members(
    paged.violations,
  );
  expect(Math.max(...paged.tokens), `${label}: largest request`).to.be.at.most(budgetTokens);
  paged.conversations.forEach((sent, n) => {
    const [notice, ...kept] = invented(sent, alone.conversations[n] ?? []);
    expect(kept, `${label}: messages of request ${n} that Pi did not send`).to.deep.equal([]);
    if (notice !== undefined) expect(notice, `${label}: request ${n}`).to.equal(sent[0]);
  });
  const { breaks } = paged.stability;
  expect(breaks, `${label}: requests that are neither a cut nor an extension`).to.deep.equal([]);
  const kept = paged.after.subarray(0, paged.before.length);
  expect(kept.equals(paged.before), `${label}: old bytes kept`).to.equal(true);
  expect(paged.after.length, `${label}: new entries`).to.be.above(paged.before.length);
}

/** Opens a copy of the file and sends the prompts. */
async function proceed(
  host: PiHost,
  placeFile: PlaceFile,
  paging: { readonly tokenBudget: number } | "alone",
): Promise<Continuation> {
  const stage = await Stage.open({
    script: toolAgent(() => [{ name: "read", args: { path: "notes.txt" } }]),
    model: { contextWindow: 1_000_000 },
    ...(paging === "alone" ? {} : { paging }),
  });
  try {
    stage.sandbox.write("notes.txt", prose(1, 4_000));
    const sessionFile = placeFile(stage.sandbox);
    const before = readFileSync(sessionFile);
    const session = await stage.sdk(host, { sessionFile, ...(paging === "alone" ? { factories: [] } : {}) });
    for (const text of PROMPTS) await session.prompt(text);
    const { bodies, requests } = stage.mock;
    return {
      answers: bodies.filter(endsWithResults).map(lastUserText),
      violations: [...new Set(requests.flatMap((request) => request.violations).map(withoutPlace))],
      errors: session.errors,
      notes: session.ui.notifications.map((note) => note.text),
      tokens: requests.map((request) => request.tokens),
      conversations: bodies.map(conversationTexts),
      stability: requestStability(bodies),
      before,
      after: readFileSync(sessionFile),
    };
  } finally {
    await stage.close();
  }
}

/** The messages that are not among those that Pi sends alone, each counted as often as it occurs. */
function invented(sent: readonly string[], alone: readonly string[]): string[] {
  const left = [...alone];
  return sent.filter((text) => {
    const index = left.indexOf(text);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

function withoutPlace(violation: string): string {
  return violation.replace(/^messages\.\d+: /, "").replace(/(call|result) \S+/, "$1");
}

/** Violations about calls and results, which paging must never let through; not those about empty texts. */
function isPairing(violation: string): boolean {
  return /call|result/.test(violation);
}

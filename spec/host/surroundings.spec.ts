/** Bad surroundings: session files that go away, second owners, other extensions that spoil requests, odd settings. */
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { HOSTS, PACKAGE_DIR } from "../support/pi-hosts.ts";
import { requestStability } from "../support/request-stability.ts";
import type { RpcSession } from "../support/rpc-session.ts";
import { MODEL_ID, PROVIDERS, type Sandbox } from "../support/sandbox.ts";
import {
  answerTo,
  echoAgent,
  numberedPrompts,
  readingCalls,
  toolAgent,
  writeNotes,
} from "../support/scripts.ts";
import { Stage, type StageOptions } from "../support/stage.ts";

const BUDGET_TOKENS = 12_000;
const PROMPTS = numberedPrompts(6);
/** Broken settings also hide the default model. */
const MODEL_ARGS = ["--provider", PROVIDERS["openai-completions"], "--model", MODEL_ID];

/** The texts of INVALID_MESSAGE_STRUCTURE. */
const STRUCTURE_ERROR =
  /^The request (breaks the pairing of tool calls and results|holds (no messages|something))/;

const OWNER_OF_SEARCH = `
export default (pi) => pi.registerTool({
  name: "search_history",
  label: "Other",
  description: "Another tool of this name",
  parameters: { type: "object", properties: {} },
  execute: async () => ({ content: [{ type: "text", text: "other" }], details: {} }),
});
`;

const ADDS_NULL = "adds null";

const SPOILERS: Readonly<Record<string, string>> = {
  throws: `throw new Error("spoiler")`,
  "empties the list": "return { messages: [] }",
  "repeats the list": "return { messages: [...event.messages, ...event.messages] }",
  "repeats each message": "return { messages: event.messages.flatMap((message) => [message, message]) }",
  "reverses the list": "return { messages: event.messages.toReversed() }",
  "drops the results": `return { messages: event.messages.filter(({ role }) => role !== "toolResult") }`,
  [ADDS_NULL]: "return { messages: [...event.messages, null] }",
};

const ODD_SETTINGS: readonly (readonly [string, string, string, string | undefined])[] = [
  ["null alone", "null", "paging off", "error"],
  ["a list alone", "[1, 2]", "paging off", "error"],
  ["contextPaging null", JSON.stringify({ contextPaging: null }), "paging on", "warning"],
  ["contextPaging a list", JSON.stringify({ contextPaging: [{ enabled: false }] }), "paging on", "warning"],
  [
    "lists and null as values",
    JSON.stringify({ contextPaging: { enabled: null, tokenBudget: [9_000], modelOverrides: [null] } }),
    "paging on",
    "warning",
  ],
  [
    "ten megabytes",
    JSON.stringify({ padding: "x".repeat(10_000_000), contextPaging: { tokenBudget: 20_000 } }),
    "paging on",
    undefined,
  ],
  [
    "a value of one megabyte",
    JSON.stringify({ contextPaging: { tokenBudget: "9".repeat(1_000_000) } }),
    "paging on",
    "warning",
  ],
];

for (const host of HOSTS) {
  describe(`surroundings of the ${host.name} Pi`, () => {
    it("no session file: paging works", () =>
      onStage(async (stage) => {
        const session = stage.rpc(host, { args: ["-e", PACKAGE_DIR, "--no-session"] });
        await expectPaged(stage, session);
        const [note] = await session.command("/context-paging stats");
        expect(note?.text).to.contain("unavailable");
        expectQuiet(session);
      }));

    for (const [what, spoil] of Object.entries({
      vanished: (file: string) => rmSync(file, { force: true }),
      "replaced by a folder": (file: string) => {
        rmSync(file, { force: true });
        mkdirSync(file);
      },
    })) {
      it(`session file ${what} in mid-run: Pi does what it does without the extension`, () =>
        onStage(async (stage) => {
          const plain = await lifeAfter(stage, stage.rpc(host, { args: [] }), spoil);
          const session = stage.rpc(host);
          const paged = await lifeAfter(stage, session, spoil);
          expect(paged).to.deep.equal(plain);
          expect(session.extensionErrors).to.deep.equal([]);
        }));
    }

    it("a second copy of the extension: one message, every prompt is answered", () =>
      onStage(async (stage) => {
        const copy = copyPackage(stage.sandbox);
        const session = stage.rpc(host, { args: ["-e", PACKAGE_DIR, "-e", copy] });
        await expectPaged(stage, session);
        expect(session.extensionErrors).to.deep.equal([]);
        expect(session.notifications.map(({ level }) => level)).to.deep.equal(["warning"]);
        expect(session.notifications[0]?.text).to.contain("installed twice");
      }));

    it("another owner of search_history: one warning, every prompt is answered", () =>
      onStage(async (stage) => {
        const other = writeExtension(stage.sandbox, OWNER_OF_SEARCH);
        const session = stage.rpc(host, { args: ["-e", PACKAGE_DIR, "-e", other] });
        await expectPaged(stage, session);
        expect(session.extensionErrors).to.deep.equal([]);
        expect(session.notifications.map(({ level }) => level)).to.deep.equal(["warning"]);
        expect(session.notifications[0]?.text).to.contain("search_history");
      }));

    for (const [what, body] of Object.entries(SPOILERS)) {
      // The current Pi stumbles over it itself, before it asks this extension, and reports that.
      if (what === ADDS_NULL && host.name === "current") continue;

      it(`another extension whose context handler ${what}: a legal request or a coded error`, () =>
        onStage(async (stage) => {
          const other = writeExtension(stage.sandbox, handlerOf(body));
          const session = stage.rpc(host, { args: ["-e", other, "-e", PACKAGE_DIR] });
          for (const prompt of PROMPTS.slice(0, 4)) {
            const before = reports(session).length;
            await session.prompt(prompt);
            const { text } = (await session.call("get_last_assistant_text")) as { text?: string };
            const isTold = reports(session).length > before;
            expect(text === answerTo(prompt) || isTold, "answered, or the user is told").to.equal(true);
          }
          expectOnlyCodedErrors(session, other);
          expect(stage.mock.unlawful.map(({ violations }) => violations)).to.deep.equal([]);
        }));

      it(`another extension behind this one whose context handler ${what}: no error of this one`, () =>
        onStage(async (stage) => {
          const other = writeExtension(stage.sandbox, handlerOf(body));
          const session = stage.rpc(host, { args: ["-e", PACKAGE_DIR, "-e", other] });
          for (const prompt of PROMPTS.slice(0, 3)) await session.prompt(prompt);
          expectOnlyCodedErrors(session, other);
          const notes = await session.command("/context-paging");
          expect(notes.map(({ level }) => level)).to.deep.equal(["info"]);
        }));
    }

    it("session replaced while a tool runs: the new session is answered", () =>
      onStage(
        async (stage) => {
          const session = stage.rpc(host);
          session.prompt("Sleep.").catch(() => {});
          await session.waitUntil(
            () => session.events.some(({ type }) => type === "tool_execution_start"),
            "start of a tool",
          );
          await session.call("new_session");
          await session.prompt("Are you there?");
          expect(await session.call("get_last_assistant_text")).to.deep.equal({
            text: answerTo("Are you there?"),
          });
          expect(stage.mock.unlawful).to.deep.equal([]);
          expectQuiet(session);
        },
        {
          script: (body, n) =>
            n === 0
              ? { text: "I sleep.", calls: [{ name: "bash", args: { command: "sleep 20" } }] }
              : typeof echoAgent === "function"
                ? echoAgent(body, n)
                : echoAgent,
        },
      ));

    for (const [what, settingsText, state, level] of ODD_SETTINGS) {
      it(`settings.json with ${what}: ${state}, and the prompt is answered`, () =>
        onStage(
          async (stage) => {
            const session = stage.rpc(host, { args: ["-e", PACKAGE_DIR, ...MODEL_ARGS] });
            await session.waitUntil(() => session.statuses.length > 0, "a footer status");
            await session.prompt("Are you there?");
            expect(await session.call("get_last_assistant_text")).to.deep.equal({
              text: answerTo("Are you there?"),
            });
            expect(session.statuses).to.deep.equal([state]);
            const told = [
              ...session.notifications.map((note) => note.level),
              ...session.extensionErrors.map(() => "error"),
            ];
            expect(told).to.deep.equal(level === undefined ? [] : [level]);
          },
          { settingsText, script: echoAgent },
        ));
    }
  });
}

/** What the user is told by the extension or by Pi. */
function reports(session: RpcSession): readonly string[] {
  return [...session.notifications.map(({ text }) => text), ...session.extensionErrors];
}

function expectOnlyCodedErrors(session: RpcSession, other: string): void {
  for (const { text } of session.notifications) expect(text).to.match(STRUCTURE_ERROR);
  const errors = session.events.filter(({ type }) => type === "extension_error");
  expect(errors.filter(({ extensionPath }) => extensionPath !== other)).to.deep.equal([]);
}

function handlerOf(body: string): string {
  return `export default (pi) => pi.on("context", (event) => { ${body}; });\n`;
}

function writeExtension(sandbox: Sandbox, text: string): string {
  const file = join(sandbox.root, "other-extension.ts");
  writeFileSync(file, text);
  return file;
}

/** The package in another place, as if it were installed twice. */
function copyPackage(sandbox: Sandbox): string {
  const copy = join(sandbox.root, "copy");
  mkdirSync(copy);
  cpSync(join(PACKAGE_DIR, "lib"), join(copy, "lib"), { recursive: true });
  cpSync(join(PACKAGE_DIR, "package.json"), join(copy, "package.json"));
  symlinkSync(join(PACKAGE_DIR, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** What Pi answers to two prompts once its session file is spoilt. */
async function lifeAfter(stage: Stage, session: RpcSession, spoil: (file: string) => void): Promise<unknown> {
  await session.prompt("Before.");
  const { sessionFile } = (await session.call("get_state")) as { sessionFile: string };
  spoil(sessionFile);
  const from = stage.mock.requests.length;
  const outcomes: string[] = [];
  for (const prompt of ["After.", "Later."]) {
    const outcome = await session.prompt(prompt).then(
      () => session.call("get_last_assistant_text"),
      (error: Error) => error.message.split("\n")[0],
    );
    outcomes.push(JSON.stringify(outcome));
  }
  return { outcomes, requests: stage.mock.requests.length - from };
}

async function expectPaged({ mock }: Stage, session: RpcSession): Promise<void> {
  for (const prompt of PROMPTS) {
    await session.prompt(prompt);
    expect(await session.call("get_last_assistant_text")).to.deep.equal({ text: answerTo(prompt) });
  }
  expect(requestStability(mock.bodies).cuts.length, "cuts").to.be.above(0);
  expect(mock.unlawful.map(({ violations }) => violations)).to.deep.equal([]);
  expect(mock.requests.filter(({ tokens }) => tokens > BUDGET_TOKENS)).to.deep.equal([]);
}

function expectQuiet(session: RpcSession): void {
  expect(session.extensionErrors).to.deep.equal([]);
  expect(session.notifications.filter(({ level }) => level !== "info")).to.deep.equal([]);
}

async function onStage(act: (stage: Stage) => Promise<void>, options: StageOptions = {}): Promise<void> {
  const stage = await Stage.open({
    rules: "strict",
    script: toolAgent(readingCalls),
    paging: { tokenBudget: BUDGET_TOKENS },
    ...options,
  });
  writeNotes(stage.sandbox, 3_000);
  try {
    await act(stage);
  } finally {
    await stage.close();
  }
}

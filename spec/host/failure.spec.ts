/** What goes wrong is said once and clearly, sends nothing by accident and writes nothing. */
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { HOSTS, PACKAGE_DIR } from "../support/pi-hosts.ts";
import { printPrompts } from "../support/pi-process.ts";
import { prose } from "../support/prose.ts";
import { MODEL_ID, PROVIDERS } from "../support/sandbox.ts";
import { answerTo, echoAgent } from "../support/scripts.ts";
import { Stage, type StageOptions } from "../support/stage.ts";

const ON = "Context paging is on for this session.";
const BROKEN_JSON = '{ "contextPaging": { "tokenBudget": 9000, } }\n';
/** Broken settings also hide the default model. */
const MODEL_ARGS = ["--provider", PROVIDERS["openai-completions"], "--model", MODEL_ID];

for (const host of HOSTS) {
  describe(`failures in the ${host.name} Pi`, () => {
    it("settings.json that cannot be parsed: paging is off, the error is shown once, the file is kept", () =>
      onStage({ settingsText: BROKEN_JSON }, async (stage) => {
        const session = stage.rpc(host, { args: ["-e", PACKAGE_DIR, ...MODEL_ARGS] });
        await session.waitUntil(() => session.statuses.length > 0, "a footer status");
        await session.prompt("Are you there?");
        expect(session.statuses).to.deep.equal(["paging off"]);
        expect(session.extensionErrors, "errors that Pi reports").to.have.length(1);
        const [error = ""] = session.extensionErrors;
        expect(error).to.contain("settings.json");
        expect(await session.call("get_last_assistant_text")).to.deep.equal({
          text: answerTo("Are you there?"),
        });

        const notes = await session.command("/context-paging on");
        expect(notes.map((note) => note.level)).to.deep.equal(["error"]);
        expect(error).to.contain(notes[0]?.text);
        expect(session.statuses.at(-1)).to.equal("paging off");
        expect(session.extensionErrors).to.have.length(1);
        expect(readFileSync(stage.sandbox.settingsFile, "utf8")).to.equal(BROKEN_JSON);
      }));

    it("settings.json that cannot be parsed, print mode: one error, the prompt is answered", () =>
      onStage({ settingsText: BROKEN_JSON }, async (stage) => {
        const run = await printPrompts(host, stage.sandbox, ["Are you there?"], { args: MODEL_ARGS });
        expect(run.stdout.trim()).to.equal(answerTo("Are you there?"));
        expect(run.stderr.match(/Extension error/g)).to.have.length(1);
        expect(readFileSync(stage.sandbox.settingsFile, "utf8")).to.equal(BROKEN_JSON);
      }));

    it("invalid values: one warning names each of them, and paging is on with the defaults", () =>
      onStage({ paging: { enabled: "yes", tokenBudget: "many", trimToTokens: -1 } }, async (stage) => {
        const before = readFileSync(stage.sandbox.settingsFile, "utf8");
        const session = stage.rpc(host);
        await session.waitUntil(() => session.notifications.length > 0, "a warning");
        const notes = await session.command("/context-paging");
        expect(notes.map((note) => note.text)).to.deep.equal([ON]);
        await session.prompt("Are you there?");
        const warnings = session.notifications.filter((note) => note.level === "warning");
        expect(warnings).to.have.length(1);
        for (const part of ["enabled", "yes", "tokenBudget", "many", "trimToTokens", "-1"]) {
          expect(warnings[0]?.text).to.contain(part);
        }
        expect(session.extensionErrors).to.deep.equal([]);
        expect(readFileSync(stage.sandbox.settingsFile, "utf8")).to.equal(before);
      }));

    const hugePrompt = prose(1, 48_000);

    it("a prompt above the budget: an error, no request, and the next prompt is answered", () =>
      onStage({ paging: { tokenBudget: 8_000 } }, async (stage) => {
        const session = stage.rpc(host);
        await session.prompt("Before.");
        const requests = stage.mock.requests.length;
        await session.prompt(hugePrompt);
        expect(stage.mock.requests, "requests").to.have.length(requests);
        expect(session.notifications.map((note) => note.level)).to.deep.equal(["error"]);
        expect(session.notifications[0]?.text).to.contain("Resident and retained request estimate");

        await session.prompt("After.");
        expect(await session.call("get_last_assistant_text")).to.deep.equal({ text: answerTo("After.") });
        expect(session.notifications).to.have.length(1);
        expect(session.extensionErrors).to.deep.equal([]);
        expect(stage.mock.unlawful).to.deep.equal([]);
      }));

    it("a prompt above the budget, print mode: one line on stderr, no request", () =>
      onStage({ paging: { tokenBudget: 8_000 } }, async (stage) => {
        const run = await printPrompts(host, stage.sandbox, [hugePrompt]);
        expect(stage.mock.requests).to.deep.equal([]);
        const own = run.stderr.split("\n").filter((line) => line.startsWith("context-paging: "));
        expect(own).to.have.length(1);
        expect(own[0]).to.contain("Resident and retained request estimate");
      }));

    it("a prompt and tools above the budget on their own: the resident error, no request", () =>
      onStage({ paging: { tokenBudget: 500 } }, async (stage) => {
        const session = stage.rpc(host);
        await session.prompt("Are you there?");
        expect(stage.mock.requests).to.deep.equal([]);
        expect(session.notifications.map((note) => note.level)).to.deep.equal(["error"]);
        expect(session.notifications[0]?.text).to.contain("Resident input estimate");
      }));
  });
}

async function onStage(options: StageOptions, act: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await Stage.open({ rules: "strict", script: echoAgent, ...options });
  try {
    await act(stage);
  } finally {
    await stage.close();
  }
}

/**
 * The model gets back what has left the window, with the tools of the extension beside Pi's own in one batch. Both
 * hosts, in RPC and print mode; the tools are offered from the first request on.
 */
import { expect } from "chai";
import type { ModelStep, ScriptedStep } from "../support/model-step.ts";
import { HOSTS, type PiHost } from "../support/pi-hosts.ts";
import { printPrompts } from "../support/pi-process.ts";
import { answerTo, numberedPrompts, readingCalls, toolAgent } from "../support/scripts.ts";
import { Stage } from "../support/stage.ts";
import {
  contentText,
  conversation,
  lastUserText,
  openingText,
  WIRE_APIS,
  type WireBody,
} from "../support/wire.ts";

const SECRET = "The launch code of the lighthouse is kingfisher-4711.";
const RECALL = "What was the code of the lighthouse?";
const PROMPTS = [SECRET, ...numberedPrompts(12), RECALL];
const TOOLS = ["search_history", "browse_history", "load_history", "read_context_output"];

const DRIVES: Readonly<Record<string, (host: PiHost, stage: Stage) => Promise<void>>> = {
  "RPC mode": async (host, stage) => {
    const session = stage.rpc(host);
    for (const prompt of PROMPTS) await session.prompt(prompt);
    expect(session.extensionErrors).to.deep.equal([]);
    expect(session.notifications).to.deep.equal([]);
  },
  "print mode": async (host, stage) => {
    const run = await printPrompts(host, stage.sandbox, PROMPTS);
    expect(run.stderr).to.equal("");
    expect(run.code).to.equal(0);
  },
};

for (const host of HOSTS) {
  for (const api of WIRE_APIS) {
    for (const [mode, drive] of Object.entries(DRIVES)) {
      it(`recovery: ${host.name} Pi, ${api}, ${mode}`, async () => {
        let calls: ReturnType<typeof readingCalls> = () => [];
        const working = toolAgent((n) => calls(n));
        const recalling = recallAgent();
        const stage = await Stage.open({
          api,
          rules: "strict",
          script: (body, n) => stepOf(lastUserText(body) === RECALL ? recalling : working, body, n),
          paging: { tokenBudget: 12_000 },
        });
        calls = readingCalls(stage.sandbox, 4_000);
        try {
          await drive(host, stage);
          const { bodies, unlawful } = stage.mock;
          expect(unlawful.map((request) => request.violations)).to.deep.equal([]);
          for (const name of TOOLS) expect(JSON.stringify(bodies[0]?.tools)).to.contain(`"${name}"`);
          const [asking, searched, loaded, paged] = bodies.slice(-4).map(withoutPrompt);
          expect(asking, "before the search").not.to.contain("kingfisher");
          expect(searched, "after the search").to.contain("kingfisher");
          expect(loaded, "after the load").to.contain(SECRET);
          expect(paged, "after the page").to.contain("nextOffset");
        } finally {
          await stage.close();
        }
      });
    }
  }
}

function stepOf(script: ScriptedStep, body: WireBody, n: number): ModelStep | Promise<ModelStep> {
  return typeof script === "function" ? script(body, n) : script;
}

/** Searches beside two tools of Pi, loads the best hit, reads a page by the example of the notice, and answers. */
function recallAgent(): ScriptedStep {
  let requests = 0;
  return (body) => {
    requests += 1;
    switch (requests) {
      case 1:
        return {
          calls: [
            { name: "read", args: { path: "notes-0.txt" } },
            { name: "search_history", args: { query: "lighthouse code" } },
            { name: "bash", args: { command: "echo beside" } },
            { name: "browse_history", args: { direction: "backward" } },
          ],
        };
      case 2:
        return { calls: [{ name: "load_history", args: { historyIds: [bestHit(body)] } }] };
      case 3:
        return { calls: [{ name: "read_context_output", args: noticeExample(body) }] };
      default:
        return { text: answerTo(RECALL) };
    }
  };
}

function withoutPrompt(body: WireBody): string {
  return conversation(body)
    .map((message) => contentText(message.content))
    .join("\n");
}

function bestHit(body: WireBody): string {
  return /"references":\[\{"historyId":"([^"]+)"/.exec(withoutPrompt(body))?.[1] ?? "no reference found";
}

function noticeExample(body: WireBody): Record<string, unknown> {
  const json = /read_context_output\((\{.*?\})\)/.exec(openingText(body))?.[1] ?? "{}";
  return JSON.parse(json) as Record<string, unknown>;
}

/**
 * Records what a user sees in the interactive mode of both real Pis, as text, in docs/captures/: the answers of the
 * command, the rows of the recovery tools, and the error when a budget is too small. The model is the specs' own, on the
 * loopback interface. `npm run captures`
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { billsOf } from "../demo/bill.ts";
import type { ScriptedStep } from "../spec/support/model-step.ts";
import { HOSTS, PACKAGE_DIR, type PiHost } from "../spec/support/pi-hosts.ts";
import { calling, type RecallSteps, recallOn } from "../spec/support/recalling-model.ts";
import { numberedPrompts, readingCalls, toolAgent, writeNotes } from "../spec/support/scripts.ts";
import { Stage } from "../spec/support/stage.ts";
import { type TuiSession, tuiObstacle } from "../spec/support/tui-session.ts";
import type { WireBody } from "../spec/support/wire.ts";

const FOLDER = join(import.meta.dirname, "captures");
const COMMANDS: Readonly<Record<string, RegExp>> = {
  status: /Context paging is on for this session\./,
  stats: /Hit rate +\d+%/,
  window: /Cut log\n(.*advance.*\n?)+/,
};

/** What the model does when it is asked to recall: a search with hits, and a call that fails. */
const RECALL: RecallSteps = [
  () => calling({ name: "search_history", args: { query: "compare the notes" } }),
  () => calling({ name: "load_history", args: { historyIds: ["nowhere"] } }),
  () => ({ text: "Both are done." }),
];

/** The provider caches prompts, and counts with a tokenizer of its own. */
function cachingProvider(script: ScriptedStep): ScriptedStep {
  const bodies: WireBody[] = [];
  return async (body, n) => {
    bodies.push(body);
    const bill = billsOf(bodies).at(-1);
    const step = typeof script === "function" ? await script(body, n) : script;
    const usage = bill && {
      input: bill.inputTokens,
      cacheRead: bill.readTokens,
      cacheWrite: bill.writtenTokens,
    };
    return { ...step, ...(usage && { usage }) };
  };
}

async function capture(host: PiHost): Promise<void> {
  const script = cachingProvider(recallOn("RECALL", RECALL, toolAgent(readingCalls)));
  const stage = await Stage.open({ script, paging: { tokenBudget: 12_000 }, api: "anthropic-messages" });
  writeNotes(stage.sandbox, 3_000);
  try {
    const tui = stage.tui(host);
    await tui.waitFor(/paging on$/);
    for (const prompt of numberedPrompts(8)) await answered(tui, stage, prompt);
    for (const [name, shown] of Object.entries(COMMANDS)) {
      await tui.submit(`/context-paging ${name}`);
      await tui.waitFor(shown);
      await save(host, name, tui, stage);
    }
    await tui.submit("RECALL what was compared.");
    await tui.waitFor("Both are done.");
    await save(host, "recovery", tui, stage);
  } finally {
    await stage.close();
  }
}

async function captureError(host: PiHost): Promise<void> {
  const stage = await Stage.open({ paging: { tokenBudget: 1_000 } });
  try {
    const tui = stage.tui(host);
    await tui.waitFor(/paging on$/);
    await tui.submit("Are you there?");
    await tui.waitFor("Operation aborted");
    await tui.waitFor("Resident input estimate");
    await save(host, "error", tui, stage);
  } finally {
    await stage.close();
  }
}

async function save(host: PiHost, name: string, tui: TuiSession, stage: Stage): Promise<void> {
  await tui.waitFor(/paging on$/); // The footer is drawn last.
  writeFileSync(join(FOLDER, `${host.name}-${name}.txt`), `${withoutPaths(tui.screen, stage)}\n`);
}

async function answered(tui: TuiSession, stage: Stage, prompt: string): Promise<void> {
  const requests = stage.mock.requests.length;
  await tui.submit(prompt);
  await tui.waitUntil(() => stage.mock.requests.length === requests + 2, `two requests for "${prompt}"`);
  await tui.waitFor(`Answer to: ${prompt}`);
}

/** The screen without the folders of this machine. */
function withoutPaths(screen: string, { sandbox }: Stage): string {
  return screen
    .replaceAll(sandbox.cwd, "~/project")
    .replaceAll(sandbox.root, "~")
    .replaceAll(PACKAGE_DIR, "~/pi-context-paging");
}

const obstacle = tuiObstacle();
if (obstacle !== undefined) throw new Error(`No captures here: ${obstacle}.`);
mkdirSync(FOLDER, { recursive: true });
for (const host of HOSTS) {
  await capture(host);
  await captureError(host);
}

/**
 * A run that can be repeated exactly, with all that a user does: failing tools, retries, other models, an abort in the
 * middle of a call, steering, `/compact`, a move in the tree and runs of the user's own.
 */
import { expect } from "chai";
import type { ModelStep, ScriptedCall } from "./model-step.ts";
import type { RpcEvent } from "./rpc-events.ts";
import type { RpcSession } from "./rpc-session.ts";
import { MODEL_ID } from "./sandbox.ts";
import { answerTo } from "./scripts.ts";
import { endsWithResults, lastUserText, type WireBody } from "./wire.ts";

export const PROMPTS = Array.from({ length: 12 }, (_, n) => `Prompt ${n}: work on it.`);
const STEERING = "Mind the appendix.";
export const OTHER_MODEL = "other";

const ABORTED = PROMPTS[4] ?? "";
const STEERED = PROMPTS[6] ?? "";
const CALLS: readonly ScriptedCall[] = [
  { name: "read", args: { path: "notes.txt" } },
  { name: "bash", args: { command: "cat notes.txt; exit 3" } },
  { name: "read", args: { path: "missing.txt" } },
];
/** What says that it has begun can be stopped at the same point each time. */
const LONG_CALL: ScriptedCall = { name: "bash", args: { command: "echo begun; sleep 20" } };
const SLOW_CALL: ScriptedCall = { name: "bash", args: { command: "echo begun; sleep 0.2" } };

/** The model of one run. */
export class SameModel {
  readonly #overloaded = new Set<string>();

  step(body: WireBody): ModelStep {
    if (!body.tools?.length) return { text: "They worked on the notes." };
    const prompt = lastUserText(body);
    if (endsWithResults(body) || prompt === STEERING) return { text: answerTo(prompt) };
    if (PROMPTS.indexOf(prompt) % 6 === 1 && !this.#overloaded.has(prompt)) return this.#overload(prompt);
    return { text: "I look it up.", thinking: "Where was it?", calls: callsFor(prompt) };
  }

  /** Some prompts meet a provider that has too much to do, once. */
  #overload(prompt: string): ModelStep {
    this.#overloaded.add(prompt);
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    return { status: 529, error };
  }
}

function callsFor(prompt: string): readonly ScriptedCall[] {
  if (prompt === ABORTED) return [LONG_CALL];
  return prompt === STEERED ? [...CALLS, SLOW_CALL] : CALLS;
}

/** The user of one run. */
export async function liveSameRun(session: RpcSession, provider: string): Promise<void> {
  for (const [n, prompt] of PROMPTS.entries()) {
    if (n % 4 === 2) await session.setModel(provider, n % 8 === 2 ? OTHER_MODEL : MODEL_ID);
    if (n === 8) await session.command("/go-back 2");
    if (n === 10) await session.call("compact");
    await work(session, prompt);
    if (n % 5 === 3) await session.bash("echo my own run");
  }
}

async function work(session: RpcSession, prompt: string): Promise<void> {
  const from = session.events.length;
  const running = session.prompt(prompt);
  running.catch(() => {});
  if (prompt === ABORTED || prompt === STEERED) {
    await session.waitUntil(() => session.events.slice(from).some(tellsBegun), "output of bash");
    if (prompt === ABORTED) await session.call("abort");
    else await session.steer(STEERING);
  }
  await running;
  if (prompt === ABORTED) return;
  const answer = answerTo(prompt === STEERED ? STEERING : prompt);
  expect(await session.call("get_last_assistant_text")).to.deep.equal({ text: answer });
}

function tellsBegun(event: RpcEvent): boolean {
  return event.type === "tool_execution_update" && JSON.stringify(event).includes("begun\\n");
}

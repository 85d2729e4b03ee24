/**
 * A run as it goes on bad days: failing tools, provider errors, aborts, steering and runs of the user's own, with a
 * budget small enough for a cut every few prompts. No request breaks the provider rules, and each prompt that the
 * user let run is answered.
 */
import { expect } from "chai";
import { HOSTS } from "../support/pi-hosts.ts";
import { prose } from "../support/prose.ts";
import type { RpcSession } from "../support/rpc-session.ts";
import { answerTo } from "../support/scripts.ts";
import { Stage } from "../support/stage.ts";
import { WIRE_APIS, type WireApi } from "../support/wire.ts";

const BUDGET_TOKENS = 9_000;
const RESULT_CHARACTERS = 3_000;
const DAYS = 6;

/** What happens while one prompt is worked on. */
type Incident =
  | "nothing"
  | "failing tools"
  | "provider error"
  | "abort"
  | "steering"
  | "own run"
  | "second abort";

const INCIDENTS: readonly Incident[] = [
  "nothing",
  "failing tools",
  "provider error",
  "abort",
  "steering",
  "own run",
  "second abort",
];

for (const host of HOSTS) {
  for (const api of WIRE_APIS) {
    it(`rough run: ${host.name} Pi, ${api}`, async () => {
      const model = new RoughModel();
      const stage = await openStage(api, model);
      try {
        const session = stage.rpc(host);
        for (let day = 0; day < DAYS; day += 1) {
          for (const incident of INCIDENTS) await live(session, model, day, incident);
        }
        expect(stage.mock.unlawful.map((request) => request.violations)).to.deep.equal([]);
        const over = stage.mock.requests.filter((request) => request.tokens > BUDGET_TOKENS);
        expect(over.map((request) => [request.n, request.tokens])).to.deep.equal([]);
        expect(session.extensionErrors).to.deep.equal([]);
        expect(session.notifications).to.deep.equal([]);
      } finally {
        await stage.close();
      }
    });
  }
}

async function openStage(api: WireApi, model: RoughModel): Promise<Stage> {
  const stage = await Stage.open({
    api,
    rules: "strict",
    script: () => model.step(),
    paging: { tokenBudget: BUDGET_TOKENS },
    settings: { retry: { enabled: true, maxRetries: 3, baseDelayMs: 1 } },
  });
  stage.sandbox.write("notes.txt", prose(1, RESULT_CHARACTERS));
  return stage;
}

/** Works on each prompt in two rounds of two parallel calls. */
class RoughModel {
  #prompt = "";
  #incident: Incident = "nothing";
  #requests = 0;

  begin(prompt: string, incident: Incident): void {
    this.#prompt = prompt;
    this.#incident = incident;
    this.#requests = 0;
  }

  step() {
    this.#requests += 1;
    const fails = this.#incident === "provider error" && this.#requests === 2;
    if (fails)
      return {
        status: 529,
        error: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      };
    const rounds = this.#incident === "provider error" ? 3 : 2;
    if (this.#requests > rounds) return { text: answerTo(this.#prompt) };
    return { text: "Working.", calls: [this.#read, { name: "bash", args: { command: this.#command } }] };
  }

  get #read() {
    const path = this.#incident === "failing tools" ? "missing.txt" : "notes.txt";
    return { name: "read", args: { path } };
  }

  get #command(): string {
    switch (this.#incident) {
      case "failing tools":
        return "echo some output; exit 3";
      case "steering":
        return "sleep 0.2; echo finished";
      case "abort":
      case "second abort":
        return "sleep 20";
      default:
        return "echo finished";
    }
  }
}

async function live(session: RpcSession, model: RoughModel, day: number, incident: Incident): Promise<void> {
  const prompt = `Day ${day}, ${incident}: work on it.`;
  model.begin(prompt, incident);
  const running = session.prompt(prompt);
  running.catch(() => {});
  const isAbort = incident === "abort" || incident === "second abort";
  if (isAbort || incident === "steering") {
    const first = session.events.length;
    const isBash = (event: { type: string; toolName?: unknown }) =>
      event.type === "tool_execution_start" && event.toolName === "bash";
    await session.waitUntil(() => session.events.slice(first).some(isBash), "start of bash");
    if (isAbort) await session.call("abort");
    else await session.steer(`Day ${day}: mind the appendix.`);
  }
  await running;
  if (incident === "own run") await session.bash("echo my own run");
  if (isAbort) return;
  expect(await session.call("get_last_assistant_text"), prompt).to.deep.equal({ text: answerTo(prompt) });
}

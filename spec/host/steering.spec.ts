/**
 * Messages that the user sends while tools run. The request behind them carries the task they interrupt, the results
 * they follow and the messages themselves, however small the budget is.
 */
import { expect } from "chai";
import type { ModelStep } from "../support/model-step.ts";
import { HOSTS } from "../support/pi-hosts.ts";
import { prose } from "../support/prose.ts";
import { requestStability } from "../support/request-stability.ts";
import type { RpcSession } from "../support/rpc-session.ts";
import { Stage } from "../support/stage.ts";
import { contentText, conversation, WIRE_APIS, type WireBody, type WireMessage } from "../support/wire.ts";

const BUDGET_TOKENS = 9_000;
const ROUNDS = 5;
/** One round's results: about a fifth of the budget. */
const RESULT_CHARACTERS = 8_000;

const ALL_ROUNDS = Array.from({ length: ROUNDS }, (_, round) => round);

/** In which rounds of a task the user speaks: in each one alone, and in all of them. */
const SCENES: readonly { readonly name: string; readonly rounds: readonly number[] }[] = [
  ...ALL_ROUNDS.map((round) => ({ name: `in round ${round}`, rounds: [round] })),
  { name: "in every round", rounds: ALL_ROUNDS },
];

for (const host of HOSTS) {
  for (const api of WIRE_APIS) {
    it(`steering: ${host.name} Pi, ${api}`, async () => {
      const agent = new WorkingAgent();
      const stage = await Stage.open({
        api,
        rules: "strict",
        script: () => agent.step(),
        paging: { tokenBudget: BUDGET_TOKENS },
      });
      stage.sandbox.write("notes.txt", prose(1, RESULT_CHARACTERS));
      try {
        const session = stage.rpc(host);
        for (const [index, scene] of SCENES.entries()) {
          agent.begin(index);
          const first = stage.mock.requests.length;
          const task = `Task ${index}: work through the notes.`;
          await steeredPrompt(session, task, index, scene.rounds);
          expectTaskKept(stage.mock.bodies.slice(first), task, index, scene.rounds, scene.name);
        }
        expect(stage.mock.unlawful.map((request) => request.violations)).to.deep.equal([]);
        expect(stage.mock.requests.every((request) => request.tokens <= BUDGET_TOKENS)).to.equal(true);
        const { cuts, breaks } = requestStability(stage.mock.bodies);
        expect(cuts.length, "cuts").to.be.above(4);
        expect(breaks).to.deep.equal([]);
        expect(session.extensionErrors).to.deep.equal([]);
      } finally {
        await stage.close();
      }
    });
  }
}

/** A model that works through a fixed number of rounds of two parallel calls, whatever the user says meanwhile. */
class WorkingAgent {
  #task = 0;
  #round = 0;

  begin(task: number): void {
    this.#task = task;
    this.#round = 0;
  }

  step(): ModelStep {
    if (this.#round === ROUNDS) return { text: `Task ${this.#task} is done.` };
    const id = callId(this.#task, this.#round);
    this.#round += 1;
    return {
      calls: [
        { id: `${id}_read`, name: "read", args: { path: "notes.txt" } },
        { id: `${id}_bash`, name: "bash", args: { command: `sleep 0.2; echo finished ${id}` } },
      ],
    };
  }
}

function callId(task: number, round: number): string {
  return `task_${task}_round_${round}`;
}

function steeringText(task: number, round: number): string {
  return `Steering of task ${task} in round ${round}: mind the appendix.`;
}

/** Sends the task, and speaks while the tools of the given rounds run. */
async function steeredPrompt(
  session: RpcSession,
  task: string,
  index: number,
  rounds: readonly number[],
): Promise<void> {
  const running = session.prompt(task);
  running.catch(() => {});
  for (const round of rounds) {
    const id = `${callId(index, round)}_bash`;
    const isStart = (event: { type: string; toolCallId?: unknown }) =>
      event.type === "tool_execution_start" && event.toolCallId === id;
    await session.waitUntil(() => session.events.some(isStart), `start of ${id}`);
    await session.steer(steeringText(index, round));
  }
  await running;
}

function expectTaskKept(
  bodies: readonly WireBody[],
  task: string,
  index: number,
  rounds: readonly number[],
  scene: string,
): void {
  expect(bodies, `${scene}: requests`).to.have.length(ROUNDS + 1);
  bodies.forEach((body, n) => {
    const texts = conversation(body).map((message) => contentText(message.content));
    expect(texts.join("\n"), `${scene}: the task in request ${n}`).to.contain(task);
    for (const round of rounds.filter((steered) => steered < n)) {
      expect(texts.join("\n"), `${scene}: steering of round ${round} in request ${n}`).to.contain(
        steeringText(index, round),
      );
    }
    if (rounds.includes(n - 1)) expectResults(body, index, n - 1, scene);
  });
}

/** Both results of the round are there as the tools gave them, in front of the steering message. */
function expectResults(body: WireBody, index: number, round: number, scene: string): void {
  const texts = conversation(body).map(exactText);
  const at = (text: string) => texts.findIndex((candidate) => candidate.includes(text));
  const read = at(JSON.stringify(prose(1, RESULT_CHARACTERS)).slice(1, -1));
  const bash = at(`finished ${callId(index, round)}\\n`);
  const steering = at(steeringText(index, round));
  const last = texts.findLastIndex((text) => text.includes("mind the appendix"));
  expect(read, `${scene}: the read result of round ${round}`).to.be.at.least(0);
  expect(bash, `${scene}: the bash result of round ${round}`).to.be.at.least(0);
  expect(steering, `${scene}: steering behind the results`).to.be.at.least(bash);
  expect(last, `${scene}: nothing of the user behind it`).to.equal(steering);
}

function exactText(message: WireMessage): string {
  return JSON.stringify(message);
}

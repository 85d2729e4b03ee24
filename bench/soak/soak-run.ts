import { setTimeout as sleep } from "node:timers/promises";
import type { PiHost } from "../../spec/support/pi-hosts.ts";
import type { Notification } from "../../spec/support/rpc-events.ts";
import type { RpcSession } from "../../spec/support/rpc-session.ts";
import { MODEL_ID, PROVIDERS } from "../../spec/support/sandbox.ts";
import { answerTo } from "../../spec/support/scripts.ts";
import type { Stage } from "../../spec/support/stage.ts";
import type { WireApi } from "../../spec/support/wire.ts";
import { INCIDENTS, type Incident } from "./incidents.ts";
import { Random } from "./random.ts";
import { SoakModel } from "./soak-model.ts";
import { type SoakMemory, type SoakReport, soakReport } from "./soak-report.ts";
import { OTHER_MODEL, openSoakPi, openSoakStage } from "./soak-stage.ts";

export interface SoakOptions {
  readonly api: WireApi;
  readonly requests: number;
  readonly seed: number;
  /** The run ends, as a miss, when it takes longer. */
  readonly limitMs: number;
}

/** Until here a new process may take over; behind it one process is watched for its memory. */
const LAST_RESUME = 0.15;
const MEMORY_MARKS = [0.2, 0.6, 1] as const;
const MIB = 1_024 * 1_024;
const NOT_ANSWERED = /not answered.*again/i;
const ANSWER_PATIENCE_MS = 5_000;

/** Runs one host through shuffled rounds of all incidents until the mock has seen enough requests. */
export async function soak(host: PiHost, options: SoakOptions): Promise<SoakReport> {
  const model = new SoakModel();
  const stage = await openSoakStage(model, options.api);
  try {
    return await new SoakRun(host, stage, model, options).run();
  } finally {
    await stage.close();
  }
}

class SoakRun {
  readonly #host: PiHost;
  readonly #stage: Stage;
  readonly #model: SoakModel;
  readonly #options: SoakOptions;
  readonly #random: Random;
  readonly #started = Date.now();
  readonly #incidents = new Map<Incident, number>();
  readonly #unanswered: string[] = [];
  readonly #complaints: string[] = [];
  readonly #memory: SoakMemory[] = [];
  /** Numbers of the requests that were sent while paging was off. */
  readonly #unpaged = new Set<number>();
  #session: RpcSession;
  #prompts = 0;

  constructor(host: PiHost, stage: Stage, model: SoakModel, options: SoakOptions) {
    this.#host = host;
    this.#stage = stage;
    this.#model = model;
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#session = openSoakPi(stage, host);
  }

  async run(): Promise<SoakReport> {
    while (this.#progress < 1 && !this.#isLate) {
      for (const incident of this.#random.shuffled(INCIDENTS)) {
        if (this.#progress >= 1 || this.#isLate) break;
        if (incident === "resume" && this.#progress > LAST_RESUME) continue;
        await this.#live(incident);
        await this.#watchMemory();
      }
    }
    await this.#live("resume");
    return soakReport({
      host: this.#host.name,
      seconds: Math.round((Date.now() - this.#started) / 1_000),
      wanted: this.#options.requests,
      prompts: this.#prompts,
      requests: this.#stage.mock.requests,
      unpaged: this.#unpaged,
      unanswered: this.#unanswered,
      complaints: this.#complaints,
      memory: this.#memory,
      incidents: Object.fromEntries(this.#incidents),
    });
  }

  get #progress(): number {
    return this.#stage.mock.requests.length / this.#options.requests;
  }

  get #isLate(): boolean {
    return Date.now() - this.#started > this.#options.limitMs;
  }

  async #live(incident: Incident): Promise<void> {
    this.#incidents.set(incident, (this.#incidents.get(incident) ?? 0) + 1);
    await this.#prepare(incident);
    const from = this.#stage.mock.requests.length;
    const prompt = await this.#work(incident);
    if (incident.startsWith("abort")) await this.#session.request("get_state");
    else await this.#expectAnswer(prompt, incident);
    if (incident === "own run") await this.#session.bash("cat more.txt");
    if (incident === "paging off") {
      for (let n = from; n < this.#stage.mock.requests.length; n += 1) this.#unpaged.add(n);
      await this.#session.command("/context-paging on");
    }
    this.#harvest(incident);
  }

  /** What the user does before the prompt. */
  async #prepare(incident: Incident): Promise<void> {
    const session = this.#session;
    switch (incident) {
      case "compaction":
        // Pi refuses where there is nothing to compact.
        await session.request("compact");
        return;
      case "tree":
      case "tree with summary": {
        const summarize = incident === "tree" ? "no" : "yes";
        await session.command(`/soak-tree ${1 + this.#random.below(24)} ${summarize}`);
        return;
      }
      case "other model":
        return session.setModel(PROVIDERS[this.#stage.sandbox.api], OTHER_MODEL);
      case "first model":
        return session.setModel(PROVIDERS[this.#stage.sandbox.api], MODEL_ID);
      case "paging off":
        await session.command("/context-paging off");
        return;
      case "fork":
        return this.#fork();
      case "resume":
        return this.#resume();
      default:
    }
  }

  async #fork(): Promise<void> {
    const { messages } = (await this.#session.call("get_fork_messages")) as {
      messages: { entryId: string }[];
    };
    const newest = messages.at(-1 - this.#random.below(3));
    if (newest) await this.#session.call("fork", { entryId: newest.entryId });
  }

  async #resume(): Promise<void> {
    const { sessionFile } = (await this.#session.call("get_state")) as { sessionFile: string };
    this.#harvest("resume");
    await this.#session.stop();
    this.#session = openSoakPi(this.#stage, this.#host, sessionFile);
  }

  async #work(incident: Incident): Promise<string> {
    this.#prompts += 1;
    const prompt = `Prompt ${this.#prompts}, ${incident}: work on the notes.`;
    this.#model.begin(prompt, incident, 1 + this.#random.below(4) + (incident === "provider error" ? 1 : 0));
    const session = this.#session;
    const running = session.prompt(prompt);
    running.catch(() => {});
    if (incident === "abort in a tool" || incident === "steering") {
      const from = session.events.length;
      const isBash = (event: { type: string; toolName?: unknown }) =>
        event.type === "tool_execution_start" && event.toolName === "bash";
      await session.waitUntil(() => session.events.slice(from).some(isBash), "start of bash");
      if (incident === "steering") await session.steer("Mind the appendix.");
      else await session.call("abort");
    }
    if (incident === "abort in an answer") {
      while (this.#model.requests < 2) await sleep(10);
      await session.call("abort");
    }
    await running;
    return prompt;
  }

  /** A prompt that Pi could not answer is sent again, where the user was told so. */
  async #expectAnswer(prompt: string, incident: Incident): Promise<void> {
    if (await this.#isAnswered(prompt)) return;
    const wasTold = this.#session.notifications.some(({ text }) => NOT_ANSWERED.test(text));
    if (incident === "overflow" && this.#host.name === "legacy" && wasTold) {
      this.#model.begin(prompt, "parallel calls", 1);
      await this.#session.prompt(prompt);
      if (await this.#isAnswered(prompt)) return;
    }
    this.#unanswered.push(prompt);
  }

  async #isAnswered(prompt: string): Promise<boolean> {
    const patience = Date.now() + ANSWER_PATIENCE_MS;
    const wasTold = () => this.#session.notifications.some(({ text }) => NOT_ANSWERED.test(text));
    for (;;) {
      const { text } = (await this.#session.call("get_last_assistant_text")) as { text?: string };
      if (text === answerTo(prompt)) return true;
      if (Date.now() > patience || wasTold()) return false;
      await sleep(50);
    }
  }

  /** Takes what Pi reported, and forgets it: the driver must not grow with the run. */
  #harvest(incident: Incident): void {
    const session = this.#session;
    const isExpected = ({ level, text }: Notification) =>
      level === "info" ||
      (incident === "overflow" && this.#host.name === "legacy" && NOT_ANSWERED.test(text));
    const notes = session.notifications.filter((note) => !isExpected(note)).map(({ text }) => text);
    for (const text of [...session.extensionErrors, ...notes]) {
      this.#complaints.push(`prompt ${this.#prompts}, ${incident}: ${text}`);
    }
    session.events.length = 0;
  }

  async #watchMemory(): Promise<void> {
    const mark = MEMORY_MARKS[this.#memory.length];
    if (mark === undefined || this.#progress < mark) return;
    const resident = this.#session.residentMiB;
    const [note] = await this.#session.command("/soak-memory");
    const { heapUsed } = JSON.parse(note?.text ?? "{}") as { heapUsed: number };
    this.#memory.push({ residentMiB: resident, heapMiB: Math.round(heapUsed / MIB) });
    this.#session.events.length = 0;
  }
}

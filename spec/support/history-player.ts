/** Plays a random history to an extension, as a Pi of its own would. */
import { expect } from "chai";
import { ContextPagingExtension } from "../../lib/extension.ts";
import type { AgentMessage } from "../../lib/messages.ts";
import type { SelectionReport } from "../../lib/paging/selection-report.ts";
import type { BranchBuilder } from "./branch-builder.ts";
import { FakePi } from "./fake-pi.ts";
import type { HistoryStep } from "./random-history.ts";

/** The longest answer of every model. */
const MAX_TOKENS = 1_000;
const START = Date.UTC(2026, 5, 1);
/** Every refusal of a request begins with one of these: anything else is an error that nobody thought of. */
const REFUSALS = /^error: (Resident (input|and retained request) estimate|The request (breaks|holds))/;

/** An extension on a Pi of its own, which shows it the session. */
export class HistoryPlayer {
  readonly pi: FakePi;
  readonly #show: (building: BranchBuilder) => FakePi["branch"];
  #now = START;

  /** `show`: the entries as this Pi hands them out. */
  constructor(
    budgetTokens: number,
    show: (building: BranchBuilder) => FakePi["branch"],
    host: FakePi["host"] = "current",
  ) {
    this.pi = new FakePi({ host });
    this.#show = show;
    const globalSettings = { contextPaging: { tokenBudget: budgetTokens } };
    new ContextPagingExtension({
      settings: { globalSettings, projectTrusted: false },
      now: () => this.#now,
    }).register(this.pi.api);
  }

  async emit(type: string, building: BranchBuilder, fields: object = {}): Promise<unknown> {
    this.pi.branch = this.#show(building);
    return this.pi.emit(type, fields);
  }

  /** Tells of a step that is in the session now. */
  async follow(step: HistoryStep, building: BranchBuilder): Promise<void> {
    if (step.kind === "compaction")
      await this.emit("session_compact", building, { compactionEntry: building.path.at(-1) });
    if (step.kind === "move") await this.emit("session_tree", building);
    if (step.kind === "exchange" || step.kind === "answer") await this.#turnEnd(building);
    if (step.kind === "switch")
      for (const state of ["off", "on"]) await this.pi.command("context-paging", state);
    if (step.kind !== "model") return;
    const window = step.window === undefined ? {} : { contextWindow: step.window, maxTokens: MAX_TOKENS };
    this.pi.model = { provider: "p", id: `m${step.window}`, api: "openai-completions", ...window };
    await this.emit("model_select", building);
  }

  async #turnEnd(building: BranchBuilder): Promise<void> {
    const message = building.messages.findLast(({ role }) => role === "assistant");
    await this.emit("turn_end", building, { message, toolResults: [] });
  }

  /** The window without room for the answer. */
  get #inputWindow(): number {
    const { contextWindow } = this.pi.model ?? {};
    if (contextWindow === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(1, contextWindow - Math.min(MAX_TOKENS, Math.floor(contextWindow / 4)));
  }

  /** The request that goes out; none when it was refused. */
  async request(building: BranchBuilder, incoming: AgentMessage[]): Promise<Sent | undefined> {
    this.#now += 1_000;
    const { aborts } = this.pi;
    const result = (await this.emit("context", building, { messages: incoming })) as
      | { messages: AgentMessage[] }
      | undefined;
    if (this.pi.aborts > aborts) {
      expect(result).to.equal(undefined);
      expect(this.pi.told.at(-1)).to.match(REFUSALS);
      return undefined;
    }
    const report = this.pi.emitted.at(-1)?.data as SelectionReport;
    return { incoming, messages: result?.messages ?? incoming, report, inputWindow: this.#inputWindow };
  }
}

/** A request that went out. */
export interface Sent {
  readonly incoming: readonly AgentMessage[];
  readonly messages: readonly AgentMessage[];
  readonly report: SelectionReport;
  /** What the model takes, in tokens; infinite where nobody knows. */
  readonly inputWindow: number;
}

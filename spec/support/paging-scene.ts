/**
 * The extension on a fake Pi with a growing session: what a spec of the lifecycle needs to say in one line. Requests
 * carry fresh clones of what Pi's own projection makes of the branch, and each comes one second after the last.
 */
import { buildSessionContext } from "@earendil-works/pi-coding-agent";
import { ContextPagingExtension, type ContextPagingOptions } from "../../lib/extension.ts";
import type { AgentMessage, SessionEntry } from "../../lib/messages.ts";
import type { SelectionReport } from "../../lib/paging/selection-report.ts";
import { type AssistantDraft, type BranchBuilder, branch } from "./branch-builder.ts";
import { FakePi, type FakePiOptions, type ToolReply } from "./fake-pi.ts";
import { textOf } from "./labels.ts";
import { prose } from "./prose.ts";

export interface SceneOptions extends FakePiOptions, Pick<ContextPagingOptions, "strategies"> {
  /** Global settings under `contextPaging`; `"files"` reads the real files. */
  readonly paging?: object | "files";
  /** Whole sources, instead of `paging`. */
  readonly settings?: ContextPagingOptions["settings"];
}

/** A request as Pi sends it after the extension has seen it. */
export interface SentRequest {
  readonly messages: readonly AgentMessage[];
  /** Characters of the messages in JSON. */
  readonly characters: number;
  /** The extension left the list as it came. */
  readonly isUnchanged: boolean;
  /** The request was aborted. */
  readonly isAborted: boolean;
  /** Text and time of the paging notice. */
  readonly notice: string | undefined;
  readonly noticeTime: number | undefined;
}

/** About 13 turns fill the budget; a cut leaves about 7. */
export const SCENE_SETTINGS = { tokenBudget: 3_000, trimToTokens: 1_500 };

const NOTICE_HEAD = "[context-paging] Notice generated";
const TURN_CHARACTERS = 400;
const LATER = Date.UTC(2026, 5, 1);

export class PagingScene {
  readonly pi: FakePi;
  /** The stored session. */
  readonly session: BranchBuilder = branch();
  #seconds = 0;
  #turns = 0;
  /** Size of the last request that was sent. */
  #sentCharacters = 0;

  constructor({ paging = SCENE_SETTINGS, settings, strategies, ...options }: SceneOptions = {}) {
    this.pi = new FakePi(options);
    const sources = settings ?? { globalSettings: { contextPaging: paging }, projectTrusted: false };
    new ContextPagingExtension({
      ...(paging === "files" ? {} : { settings: sources }),
      ...(strategies === undefined ? {} : { strategies }),
      now: () => this.#now,
    }).register(this.pi.api);
  }

  /** A scene whose session has started. */
  static async open(options: SceneOptions = {}): Promise<PagingScene> {
    const scene = new PagingScene(options);
    await scene.emit("session_start", { reason: "startup" });
    return scene;
  }

  /** A scene with a cut: the newest request was paged. */
  static async withCut(options: SceneOptions = {}): Promise<PagingScene> {
    const scene = await PagingScene.open(options);
    await scene.cut();
    return scene;
  }

  /** A scene that goes on from a stored branch. */
  static async resumed(building: BranchBuilder, options: SceneOptions = {}): Promise<PagingScene> {
    const scene = new PagingScene(options);
    scene.session.adopt(building.path);
    await scene.emit("session_start", { reason: "resume" });
    return scene;
  }

  /** What was told of the newest request that was selected. */
  get report(): SelectionReport {
    const { data } = this.pi.emitted.at(-1) ?? {};
    if (data === undefined) throw new Error("no request was selected");
    return data as SelectionReport;
  }

  /** Plays an event about the session as it is now. The end of a turn tells of the newest response. */
  emit(type: string, fields: object = {}): Promise<unknown> {
    this.pi.branch = this.session.path;
    const message = this.session.messages.findLast(({ role }) => role === "assistant");
    return this.pi.emit(type, type === "turn_end" && message ? { message, ...fields } : fields);
  }

  /** Ends the turn of the newest response. */
  turnEnd(): Promise<unknown> {
    const message = this.session.messages.findLast(({ role }) => role === "assistant");
    return this.emit("turn_end", { message, toolResults: [] });
  }

  /** Types `/context-paging ...` and returns what the user was told. */
  async command(args: string): Promise<string[]> {
    this.pi.branch = this.session.path;
    const before = this.pi.told.length;
    await this.pi.command("context-paging", args);
    return this.pi.told.slice(before);
  }

  /** The whole reply of a recovery tool, for the session as it is now. */
  reply(name: string, input: object): Promise<ToolReply> {
    this.pi.branch = this.session.path;
    return this.pi.tool(name, input);
  }

  /** What a recovery tool returns. */
  async tool<Details>(name: string, input: object): Promise<Details> {
    return (await this.reply(name, input)).details as Details;
  }

  /** Adds complete turns of about 220 tokens each. */
  turns(count: number): this {
    for (let n = 0; n < count; n += 1) {
      this.#turns += 1;
      const text = prose(this.#turns, TURN_CHARACTERS);
      this.session.turn(`Prompt ${this.#turns}: ${text}`, [{ name: "read" }], text);
    }
    return this;
  }

  /** The next prompt of the user, not answered yet. */
  prompt(): this {
    this.#turns += 1;
    this.session.user(`Prompt ${this.#turns}`);
    return this;
  }

  /** The answer to the last request, for which the provider counted that many tokens. */
  answer(totalTokens: number): this {
    const [message] = branch().assistant({ text: "Done.", usage: { totalTokens } }).messages;
    if (message) this.session.message({ ...message, timestamp: this.#now } as AgentMessage);
    return this;
  }

  /** What the extension makes of the request that would go out now. */
  async request(incoming: readonly AgentMessage[] = this.messages): Promise<SentRequest> {
    this.#seconds += 1;
    const messages = structuredClone([...incoming]);
    const aborts = this.pi.aborts;
    const result = (await this.emit("context", { messages })) as { messages: AgentMessage[] } | undefined;
    const sent = result?.messages ?? messages;
    this.#sentCharacters = JSON.stringify(sent).length;
    const first = sent[0];
    const text = first?.role === "user" ? textOf(first) : "";
    const notice = text.startsWith(NOTICE_HEAD) ? text : undefined;
    return {
      messages: sent,
      characters: this.#sentCharacters,
      isUnchanged: result === undefined,
      isAborted: this.pi.aborts > aborts,
      notice,
      noticeTime: notice === undefined ? undefined : first?.timestamp,
    };
  }

  /** Grows the session until the extension cuts it. */
  async cut(): Promise<SentRequest> {
    return this.turns(16).prompt().request();
  }

  /** The messages that Pi makes of the branch. */
  get messages(): AgentMessage[] {
    const path = this.session.path;
    const { messages } = buildSessionContext(path, path.at(-1)?.id);
    return messages.filter((message) => message.role !== "system") as AgentMessage[];
  }

  /**
   * Ends the run with a response that the provider refused as too large, unless the draft says otherwise, hidden by Pi
   * afterwards or not. Returns what the extension answers when Pi asks whether to go on; one host never asks.
   */
  async overflow(
    visibility: "hidden" | "shown",
    draft: AssistantDraft = OVERFLOW,
    canContinue = visibility === "hidden",
  ): Promise<unknown> {
    this.session.assistant(draft);
    const { messages } = this.session;
    if (visibility === "hidden") this.session.contextEdit(this.session.leafId);
    await this.emit("agent_end", { messages });
    if (this.pi.host === "legacy") return undefined;
    return this.emit("agent_before_settle", { context: { canContinue } });
  }

  /**
   * Whether the cut was forgotten since the last request: then the notice of the next one, where something has left, is
   * a new one.
   */
  async hasForgottenCut(): Promise<boolean> {
    const { noticeTime } = await this.request();
    return noticeTime === undefined || noticeTime === this.#now;
  }

  /**
   * Whether what was measured of the last request is forgotten. Only while it is known can a refusal make the next
   * request smaller than that one; so this ends the cut.
   */
  async hasForgottenMeasures(): Promise<boolean> {
    const lastCharacters = this.#sentCharacters;
    await this.overflow("shown");
    await this.request();
    return this.#sentCharacters > 0.8 * lastCharacters;
  }

  get #now(): number {
    return LATER + this.#seconds * 1_000;
  }

  /** A branch entry by its number from the end. */
  entry(fromEnd: number): SessionEntry {
    const entry = this.session.path.at(fromEnd);
    if (!entry) throw new Error(`the branch has no entry ${fromEnd}`);
    return entry;
  }
}

export const OVERFLOW: AssistantDraft = {
  stopReason: "error",
  errorMessage: "prompt is too long: 5000 tokens > 4000 maximum",
};

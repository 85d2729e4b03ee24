/**
 * A Pi without a program around it: it plays events to an extension and records what the extension does. Each event
 * gets a `ctx` of its own, which is stale when the handler has ended, as after a session was replaced.
 */
import type {
  ExtensionAPI,
  ExtensionCommandContext,
  ExtensionContext,
  ToolDefinition,
  ToolInfo,
} from "@earendil-works/pi-coding-agent";
import type { SessionEntry } from "../../lib/messages.ts";
import { UiRecorder } from "./ui-recorder.ts";

export interface FakePiOptions {
  /** `legacy` has neither project trust nor a reason for a compaction. */
  readonly host?: "current" | "legacy";
  /** Whether there is a user interface to show anything. */
  readonly ui?: "shown" | "none";
}

export interface FakeModel {
  readonly provider: string;
  readonly id: string;
  readonly api: string;
  readonly contextWindow?: number;
  readonly maxTokens?: number;
}

export type ToolReply = Awaited<ReturnType<ToolDefinition["execute"]>>;
type Handler = (event: object, ctx: ExtensionContext) => unknown;
type Command = Parameters<ExtensionAPI["registerCommand"]>[1];
type ToolPart = Pick<ToolInfo, "name" | "description"> & { readonly parameters: object };

export class FakePi {
  readonly host: "current" | "legacy";
  readonly ui = new UiRecorder();
  readonly commands = new Map<string, Command>();
  readonly registeredTools: ToolDefinition[] = [];
  /** Every method of `pi`, `ctx` or the session manager that was called, but is not known here. */
  readonly otherCalls: string[] = [];
  /** What the extension told other extensions. */
  readonly emitted: { readonly channel: string; readonly data: unknown }[] = [];
  aborts = 0;
  // What the session is at the moment; specs change it between two events.
  branch: readonly SessionEntry[] = [];
  /** Every entry of every branch; the active branch where it is undefined. */
  entries: readonly SessionEntry[] | undefined;
  sessionFile: string | undefined;
  parentSession: string | undefined;
  mode: "tui" | "rpc" | "json" | "print" = "rpc";
  sessionId = "session-1";
  cwd = "/project";
  projectTrusted = false;
  systemPrompt = "You are a helpful agent.";
  model: FakeModel | undefined = { provider: "p", id: "m", api: "openai-completions" };
  /** The window in Pi's usage status; `undefined`: no status. */
  usageWindow: number | undefined;
  /** The total in Pi's usage status; `null`: Pi knows none. */
  usageTokens: number | null = null;
  activeTools: readonly string[] = [];
  tools: readonly ToolPart[] = [];
  readonly #hasUi: boolean;
  readonly #handlers = new Map<string, readonly Handler[]>();

  constructor({ host = "current", ui = "shown" }: FakePiOptions = {}) {
    this.host = host;
    this.#hasUi = ui === "shown";
  }

  /** The `pi` that an extension factory gets. */
  get api(): ExtensionAPI {
    const known = {
      on: (event: string, handler: Handler) => {
        this.#handlers.set(event, [...this.#handlersOf(event), handler]);
        return () =>
          void this.#handlers.set(
            event,
            this.#handlersOf(event).filter((known) => known !== handler),
          );
      },
      registerCommand: (name: string, command: Command) => void this.commands.set(name, command),
      registerTool: (tool: ToolDefinition) => void this.registeredTools.push(tool),
      getActiveTools: () => [...this.activeTools],
      getAllTools: () => [...this.tools, ...this.registeredTools],
      events: { emit: (channel: string, data: unknown) => void this.emitted.push({ channel, data }) },
    };
    return this.#recorded("pi", known) as unknown as ExtensionAPI;
  }

  /** Names of the events that have a handler. */
  get events(): string[] {
    return [...this.#handlers.keys()];
  }

  /** What the user was told, with its level in front: `error: text`. */
  get told(): string[] {
    return this.ui.notifications.map(({ level, text }) => `${level}: ${text}`);
  }

  /** Footer texts of the extension's key, in order. */
  get statuses(): (string | undefined)[] {
    return this.ui.statuses.filter(({ key }) => key === "context-paging").map(({ text }) => text);
  }

  /**
   * Plays an event and returns what its last handler with an answer returned. Handlers of a request chain: each gets the
   * messages that the one before it made. A throwing handler rejects.
   */
  async emit(type: string, fields: object = {}): Promise<unknown> {
    let result: unknown;
    for (const handler of this.#handlersOf(type)) {
      const chained = type === "context" && result ? { ...fields, ...result } : fields;
      result = (await this.#withContext((ctx) => handler({ type, ...chained }, ctx))) ?? result;
    }
    return result;
  }

  /** Runs a slash command. */
  async command(name: string, args: string): Promise<void> {
    const command = this.commands.get(name);
    if (!command) throw new Error(`no command ${name}`);
    await this.#withContext((ctx) => command.handler(args, ctx as ExtensionCommandContext));
  }

  /** Calls a registered tool as the model does, and returns its whole reply. A refusal rejects. */
  async tool(name: string, input: object): Promise<ToolReply> {
    const tool = this.registeredTools.find((known) => known.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    const prepared = tool.prepareArguments?.(input) ?? input;
    const run = (ctx: ExtensionContext) =>
      tool.execute("call", prepared as never, undefined, undefined, ctx as never);
    return (await this.#withContext(run)) as ToolReply;
  }

  #handlersOf(event: string): readonly Handler[] {
    return this.#handlers.get(event) ?? [];
  }

  async #withContext(use: (ctx: ExtensionContext) => unknown): Promise<unknown> {
    let isStale = false;
    const fresh = this.#recorded("ctx", this.#context());
    const ctx = new Proxy(fresh, {
      get: (target, key) => {
        if (isStale) throw new Error(`ctx.${String(key)} was used after its event`);
        return Reflect.get(target, key);
      },
    });
    try {
      return await use(ctx as unknown as ExtensionContext);
    } finally {
      isStale = true;
    }
  }

  #context(): object {
    const sessionManager = {
      getBranch: () => [...this.branch],
      getLeafEntry: () => this.branch.at(-1),
      getEntry: (id: string) => this.branch.find((entry) => entry.id === id),
      getSessionId: () => this.sessionId,
      getEntries: () => [...(this.entries ?? this.branch)],
      getSessionFile: () => this.sessionFile,
      getHeader: () => ({ type: "session", id: this.sessionId, parentSession: this.parentSession }),
    };
    return {
      ui: this.ui.context,
      hasUI: this.#hasUi,
      ...(this.host === "current" ? { mode: this.mode } : {}),
      cwd: this.cwd,
      model: this.model,
      sessionManager: this.#recorded("sessionManager", sessionManager),
      abort: () => {
        this.aborts += 1;
      },
      getSystemPrompt: () => this.systemPrompt,
      getContextUsage: () =>
        this.usageWindow === undefined
          ? undefined
          : { tokens: this.usageTokens, contextWindow: this.usageWindow, percent: null },
      isProjectTrusted: this.host === "current" ? () => this.projectTrusted : undefined,
    };
  }

  #recorded(name: string, known: object): object {
    return new Proxy(known, {
      get: (target, key) => {
        if (typeof key !== "string" || key in target) return Reflect.get(target, key);
        return () => void this.otherCalls.push(`${name}.${key}`);
      },
    });
  }
}

import type { ContextEvent, ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { calculateContextTokens, estimateTokens } from "@earendil-works/pi-coding-agent";
import contextPaging from "../lib/index.ts";
import type { SessionSource } from "./session-source.ts";

type Handler = (event: unknown, ctx: ExtensionContext) => unknown;

const WINDOW = 1_000_000;

/** Fires the events of the current host at the extension, on a real session. Everything else is inert. */
export class FakeHost {
  readonly #handlers = new Map<string, Handler>();
  readonly #source: SessionSource;
  readonly #ctx: ExtensionContext;

  constructor(source: SessionSource, tokenBudget: number) {
    this.#source = source;
    const pi = {
      on: (name: string, handler: Handler) => void this.#handlers.set(name, handler),
      registerCommand: () => undefined,
      registerTool: () => undefined,
      getActiveTools: () => ["read"],
      getAllTools: () => TOOLS,
      events: { emit: () => undefined, on: () => () => undefined },
    };
    contextPaging(pi as unknown as ExtensionAPI, {
      settings: { globalSettings: { contextPaging: { tokenBudget } }, projectTrusted: false },
      now: () => source.time,
    });
    this.#ctx = {
      hasUI: false,
      cwd: "/bench",
      sessionManager: source.manager,
      model: {
        provider: "bench",
        id: "bench",
        api: "openai-completions",
        contextWindow: WINDOW,
        maxTokens: 8192,
      },
      isProjectTrusted: () => false,
      getSystemPrompt: () => "You are a coding agent.",
      getContextUsage: () => this.contextUsage(),
      abort: () => {
        throw new Error("The extension aborted the request.");
      },
    } as unknown as ExtensionContext;
  }

  start(): void {
    this.#fire("session_start", { type: "session_start", reason: "startup" });
  }

  /** Answers a request with what goes out. */
  context(messages: ContextEvent["messages"]): ContextEvent["messages"] {
    const result = this.#fire("context", { type: "context", messages }) as
      | { messages: ContextEvent["messages"] }
      | undefined;
    return result?.messages ?? messages;
  }

  turnEnd(): void {
    this.#fire("turn_end", { type: "turn_end", message: this.#source.newestResponse, toolResults: [] });
  }

  /** What Pi computes for `getContextUsage`: the last usage, and its own estimates of what came after. */
  contextUsage(): { tokens: number; contextWindow: number; percent: number } {
    const { messages } = this.#source.manager.buildSessionProjection();
    this.#source.manager.getBranch();
    const last = messages.findLastIndex((message) => message.role === "assistant");
    const response = messages[last];
    let tokens = response?.role === "assistant" ? calculateContextTokens(response.usage) : 0;
    for (const message of messages.slice(last + 1)) tokens += estimateTokens(message);
    return { tokens, contextWindow: WINDOW, percent: (100 * tokens) / WINDOW };
  }

  #fire(name: string, event: unknown): unknown {
    return this.#handlers.get(name)?.(event, this.#ctx);
  }
}

const TOOLS = [{ name: "read", description: "Reads a file", parameters: { type: "object" } }];

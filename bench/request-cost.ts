/**
 * Cost of one request (`context` handler and `turn_end`) as a ratio to `structuredClone` of the same messages, which Pi
 * itself pays for each request. Prints a table and a JSON line; exits 1 when a ratio misses its target.
 */
import { performance } from "node:perf_hooks";
import type { ContextEvent, ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import contextPaging from "../lib/index.ts";
import { SessionSource } from "./session-source.ts";

type Handler = (event: unknown, ctx: ExtensionContext) => unknown;

const ROUNDS = 15;

class Driver {
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
      getAllTools: () => [{ name: "read", description: "Reads a file", parameters: { type: "object" } }],
      events: { emit: () => undefined, on: () => () => undefined },
    };
    contextPaging(pi as unknown as ExtensionAPI, {
      settings: { globalSettings: { contextPaging: { tokenBudget } }, projectTrusted: false },
    });
    this.#ctx = {
      hasUI: false,
      cwd: "/bench",
      sessionManager: source.manager,
      model: {
        provider: "bench",
        id: "bench",
        api: "openai-completions",
        contextWindow: 1_000_000,
        maxTokens: 8192,
      },
      isProjectTrusted: () => false,
      getSystemPrompt: () => "You are a coding agent.",
      abort: () => {
        throw new Error("aborted");
      },
      getContextUsage: () => {
        // What Pi does for this call, but for its own arithmetic.
        source.manager.buildSessionProjection();
        source.manager.getBranch();
        return { tokens: 1050, contextWindow: 1_000_000, percent: 0.1 };
      },
    } as unknown as ExtensionContext;
    this.#fire("session_start", { type: "session_start", reason: "startup" });
  }

  /** Milliseconds of the handlers for one request. */
  request(): { ms: number; kept: number } {
    const event: ContextEvent = { type: "context", messages: this.#source.messages };
    const started = performance.now();
    const result = this.#fire("context", event) as { messages: unknown[] } | undefined;
    const contextMs = performance.now() - started;
    this.#source.grow(1);
    const message = this.#source.newestResponse;
    const ended = performance.now();
    this.#fire("turn_end", { type: "turn_end", message });
    return {
      ms: contextMs + performance.now() - ended,
      kept: result?.messages.length ?? event.messages.length,
    };
  }

  #fire(name: string, event: unknown): unknown {
    return this.#handlers.get(name)?.(event, this.#ctx);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function cloneMs(source: SessionSource): number {
  const stored = source.stored;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    structuredClone(stored);
    times.push(performance.now() - started);
  }
  return median(times);
}

const rows: Record<string, number | string>[] = [];
for (const [exchanges, characters] of [
  [200, 2048],
  [1000, 2048],
  [5000, 2048],
  [20_000, 2048],
  [2000, 30_720],
] as const) {
  const source = new SessionSource(characters);
  source.grow(exchanges);
  const clone = cloneMs(source);
  const driver = new Driver(source, 128_000);
  const first = driver.request();
  const steady = Array.from({ length: ROUNDS }, () => driver.request());
  const ms = median(steady.map((request) => request.ms));
  rows.push({
    exchanges,
    characters,
    "clone ms": clone.toFixed(2),
    "request ms": ms.toFixed(2),
    ratio: (ms / clone).toFixed(3),
    "first ms": first.ms.toFixed(1),
    "first ratio": (first.ms / clone).toFixed(2),
    kept: steady.at(-1)?.kept ?? 0,
  });
}
console.table(rows);

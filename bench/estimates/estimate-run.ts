/** One session through the real extension, request by request, with a provider that counts by its own tokenizer. */

import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { calculateContextTokens, estimateTokens, SessionManager } from "@earendil-works/pi-coding-agent";
import contextPaging from "../../lib/index.ts";
import type { AgentMessage, AssistantMessage } from "../../lib/messages.ts";
import type { SelectionReport } from "../../lib/paging/selection-report.ts";
import type { ResidentInput } from "../../lib/usage/token-estimator.ts";
import type { ProviderTruth } from "./provider-truth.ts";

/** One request that went out. */
export interface EstimatedRequest {
  /** How many answers were measured before it. */
  readonly answers: number;
  readonly estimatedTokens: number;
  readonly trueTokens: number;
  readonly report: SelectionReport;
}

type Handler = (event: object, ctx: ExtensionContext) => unknown;

const MODEL = { provider: "bench", id: "bench", api: "openai-completions" } as const;
const WINDOW_TOKENS = 1_000_000;

export class EstimateRun {
  readonly requests: EstimatedRequest[] = [];
  readonly #manager = SessionManager.inMemory("/bench");
  readonly #handlers = new Map<string, Handler>();
  readonly #truth: ProviderTruth;
  readonly #resident: ResidentInput;
  readonly #ctx: ExtensionContext;
  #report: SelectionReport | undefined;
  #answers = 0;
  #time = 1_700_000_000_000;

  constructor(truth: ProviderTruth, resident: ResidentInput, tokenBudget: number) {
    this.#truth = truth;
    this.#resident = resident;
    contextPaging(this.#pi, {
      settings: { globalSettings: { contextPaging: { tokenBudget } }, projectTrusted: false },
      now: () => this.#time,
    });
    this.#ctx = this.#context();
    this.#fire("session_start", { reason: "startup" });
  }

  /** Stores messages of the user, tools or extensions, and entries of any other kind. */
  store(message: AgentMessage): void {
    this.#manager.appendMessage({ ...message, timestamp: this.#tick() } as never);
  }

  compact(summary: string, firstKeptEntryId: string): void {
    const id = this.#manager.appendCompaction(summary, firstKeptEntryId, 0);
    this.#fire("session_compact", { compactionEntry: this.#manager.getEntry(id) });
  }

  get leafId(): string {
    return this.#manager.getLeafId() ?? "";
  }

  /** Sends the request that is due and stores this answer to it, with the provider's usage. */
  answer(response: Pick<AssistantMessage, "content" | "stopReason">): void {
    const messages = structuredClone(this.#messages);
    this.#tick();
    const result = this.#fire("context", { messages }) as { messages: AgentMessage[] } | undefined;
    const report = this.#report;
    if (!report) throw new Error("no request was selected");
    const trueTokens = this.#truth.request(this.#resident, result?.messages ?? messages);
    this.requests.push({ answers: this.#answers, estimatedTokens: report.tokensAfter, trueTokens, report });
    this.#store(response, trueTokens);
  }

  #store({ content, stopReason }: Pick<AssistantMessage, "content" | "stopReason">, input: number): void {
    const message: AssistantMessage = {
      role: "assistant",
      content,
      stopReason,
      api: MODEL.api,
      provider: MODEL.provider,
      model: MODEL.id,
      usage: usageOf(0, 0),
      timestamp: this.#tick(),
    };
    const measured = { ...message, usage: usageOf(input, this.#truth.message(message)) };
    this.#manager.appendMessage(measured);
    if (stopReason !== "aborted" && stopReason !== "error") this.#answers += 1;
    this.#fire("turn_end", { message: measured });
  }

  get #messages(): AgentMessage[] {
    return this.#manager
      .buildSessionProjection()
      .messages.filter(({ role }) => role !== "system") as AgentMessage[];
  }

  get #pi(): ExtensionAPI {
    const pi = {
      on: (name: string, handler: Handler) => void this.#handlers.set(name, handler),
      registerCommand: () => undefined,
      registerTool: () => undefined,
      getActiveTools: () => this.#resident.tools.map(({ name }) => name),
      getAllTools: () => this.#resident.tools,
      events: {
        emit: (_channel: string, report: SelectionReport) => {
          this.#report = report;
        },
      },
    };
    return pi as unknown as ExtensionAPI;
  }

  #context(): ExtensionContext {
    const ctx = {
      hasUI: false,
      cwd: "/bench",
      sessionManager: this.#manager,
      model: { ...MODEL, contextWindow: WINDOW_TOKENS, maxTokens: 8_192 },
      isProjectTrusted: () => false,
      getSystemPrompt: () => this.#resident.systemPrompt,
      abort: () => {
        throw new Error("the request was aborted");
      },
      getContextUsage: () => ({ tokens: this.#statusTokens, contextWindow: WINDOW_TOKENS, percent: null }),
    };
    return ctx as unknown as ExtensionContext;
  }

  /** Pi's status: the last usage, and estimates of what came after it. */
  get #statusTokens(): number | null {
    const messages = this.#messages;
    const last = messages.findLastIndex(
      (message) =>
        message.role === "assistant" &&
        message.stopReason !== "error" &&
        message.stopReason !== "aborted" &&
        calculateContextTokens(message.usage) > 0,
    );
    const response = messages[last];
    const measured = response?.role === "assistant" ? calculateContextTokens(response.usage) : 0;
    return messages
      .slice(last + 1)
      .reduce((sum, message) => sum + estimateTokens(message as never), measured);
  }

  #fire(name: string, event: object): unknown {
    return this.#handlers.get(name)?.({ type: name, ...event }, this.#ctx);
  }

  #tick(): number {
    this.#time += 1_000;
    return this.#time;
  }
}

function usageOf(input: number, output: number): AssistantMessage["usage"] {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output, cost };
}

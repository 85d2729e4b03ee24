/**
 * A scripted model on the loopback interface. It speaks Chat Completions and Anthropic Messages (streaming),
 * records every request body, and can be as strict as a real provider: it refuses requests that break the pairing
 * rules and requests above a token limit, with the errors that real providers send.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type CompleteStep, completeStep, type ModelStep, type ScriptedStep } from "./model-step.ts";
import { type CachedTokens, streamAnswer } from "./model-stream.ts";
import { violations } from "./provider-rules.ts";
import { countTokens } from "./token-count.ts";
import { isSummaryRequest, type WireApi, type WireBody } from "./wire.ts";

export interface MockOptions {
  /** Answers one after the other; a single function answers every request. */
  readonly script?: ScriptedStep | readonly ScriptedStep[];
  /** "strict" answers 400 to a body that breaks the provider rules; both record the violations. */
  readonly rules?: "strict" | "record";
  /** Refuses requests above this many tokens (its own count). */
  readonly limitTokens?: number;
  readonly cachedTokens?: CachedTokens;
  /** The provider's tokenizer. Default: a quarter of the characters. */
  readonly count?: (body: WireBody) => number;
}

/** One recorded request. */
export interface RecordedRequest {
  readonly n: number;
  readonly api: WireApi;
  readonly body: WireBody;
  /** The mock's own count. */
  readonly tokens: number;
  readonly violations: readonly string[];
  /** What became of it; "closed" when Pi hung up before the answer was complete. */
  outcome: "pending" | "answered" | "refused" | "overflow" | "failed" | "closed";
}

export class MockModel {
  readonly requests: RecordedRequest[] = [];
  readonly #options: MockOptions;
  readonly #queue: ScriptedStep[];
  readonly #server: Server;
  #ids = 0;

  private constructor(options: MockOptions) {
    this.#options = options;
    const script = options.script ?? [];
    this.#queue = Array.isArray(script) ? [...script] : [];
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(options: MockOptions = {}): Promise<MockModel> {
    const mock = new MockModel(options);
    await new Promise<void>((resolve, reject) => {
      mock.#server.once("error", reject);
      mock.#server.listen(0, "127.0.0.1", resolve);
    });
    return mock;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Bodies of the agent's own requests: Pi's requests for summaries are left out. */
  get bodies(): WireBody[] {
    return this.requests.map((request) => request.body).filter((body) => !isSummaryRequest(body));
  }

  /** Requests that broke the provider rules. */
  get unlawful(): RecordedRequest[] {
    return this.requests.filter((request) => request.violations.length > 0);
  }

  /** Requests refused because they were above the limit. */
  get overflows(): number {
    return this.requests.filter((request) => request.outcome === "overflow").length;
  }

  /** Adds answers behind those that are still waiting. */
  push(...steps: readonly ScriptedStep[]): void {
    this.#queue.push(...steps);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const api: WireApi = request.url?.includes("/messages") ? "anthropic-messages" : "openai-completions";
    const record = this.#record(api, body);
    response.on("close", () => {
      if (record.outcome === "pending") record.outcome = "closed";
    });
    const refusal = this.#refusal(record);
    if (refusal !== undefined) return refuse(response, 400, refusal);
    const step = await this.#nextStep(record);
    if (step.fault === "hang") return;
    if (step.delayMs !== undefined) await sleep(step.delayMs);
    if (step.status !== undefined && step.status !== 200) {
      record.outcome = "failed";
      return refuse(
        response,
        step.status,
        step.error ?? errorBody(api, "api_error", `status ${step.status}`),
      );
    }
    if (record.outcome === "pending") record.outcome = "answered";
    const { cachedTokens = "exact" } = this.#options;
    streamAnswer(api, response, step, { id: this.#nextId("answer"), model: body.model, cachedTokens });
  }

  #record(api: WireApi, body: WireBody): RecordedRequest {
    const record: RecordedRequest = {
      n: this.requests.length,
      api,
      body,
      tokens: (this.#options.count ?? countTokens)(body),
      violations: violations(api, body),
      outcome: "pending",
    };
    this.requests.push(record);
    return record;
  }

  /** The error body of a request that a strict or full provider refuses. */
  #refusal(record: RecordedRequest): object | undefined {
    const { rules, limitTokens = Number.POSITIVE_INFINITY } = this.#options;
    if (rules === "strict" && record.violations.length > 0) {
      record.outcome = "refused";
      return errorBody(record.api, "invalid_request_error", record.violations.join("; "));
    }
    if (record.tokens <= limitTokens) return undefined;
    record.outcome = "overflow";
    return errorBody(record.api, "invalid_request_error", overflowText(record, limitTokens));
  }

  async #nextStep(record: RecordedRequest): Promise<CompleteStep> {
    const { script } = this.#options;
    const scripted =
      this.#queue.shift() ?? (typeof script === "function" ? script : { text: "(end of script)" });
    const step: ModelStep = typeof scripted === "function" ? await scripted(record.body, record.n) : scripted;
    return completeStep(step, record.tokens, () => this.#nextId("call"));
  }

  #nextId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_${this.#ids}`;
  }
}

async function readBody(request: IncomingMessage): Promise<WireBody> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString("utf8")) as WireBody;
}

function refuse(response: ServerResponse, status: number, error: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(error));
}

function errorBody(api: WireApi, type: string, message: string): object {
  return api === "anthropic-messages"
    ? { type: "error", error: { type, message } }
    : { error: { message, type, code: null } };
}

function overflowText(record: RecordedRequest, limitTokens: number): string {
  return record.api === "anthropic-messages"
    ? `prompt is too long: ${record.tokens} tokens > ${limitTokens} maximum`
    : `This model's maximum context length is ${limitTokens} tokens. However, your messages resulted in ` +
        `${record.tokens} tokens. Please reduce the length of the messages.`;
}

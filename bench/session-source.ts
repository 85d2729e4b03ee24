import { SessionManager } from "@earendil-works/pi-coding-agent";
import type { AgentMessage, AssistantMessage, ToolResultMessage } from "../lib/messages.ts";

/** Grows a real Pi session (current host, in memory) by exchanges of a given size. */
export class SessionSource {
  readonly manager = SessionManager.inMemory("/bench");
  readonly #resultText: (exchange: number) => string;
  #exchanges = 0;
  #inputTokens = 0;
  #time = 1_700_000_000_000;

  /** `resultCharacters`: length of each tool result. */
  constructor(resultCharacters: number) {
    this.#resultText = (exchange) => proseOf(exchange, resultCharacters);
    this.manager.appendMessage({ role: "user", content: "Do the task.", timestamp: this.#time });
  }

  /** Milliseconds since 1970, as the session has them. */
  get time(): number {
    return this.#time;
  }

  /** Appends exchanges; every 20th starts a new user turn. `inputTokens`: what the provider counts for their requests. */
  grow(count: number, inputTokens = 1000): void {
    this.#inputTokens = inputTokens;
    for (let added = 0; added < count; added++) this.#appendExchange();
  }

  /** A new message list, as Pi clones it for each request. */
  get messages(): AgentMessage[] {
    return structuredClone(this.stored);
  }

  /** The messages that Pi would clone. */
  get stored(): AgentMessage[] {
    return this.manager.buildSessionProjection().messages.filter((message) => message.role !== "system");
  }

  get newestResponse(): AssistantMessage | undefined {
    let entry = this.manager.getLeafEntry();
    while (entry && !(entry.type === "message" && entry.message.role === "assistant")) {
      entry = entry.parentId === null ? undefined : this.manager.getEntry(entry.parentId);
    }
    return entry?.type === "message" && entry.message.role === "assistant" ? entry.message : undefined;
  }

  #appendExchange(): void {
    const exchange = this.#exchanges++;
    if (exchange > 0 && exchange % 20 === 0) {
      this.manager.appendMessage(this.#assistant("Done with this step.", undefined));
      this.manager.appendMessage({
        role: "user",
        content: `Next step ${exchange}.`,
        timestamp: this.#tick(),
      });
    }
    const id = `call_${exchange}`;
    this.manager.appendMessage(this.#assistant(`Reading file ${exchange}.`, id));
    const result: ToolResultMessage = {
      role: "toolResult",
      toolCallId: id,
      toolName: "read",
      content: [{ type: "text", text: this.#resultText(exchange) }],
      isError: false,
      timestamp: this.#tick(),
    };
    this.manager.appendMessage(result);
  }

  #assistant(text: string, callId: string | undefined): AssistantMessage {
    const call =
      callId &&
      ({ type: "toolCall", id: callId, name: "read", arguments: { path: `src/${callId}.ts` } } as const);
    return {
      role: "assistant",
      content: [{ type: "text", text }, ...(call ? [call] : [])],
      api: "openai-completions",
      provider: "bench",
      model: "bench",
      usage: {
        input: this.#inputTokens,
        output: OUTPUT_TOKENS,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: this.#inputTokens + OUTPUT_TOKENS,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
      stopReason: call ? "toolUse" : "stop",
      timestamp: this.#tick(),
    };
  }

  #tick(): number {
    this.#time += 1000;
    return this.#time;
  }
}

const OUTPUT_TOKENS = 50;

const LINE = "export function handle(request: Request): Response { return respond(request, 200); }\n";

function proseOf(exchange: number, characters: number): string {
  const head = `// file ${exchange}\n`;
  return (head + LINE.repeat(Math.ceil(characters / LINE.length))).slice(0, characters);
}

/**
 * Builds session entries as Pi stores them: a parent chain, eight-digit ids and one second between two entries, all
 * the same in each run. `branch().user("hi").assistant({ calls: [{ name: "read" }] }).results().entries`
 */
import type {
  AgentMessage,
  AssistantBlock,
  AssistantMessage,
  BashExecutionMessage,
  ContentBlock,
  SessionEntry,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../../lib/messages.ts";

type EntryFields<T extends SessionEntry> = T extends SessionEntry
  ? Omit<T, "id" | "parentId" | "timestamp">
  : never;

export interface CallDraft {
  readonly name: string;
  readonly args?: ToolCall["arguments"];
  /** Default: a new id in this branch. */
  readonly id?: string;
}

export interface AssistantDraft {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly CallDraft[];
  /** The exact blocks, instead of the three fields above. */
  readonly content?: AssistantBlock[];
  /** Default: "toolUse" with calls, "stop" without. */
  readonly stopReason?: AssistantMessage["stopReason"];
  readonly errorMessage?: string;
  /** Provider tokens; all zero (no observation) by default. */
  readonly usage?: Partial<AssistantMessage["usage"]>;
  readonly provider?: string;
  readonly model?: string;
}

export interface ResultDraft {
  readonly text?: string;
  readonly content?: ContentBlock[];
  readonly isError?: boolean;
  /** Default: the oldest call without a result. */
  readonly callId?: string;
  readonly toolName?: string;
  readonly nestedCalls?: NonNullable<ToolResultMessage["nestedCalls"]>;
}

const START_MS = Date.UTC(2026, 0, 5, 9, 0, 0);
const NO_USAGE: AssistantMessage["usage"] = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export function branch(): BranchBuilder {
  return new BranchBuilder();
}

export class BranchBuilder {
  readonly #entries: SessionEntry[] = [];
  #leafId: string | null = null;
  #calls = 0;
  #open: { readonly id: string; readonly name: string }[] = [];

  /** All entries, in the order they were added: also those of branches that were left. */
  get entries(): SessionEntry[] {
    return [...this.#entries];
  }

  /** The entries from the root to the leaf, by the parent chain. */
  get path(): SessionEntry[] {
    const byId = new Map(this.#entries.map((entry) => [entry.id, entry]));
    const path: SessionEntry[] = [];
    let entry = byId.get(this.#leafId ?? "");
    while (entry !== undefined) {
      path.unshift(entry);
      entry = byId.get(entry.parentId ?? "");
    }
    return path;
  }

  /** The messages of the path's message entries, in order. */
  get messages(): AgentMessage[] {
    return this.path.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  }

  /** Id of the newest entry of the path. */
  get leafId(): string {
    if (this.#leafId === null) throw new Error("the branch is empty");
    return this.#leafId;
  }

  /** Goes on from a stored branch. */
  adopt(entries: readonly SessionEntry[]): this {
    this.#entries.push(...entries);
    this.#leafId = entries.at(-1)?.id ?? null;
    return this;
  }

  user(content: UserMessage["content"]): this {
    return this.message({ role: "user", content, timestamp: this.#nowMs() });
  }

  assistant(draft: AssistantDraft = {}): this {
    const content = draft.content ?? this.#blocks(draft);
    const calls = content.filter((block) => block.type === "toolCall");
    this.#open = calls.map(({ id, name }) => ({ id, name }));
    return this.message({
      role: "assistant",
      content,
      api: "openai-completions",
      provider: draft.provider ?? "mock-chat",
      model: draft.model ?? "mock-model",
      usage: { ...NO_USAGE, ...draft.usage },
      stopReason: draft.stopReason ?? (calls.length > 0 ? "toolUse" : "stop"),
      ...(draft.errorMessage === undefined ? {} : { errorMessage: draft.errorMessage }),
      timestamp: this.#nowMs(),
    });
  }

  /** The result of one call. */
  result(draft: ResultDraft | string = {}): this {
    const { text = "done", callId, ...rest } = typeof draft === "string" ? { text: draft } : draft;
    const call = this.#open.find((open) => callId === undefined || open.id === callId);
    this.#open = this.#open.filter((open) => open !== call);
    return this.message({
      role: "toolResult",
      toolCallId: call?.id ?? callId ?? "no-such-call",
      toolName: rest.toolName ?? call?.name ?? "unknown",
      content: rest.content ?? [{ type: "text", text }],
      ...(rest.nestedCalls === undefined ? {} : { nestedCalls: rest.nestedCalls }),
      isError: rest.isError ?? false,
      timestamp: this.#nowMs(),
    });
  }

  /** One result for each call that is still open. */
  results(text?: string): this {
    for (const { id } of [...this.#open])
      this.result(text === undefined ? { callId: id } : { callId: id, text });
    return this;
  }

  /** A whole turn: prompt, one round of calls with their results, final answer. */
  turn(prompt: string, calls: readonly CallDraft[], resultText: string, answer = "Done."): this {
    return this.user(prompt).assistant({ calls }).results(resultText).assistant({ text: answer });
  }

  /** A `!` run of the user; "withheld" for `!!`, which the model never sees. */
  bash(command: string, output: string, visibility: "sent" | "withheld" = "sent"): this {
    const message: BashExecutionMessage = {
      role: "bashExecution",
      command,
      output,
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: this.#nowMs(),
    };
    return this.message(visibility === "withheld" ? { ...message, excludeFromContext: true } : message);
  }

  message(message: AgentMessage): this {
    return this.entry({ type: "message", message });
  }

  /** A message of an extension that the model sees. */
  custom(content: string | ContentBlock[], customType = "note", display = true): this {
    return this.entry({ type: "custom_message", customType, content, display });
  }

  /** State of an extension that the model does not see. */
  state(customType: string, data: unknown): this {
    return this.entry({ type: "custom", customType, data });
  }

  compaction(summary: string, firstKeptEntryId: string, tokensBefore = 50_000): this {
    return this.entry({ type: "compaction", summary, firstKeptEntryId, tokensBefore });
  }

  branchSummary(summary: string, fromId: string): this {
    return this.entry({ type: "branch_summary", summary, fromId });
  }

  /** Hides the target from the model, or replaces its content. */
  contextEdit(targetId: string, content: UserMessage["content"] | null = null): this {
    return this.entry({
      type: "context_edit",
      targetId,
      replacement: content === null ? null : { content },
    });
  }

  model(provider: string, modelId: string): this {
    return this.entry({ type: "model_change", provider, modelId });
  }

  /** Continues at an earlier entry; what follows it stays in the file as a branch that was left. */
  goTo(entryId: string): this {
    this.#leafId = entryId;
    this.#open = [];
    return this;
  }

  /** Any entry, with the next id and time. */
  entry(fields: EntryFields<SessionEntry>): this {
    const entry = {
      ...fields,
      id: (this.#entries.length + 1).toString(16).padStart(8, "0"),
      parentId: this.#leafId,
      timestamp: new Date(this.#nowMs()).toISOString(),
    } as SessionEntry;
    this.#entries.push(entry);
    this.#leafId = entry.id;
    return this;
  }

  #nowMs(): number {
    return START_MS + this.#entries.length * 1_000;
  }

  #blocks({ text, thinking, calls = [] }: AssistantDraft): AssistantBlock[] {
    return [
      ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking }]),
      ...(text === undefined ? [] : [{ type: "text" as const, text }]),
      ...calls.map(({ name, args = {}, id }) => {
        this.#calls += 1;
        return { type: "toolCall" as const, id: id ?? `call-${this.#calls}`, name, arguments: args };
      }),
    ];
  }
}

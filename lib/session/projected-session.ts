import type { AgentMessage, ContextEditEntry, SessionEntry } from "../messages.ts";
import { contextMessageOf } from "./context-message.ts";
import { callIds } from "./tool-calls.ts";

/** One message of Pi's own projection of the branch, with the entry it comes from. */
export interface ProjectedMessage {
  readonly entryId: string;
  /** Its place among the projected messages. */
  readonly index: number;
  /** The stored message itself, or what a context edit made of it. Never a copy of its content. */
  readonly message: AgentMessage;
  /** Ids of its tool calls, in order. */
  readonly callIds: readonly string[];
  /** A context edit withholds the entry. Hosts that do not know context edits still send it. */
  readonly hidden: boolean;
}

/**
 * The messages that Pi makes of the active branch for a request: the newest compaction first, then the entries it
 * kept, then everything after it, with context edits applied. Both hosts do the same, but only one tells.
 */
export class ProjectedSession {
  #messages: ProjectedMessage[] = [];

  get messages(): readonly ProjectedMessage[] {
    return this.#messages;
  }

  /** Follows the branch by `added`, its newest entries. A new compaction changes what is kept, so it starts over. */
  extend(branch: readonly SessionEntry[], added: readonly SessionEntry[]): void {
    const compacted = added.some((entry) => entry.type === "compaction");
    if (compacted) this.#messages = [];
    for (const entry of compacted ? contextEntries(branch) : added) this.#add(entry);
  }

  #add(entry: SessionEntry): void {
    if (entry.type === "context_edit") {
      this.#edit(entry);
      return;
    }
    // Of several compactions only the newest contributes, and it stands first.
    if (entry.type === "compaction" && this.#messages.length > 0) return;
    const message = entry.type === "message" ? entry.message : contextMessageOf(entry);
    if (!message || message.role === "system") return;
    this.#messages.push(projectedMessage(entry.id, this.#messages.length, message));
  }

  #edit(edit: ContextEditEntry): void {
    const index = this.#messages.findLastIndex((projected) => projected.entryId === edit.targetId);
    const target = this.#messages[index];
    if (!target) return;
    this.#messages[index] =
      edit.replacement === null
        ? { ...target, hidden: true }
        : projectedMessage(target.entryId, index, withContent(target.message, edit.replacement.content));
  }
}

const NO_CALLS: readonly string[] = [];

function projectedMessage(entryId: string, index: number, message: AgentMessage): ProjectedMessage {
  const ids = message.role === "assistant" ? callIds(message) : NO_CALLS;
  return { entryId, index, message, callIds: ids.length > 0 ? ids : NO_CALLS, hidden: false };
}

function contextEntries(branch: readonly SessionEntry[]): readonly SessionEntry[] {
  const index = branch.findLastIndex((entry) => entry.type === "compaction");
  const compaction = branch[index];
  if (compaction?.type !== "compaction") return branch;
  const firstKept = branch.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
  const kept = firstKept < 0 ? [] : branch.slice(firstKept, index);
  return [compaction, ...kept, ...branch.slice(index + 1)];
}

type EditedContent = NonNullable<ContextEditEntry["replacement"]>["content"];

function withContent(message: AgentMessage, content: EditedContent): AgentMessage {
  switch (message.role) {
    case "user":
    case "custom":
      return { ...message, content } as AgentMessage;
    case "assistant":
    case "toolResult": {
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
      return { ...message, content: blocks } as AgentMessage;
    }
    default:
      return message;
  }
}

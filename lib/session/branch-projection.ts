import { HistoryProjectionError } from "../errors.ts";
import type { ContextMessage, MessageEntry, SessionEntry } from "../messages.ts";
import { contextMessageOf } from "./context-message.ts";
import type { HistoryItem, ModelTurnItem } from "./history-item.ts";
import { OpenTurn } from "./open-turn.ts";
import { ProjectedSession } from "./projected-session.ts";
import { projectionError } from "./projection-error.ts";

/**
 * The active branch as items, kept in step with the session: it extends itself while the branch grows and starts over
 * only when the branch is another one. Section "Raw branch projection".
 *
 * Invariant: after `update(branch)` every query answers for exactly that branch, as a fresh instance would.
 */
export class BranchProjection {
  /** How many entries it follows, and the newest of them. Not the list: its owner may append to that. */
  #known = 0;
  #newest: SessionEntry | undefined;
  #appended: readonly SessionEntry[] = [];
  #history = new HistoryBuilder();
  #session = new ProjectedSession();

  /** Follows the session to `branch` (oldest entry first). Costs only the new entries while the branch grows. */
  update(branch: readonly SessionEntry[]): void {
    const known = this.#known;
    const grows = known === 0 || (known <= branch.length && this.#newest === branch[known - 1]);
    if (!grows) this.#startOver();
    const added = branch.slice(grows ? known : 0);
    try {
      for (const entry of added) this.#history.add(entry);
      this.#session.extend(branch, added);
    } catch (error) {
      // What is half done must not pass for the branch the next time.
      this.#startOver();
      throw error;
    }
    this.#known = branch.length;
    this.#newest = branch.at(-1);
    this.#appended = grows && known > 0 ? added : [];
  }

  /** The entries that the last update added to a branch already known; none after a start over. */
  get appendedEntries(): readonly SessionEntry[] {
    return this.#appended;
  }

  /** What Pi itself makes of the branch for a request, with the entry behind each message. */
  get session(): ProjectedSession {
    return this.#session;
  }

  /** Why the branch cannot be projected. Errors are about one entry and stay until the branch is another one. */
  get error(): HistoryProjectionError | undefined {
    return this.#history.error;
  }

  /** All items, oldest first. Throws the {@link HistoryProjectionError} of a branch that breaks the pairing rules. */
  get items(): readonly HistoryItem[] {
    if (this.error) throw this.error;
    return this.#history.items;
  }

  /** The item with this id; none when it does not exist or entries share the id. */
  item(historyId: string): HistoryItem | undefined {
    return this.error ? undefined : this.#history.item(historyId);
  }

  /** The newest model turn that was not interrupted. Context items and user messages do not count. */
  get lastModelTurn(): ModelTurnItem | undefined {
    return this.error ? undefined : this.#history.lastModelTurn;
  }

  #startOver(): void {
    this.#known = 0;
    this.#newest = undefined;
    this.#appended = [];
    this.#history = new HistoryBuilder();
    this.#session = new ProjectedSession();
  }
}

/** Folds entries, oldest first, into items. */
class HistoryBuilder {
  readonly items: HistoryItem[] = [];
  error: HistoryProjectionError | undefined;
  readonly #byId = new Map<string, HistoryItem | "ambiguous">();
  #open: OpenTurn | undefined;
  /** Where the open turn stands, or will stand, among the items. */
  #openIndex = 0;
  #openIsListed = false;

  get lastModelTurn(): ModelTurnItem | undefined {
    return this.items.findLast(
      (item): item is ModelTurnItem => item.kind === "modelTurn" && !item.interrupted,
    );
  }

  item(historyId: string): HistoryItem | undefined {
    const found = this.#byId.get(historyId);
    return found === "ambiguous" ? undefined : found;
  }

  add(entry: SessionEntry): void {
    if (this.error) return;
    try {
      if (entry.type === "message") this.#addMessage(entry);
      else this.#addContext(entry, contextMessageOf(entry));
    } catch (error) {
      if (!(error instanceof HistoryProjectionError)) throw error;
      this.error = error;
    }
  }

  #addMessage(entry: MessageEntry): void {
    const message = entry.message;
    switch (message.role) {
      case "user":
        this.#closeAsInterrupted();
        this.#list({ kind: "user", historyId: entry.id, timestamp: entry.timestamp, message });
        return;
      case "assistant":
        this.#open?.endBeforeTurn();
        this.#open = new OpenTurn(entry.id, entry.timestamp, message);
        this.#openIndex = this.items.length;
        this.#openIsListed = false;
        this.#listOpenTurn();
        return;
      case "toolResult":
        if (!this.#open) throw orphan(entry.id, message.toolCallId);
        this.#open.accept(message, entry.id);
        this.#listOpenTurn();
        return;
      default:
        this.#addContext(entry, contextMessageOf(entry));
    }
  }

  #addContext(entry: SessionEntry, message: ContextMessage | undefined): void {
    if (!message) return;
    this.#list({ kind: "context", historyId: entry.id, timestamp: entry.timestamp, message });
  }

  /** A user message ends the turn before it: calls still unanswered there never get a result (their run was killed). */
  #closeAsInterrupted(): void {
    if (this.#open && !this.#openIsListed) this.#placeOpenTurn(this.#open.item);
    this.#open = undefined;
  }

  #listOpenTurn(): void {
    if (this.#open?.isItem) this.#placeOpenTurn(this.#open.item);
  }

  /** The turn stands where its assistant stands, also when context items came between it and its last result. */
  #placeOpenTurn(item: ModelTurnItem): void {
    if (this.#openIsListed) this.items[this.#openIndex] = item;
    else this.items.splice(this.#openIndex, 0, item);
    this.#register(item);
    this.#openIsListed = true;
  }

  #list(item: HistoryItem): void {
    this.items.push(item);
    this.#register(item);
  }

  #register(item: HistoryItem): void {
    const known = this.#byId.get(item.historyId);
    const isNewer =
      item.kind === "modelTurn" && this.#openIsListed && this.#open?.historyId === item.historyId;
    this.#byId.set(
      item.historyId,
      known === undefined || (isNewer && known !== "ambiguous") ? item : "ambiguous",
    );
  }
}

function orphan(entryId: string, toolCallId: string): HistoryProjectionError {
  return projectionError(
    "ORPHAN_TOOL_RESULT",
    entryId,
    `Session entry ${entryId} is a result of tool call ${toolCallId}, but no model turn before it is waiting for results.`,
  );
}

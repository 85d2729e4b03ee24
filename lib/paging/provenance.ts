import type { AgentMessage } from "../messages.ts";
import type { ProjectedMessage } from "../session/projected-session.ts";
import { callIds, isAbortedOrFailed } from "../session/tool-calls.ts";
import { alignInOrder } from "./alignment.ts";

/**
 * Where each message of a request comes from: the session (with its entry, once that is stored) or another extension
 * that added it to this request only. Sections "Context selection" and "Stable cut state".
 */
export class Provenance {
  /** By position in the request: the projected message behind it. */
  readonly #sources: readonly (ProjectedMessage | undefined)[];
  readonly #unstored: ReadonlySet<number>;

  private constructor(sources: readonly (ProjectedMessage | undefined)[], unstored: ReadonlySet<number>) {
    this.#sources = sources;
    this.#unstored = unstored;
  }

  /**
   * Traces `messages` to `projected`. With `branchLag` "tail", conversation at the end of the request that is not
   * stored yet counts as the session's too.
   */
  static trace(
    messages: readonly AgentMessage[],
    projected: readonly ProjectedMessage[],
    branchLag: "none" | "tail",
  ): Provenance {
    const sources = alignInOrder(messages, projected);
    return new Provenance(
      sources,
      branchLag === "tail" ? unstoredConversation(messages, sources) : new Set(),
    );
  }

  /** Whether the message belongs to the session. The others are outgoing-only. */
  isPersistent(position: number): boolean {
    return this.#sources[position] !== undefined || this.#unstored.has(position);
  }

  /** How many leading positions hold the same stored messages as in another request. */
  sharedLength(other: Provenance): number {
    const length = Math.min(this.#sources.length, other.#sources.length);
    let position = 0;
    while (position < length) {
      const source = this.#sources[position];
      if (source === undefined || source !== other.#sources[position]) break;
      position++;
    }
    return position;
  }

  /** Positions of conversation that the host has not stored yet. */
  get unstored(): ReadonlySet<number> {
    return this.#unstored;
  }

  /** The projected message behind the one at this position. */
  source(position: number): ProjectedMessage | undefined {
    return this.#sources[position];
  }

  /** Id of the session entry behind the message at this position. */
  entryId(position: number): string | undefined {
    return this.#sources[position]?.entryId;
  }
}

/**
 * The legacy host asks for a request before it has stored the newest messages. In the unaligned tail, responses and
 * results are conversation; so is the first user message, with the custom messages after it, where a new turn is due.
 */
function unstoredConversation(
  messages: readonly AgentMessage[],
  sources: readonly (ProjectedMessage | undefined)[],
): Set<number> {
  const unstored = new Set<number>();
  const lastStored = sources.findLastIndex((source) => source !== undefined);
  const last = messages[lastStored];
  let turnIsDue = last === undefined || (last.role === "assistant" && isLastOfRun(last));
  let inEnvelope = false;
  for (let position = lastStored + 1; position < messages.length; position++) {
    const role = messages[position]?.role;
    const startsTurn = role === "user" && turnIsDue;
    inEnvelope = startsTurn || (role === "custom" && inEnvelope);
    if (startsTurn) turnIsDue = false;
    if (inEnvelope || role === "assistant" || role === "toolResult") unstored.add(position);
  }
  return unstored;
}

/** A final answer, or a response that was interrupted before its calls were answered. */
function isLastOfRun(assistant: Extract<AgentMessage, { role: "assistant" }>): boolean {
  return isAbortedOrFailed(assistant) || callIds(assistant).length === 0;
}

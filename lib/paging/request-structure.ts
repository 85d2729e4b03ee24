/**
 * The order of a legal request.
 *
 * Each response is read together with its results. An interrupted response (aborted, failed, or of a run that was
 * killed before every call had its result) leaves the request with its results: a provider cannot take it. A custom,
 * bash or summary message between a call and its results moves behind them, as the same object. Everything else that
 * breaks the pairing of calls and results is an error; nothing is repaired silently. Section "Context selection".
 */
import { ContextSelectionError } from "../errors.ts";
import type { AgentMessage, AssistantMessage, ToolResultMessage } from "../messages.ts";
import { callIds, isAbortedOrFailed } from "../session/tool-calls.ts";
import type { Provenance } from "./provenance.ts";

/** A response with its results, by position in the request. */
export interface Exchange {
  readonly kind: "exchange";
  readonly assistant: number;
  readonly results: readonly number[];
  /** Ids of its calls; all have their result unless the exchange is interrupted. */
  readonly callIds: readonly string[];
  readonly interrupted: boolean;
}

/** Any other message, by position in the request. */
export interface SingleMessage {
  readonly kind: "message";
  readonly position: number;
}

export type Segment = Exchange | SingleMessage;

/**
 * The validated parts of a request, from position `from` on, in the order in which they may be sent. No exchange may be
 * open there. Throws INVALID_MESSAGE_STRUCTURE.
 */
export function requestStructure(
  messages: readonly AgentMessage[],
  provenance: Provenance,
  from = 0,
): readonly Segment[] {
  const reader = new StructureReader(provenance);
  for (let position = from; position < messages.length; position++) {
    const message = messages[position];
    if (message) reader.read(message, position);
  }
  return reader.end();
}

interface OpenExchange {
  readonly kind: "exchange";
  readonly assistant: number;
  readonly results: number[];
  readonly callIds: readonly string[];
  interrupted: boolean;
}

class StructureReader {
  readonly #provenance: Provenance;
  readonly #segments: Segment[] = [];
  #open: OpenExchange | undefined;
  readonly #unanswered: string[] = [];

  constructor(provenance: Provenance) {
    this.#provenance = provenance;
  }

  read(message: AgentMessage, position: number): void {
    switch (message.role) {
      case "assistant":
        this.#assistant(message, position);
        return;
      case "toolResult":
        this.#result(message, position);
        return;
      case "user":
        this.#user(position);
        return;
      default:
        this.#other(position);
    }
  }

  #assistant(message: AssistantMessage, position: number): void {
    if (this.#isWaiting && !this.#open?.interrupted) {
      throw this.#structureError(
        `the response ${this.#place(position)} follows a response whose calls ${this.#unanswered.join(", ")} have no result`,
      );
    }
    const calls = this.#provenance.source(position)?.callIds ?? callIds(message);
    this.#unanswered.length = 0;
    for (const id of calls) this.#unanswered.push(id);
    this.#open = {
      kind: "exchange",
      assistant: position,
      results: [],
      callIds: calls,
      interrupted: isAbortedOrFailed(message),
    };
    this.#segments.push(this.#open);
  }

  #result(message: ToolResultMessage, position: number): void {
    const index = this.#unanswered.indexOf(message.toolCallId);
    if (!this.#open || index < 0) {
      const reason = this.#open?.callIds.includes(message.toolCallId)
        ? "was answered already"
        : "is not open";
      throw this.#structureError(
        `the tool result ${this.#place(position)} answers call ${message.toolCallId}, which ${reason}`,
      );
    }
    this.#unanswered.splice(index, 1);
    this.#open.results.push(position);
  }

  /** A user message ends the exchange before it: the run that made its unanswered calls was killed. */
  #user(position: number): void {
    this.#endExchange();
    this.#segments.push({ kind: "message", position });
  }

  /** Pushed behind the open exchange, and so behind all of its results. */
  #other(position: number): void {
    this.#segments.push({ kind: "message", position });
  }

  /** An exchange that is still incomplete at the end of the request is not part of it yet. */
  end(): readonly Segment[] {
    this.#endExchange();
    return this.#segments;
  }

  get #isWaiting(): boolean {
    return this.#unanswered.length > 0;
  }

  #endExchange(): void {
    if (this.#open && this.#isWaiting) this.#open.interrupted = true;
    this.#open = undefined;
    this.#unanswered.length = 0;
  }

  #place(position: number): string {
    const entryId = this.#provenance.entryId(position);
    return entryId ? `of session entry ${entryId}` : `at position ${position} of the request`;
  }

  #structureError(found: string): ContextSelectionError {
    return new ContextSelectionError(
      "INVALID_MESSAGE_STRUCTURE",
      `The request breaks the pairing of tool calls and results: ${found}. No message was changed. ` +
        "Turn paging off with /context-paging off, or go back to before the damage with /tree.",
    );
  }
}

import type { AgentMessage } from "../messages.ts";
import { isAbortedOrFailed } from "../session/tool-calls.ts";
import type { Provenance } from "./provenance.ts";
import { requestStructure } from "./request-structure.ts";
import { type PlacedSegment, placeInTurns } from "./turns.ts";

/**
 * Reads requests into the parts they are made of. What a request begins with is mostly what the one before began with,
 * so its parts are taken over: as far as the same stored messages stand at the same positions and end as they are
 * stored, and up to an exchange that has all its results. Nothing that follows such an exchange changes how it, or anything before it, is read.
 *
 * Invariant: the parts are those that a new reader would give.
 */
export class PartsReader {
  #provenance: Provenance | undefined;
  #parts: readonly PlacedSegment[] = [];
  #faithfulLength = 0;

  /** The parts of a request, oldest first. Throws `INVALID_MESSAGE_STRUCTURE` when its calls and results do not pair. */
  read(messages: readonly AgentMessage[], provenance: Provenance): readonly PlacedSegment[] {
    const faithfulLength = lengthEndingAsStored(messages, provenance);
    const settled = this.#settledParts(provenance, faithfulLength);
    const last = settled.at(-1);
    const segments = requestStructure(messages, provenance, last ? endOf(last) : 0);
    const parts = settled.concat(placeInTurns(segments, messages, provenance, last));
    this.#provenance = provenance;
    this.#parts = parts;
    this.#faithfulLength = faithfulLength;
    return parts;
  }

  #settledParts(provenance: Provenance, faithfulLength: number): readonly PlacedSegment[] {
    if (!this.#provenance) return [];
    const sharedLength = provenance.sharedLength(this.#provenance);
    const shared = Math.min(sharedLength, faithfulLength, this.#faithfulLength);
    const last = this.#parts.findLastIndex((part) => part.role === "exchange" && endOf(part) <= shared);
    return this.#parts.slice(0, last + 1);
  }
}

/** How many leading messages no other extension turned into an interrupted response, or out of one. */
function lengthEndingAsStored(messages: readonly AgentMessage[], provenance: Provenance): number {
  for (let position = 0; position < messages.length; position++) {
    // The stored message first: its strings are the engine's own, those of a fresh clone are slow to compare.
    const stored = provenance.source(position)?.message;
    if (stored?.role !== "assistant") continue;
    const message = messages[position];
    if (message?.role !== "assistant" || message.stopReason === stored.stopReason) continue;
    if (isAbortedOrFailed(message) !== isAbortedOrFailed(stored)) return position;
  }
  return messages.length;
}

/** Position behind the last message of a part; of an exchange that other messages interrupt, none. */
function endOf({ segment }: PlacedSegment): number {
  if (segment.kind === "message") return segment.position + 1;
  const last = segment.results.at(-1) ?? segment.assistant;
  const isContiguous = last - segment.assistant === segment.results.length;
  return isContiguous ? last + 1 : Number.POSITIVE_INFINITY;
}

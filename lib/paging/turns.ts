/**
 * Reads the validated parts of a request as conversation: which turn each belongs to, and what it is there.
 *
 * A turn starts with a persistent user message, or with a persistent custom message that starts a run. Directly after
 * the results of a settled exchange the run is still going: a custom message there belongs to that exchange, a user
 * message there is steering. Section "Context selection"; definitions in "Turns" of ARCHITECTURE.md.
 */
import type { AgentMessage } from "../messages.ts";
import type { Provenance } from "./provenance.ts";
import type { Segment } from "./request-structure.ts";

/** What a part of a request is within its turn. */
export type TurnRole =
  /** The message that starts the turn, and the custom messages directly after it. */
  | "envelope"
  /** A user message sent while the run was going. */
  | "steering"
  /** A response with its results. */
  | "exchange"
  /** A response that leaves the request, with its results. */
  | "interrupted"
  /** Anything else of the session: belongs to the exchange before it, or to the envelope. */
  | "attached"
  /** Before the first turn: stands on its own. */
  | "single"
  /** Outgoing-only: another extension added it to this request. */
  | "injected";

export interface PlacedSegment {
  readonly segment: Segment;
  /** Number of the turn, from 0; -1 before the first turn starts. */
  readonly turn: number;
  readonly role: TurnRole;
}

/** The session entry that names a part. None names what leaves interrupted, and what is not stored. */
export function entryIdOf({ segment, role }: PlacedSegment, provenance: Provenance): string | undefined {
  if (role === "interrupted") return undefined;
  return provenance.entryId(segment.kind === "exchange" ? segment.assistant : segment.position);
}

/**
 * Places each segment in its turn. Order and number of the segments stay. `before`: the settled exchange that they
 * follow; without it they begin the request.
 */
export function placeInTurns(
  segments: readonly Segment[],
  messages: readonly AgentMessage[],
  provenance: Provenance,
  before?: PlacedSegment,
): readonly PlacedSegment[] {
  const runStarts = customRunStarts(segments, messages, provenance);
  let turn = before?.turn ?? -1;
  /** The last exchange is settled, and since then only custom and steering messages came. */
  let isRunGoing = before !== undefined && isRunning(before.segment);
  let inEnvelope = false;
  let turnHasExchange = true;
  return segments.map((segment, index) => {
    const place = (role: TurnRole): PlacedSegment => ({ segment, turn, role });
    if (segment.kind === "exchange") {
      isRunGoing = isRunning(segment);
      inEnvelope = false;
      turnHasExchange = true;
      return place(segment.interrupted ? "interrupted" : "exchange");
    }
    if (!provenance.isPersistent(segment.position)) return place("injected");
    const role = messages[segment.position]?.role;
    if (role === "user" && isRunGoing) return place("steering");
    if (role === "user" || (runStarts.has(index) && !isRunGoing && turnHasExchange)) {
      turn++;
      inEnvelope = true;
      turnHasExchange = false;
      return place("envelope");
    }
    if (role === "custom")
      return place(inEnvelope ? "envelope" : turn < 0 && !isRunGoing ? "single" : "attached");
    inEnvelope = false;
    isRunGoing = false;
    return place(turn < 0 ? "single" : "attached");
  });
}

function isRunning(segment: Segment): boolean {
  return segment.kind === "exchange" && !segment.interrupted && segment.callIds.length > 0;
}

/** Custom messages that the model answers directly: the next persistent message that is not custom is a response. */
function customRunStarts(
  segments: readonly Segment[],
  messages: readonly AgentMessage[],
  provenance: Provenance,
): ReadonlySet<number> {
  const starts = new Set<number>();
  let responseFollows = true;
  for (let index = segments.length - 1; index >= 0; index--) {
    const segment = segments[index];
    if (!segment) continue;
    if (segment.kind === "exchange") {
      responseFollows = true;
      continue;
    }
    if (!provenance.isPersistent(segment.position)) continue;
    if (messages[segment.position]?.role !== "custom") responseFollows = false;
    else if (responseFollows) starts.add(index);
  }
  return starts;
}

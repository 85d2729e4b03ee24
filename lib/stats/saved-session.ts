import type { AgentMessage, SessionEntry } from "../messages.ts";

/** A session as it is stored, for reading only. */
export interface SavedSession {
  /** Bytes of the session file; undefined where there is no file, or none that can be read. */
  readonly bytes: number | undefined;
  /** Every entry of every branch. */
  readonly entries: readonly SessionEntry[];
  /** The active branch, oldest entry first. */
  readonly branch: readonly SessionEntry[];
  /** A fork holds the history of the session it came from. */
  readonly origin: "new" | "fork";
  /** Pi's own estimate of a message, in tokens. */
  readonly priceOf: (message: AgentMessage) => number;
}

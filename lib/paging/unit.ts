import type { AgentMessage } from "../messages.ts";
import type { Frontier, RawHistory } from "./frontier.ts";
import type { Provenance } from "./provenance.ts";

/** What leaves the window as one. */
export interface Unit {
  /**
   * `prefix`: an exchange or one other message before the first turn. `turn`: a completed turn. `partial`: the
   * exchanges of a turn that left while it was active. `remainder`: what stayed of that turn. `exchange`: an exchange
   * of the active turn.
   */
  readonly kind: "prefix" | "turn" | "partial" | "remainder" | "exchange";
  /** Estimated tokens of its messages. */
  readonly tokens: number;
}

/** What grouping needs to know of a request. */
export interface UnitSource {
  readonly messages: readonly AgentMessage[];
  readonly provenance: Provenance;
  /** Tokens of each message, by position. */
  readonly messageTokens: ArrayLike<number>;
  /** Absent when the branch cannot be projected. */
  readonly history: RawHistory | undefined;
  /** Whether the raw history may lack the newest exchange. */
  readonly branchLag: "none" | "tail";
  /** The remembered cut, already found in the raw history. */
  readonly frontier: Frontier | undefined;
}

import type { AgentMessage, SessionEntry } from "../messages.ts";
import type { ResidentInput } from "../usage/token-estimator.ts";
import type { ModelWindow } from "./limits.ts";

/** The model a request goes to. */
export interface RequestModel {
  readonly provider: string;
  readonly id: string;
  readonly api: string;
}

/** One provider request before selection, in plain data: what the host port makes of Pi's `context` event. */
export interface PagingRequest {
  /** The conversation as Pi would send it. Never changed. */
  readonly messages: readonly AgentMessage[];
  /** System prompt and active tool definitions. */
  readonly resident: ResidentInput;
  readonly model: RequestModel | undefined;
  /** The model's window where it is known: a positive finite number of tokens. */
  readonly window: ModelWindow | undefined;
  /** The active branch, oldest entry first. */
  readonly branch: readonly SessionEntry[];
  /** Whether the branch may lack the newest messages of the request. */
  readonly branchLag: "none" | "tail";
  /** What the host does with thinking of another model when it replays it. */
  readonly foreignThinking: "dropped" | "text";
}

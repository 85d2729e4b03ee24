import type { AgentMessage, SessionEntry } from "../messages.ts";
import type { ResidentInput } from "../usage/token-estimator.ts";
import type { ModelWindow } from "./limits.ts";

/** The model a request goes to. */
export interface RequestModel {
  readonly provider: string;
  readonly id: string;
  readonly api: string;
}

/** Pi's own measure of the conversation. */
export interface ContextStatus {
  /** The last measured total and Pi's estimates of everything after it; null while Pi knows no total. */
  readonly tokens: number | null;
  /** Pi's own estimate of a message, in tokens. */
  readonly priceOf: (message: AgentMessage) => number;
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
  /** What Pi itself makes of the size of the conversation; undefined where it says nothing. */
  readonly status: ContextStatus | undefined;
  /** The active branch, oldest entry first. */
  readonly branch: readonly SessionEntry[];
  /** Whether the branch may lack the newest messages of the request. */
  readonly branchLag: "none" | "tail";
  /** What the host does with thinking of another model when it replays it. */
  readonly foreignThinking: "dropped" | "text";
}

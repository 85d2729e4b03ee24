/** What the four tools take. Section 4 of the tools' contract; "History navigation" and "Exact output paging". */
import type { ParametersSchema } from "./parameters.ts";

/** Input of `search_history`. */
export interface SearchInput {
  /** At most 200 characters; empty for the newest items. */
  readonly query: string;
  /** Only items with one of these files: whole paths or trailing segments. */
  readonly files?: readonly string[];
  /** Only items that called one of these tools. */
  readonly tools?: readonly string[];
  /** Only items that failed, or only items that did not. */
  readonly failed?: boolean;
  /** References at most, 1 to 10; 5 by default. */
  readonly limit?: number;
  /** Load the first three as well. */
  readonly load?: boolean;
}

/** Input of `browse_history`. */
export interface BrowseInput {
  /** Where to start; this or `sequence`. */
  readonly historyId?: string;
  readonly sequence?: number;
  readonly direction: "backward" | "forward" | "around";
  /** References at most, 1 to 10; 5 by default. */
  readonly count?: number;
  /** Every how-manieth item, 1 to 10; 1 by default. */
  readonly stride?: number;
}

/** Input of `load_history`. */
export interface LoadInput {
  /** One to three. */
  readonly historyIds: readonly string[];
}

/** Input of `read_context_output`. */
export interface PageInput {
  readonly historyId: string;
  readonly source: "assistant" | "toolResult" | "user" | "context";
  /** The original index of the block; for `assistant` only. */
  readonly contentIndex?: number;
  /** For `toolResult` only. */
  readonly toolCallId?: string;
  /** First character, 0 by default. */
  readonly offset?: number;
  /** Characters at most, 1 to 32 000; 8 000 by default. */
  readonly limit?: number;
}

const TEXTS = { type: "array", items: { type: "string" }, maxItems: 10 } as const;

export const SEARCH_PARAMETERS: ParametersSchema = strict(["query"], {
  query: {
    type: "string",
    maxLength: 200,
    description: "Words, an identifier, a path or an exact phrase; empty lists the newest items",
  },
  files: { ...TEXTS, description: "Only items with one of these files (path or its trailing segments)" },
  tools: { ...TEXTS, description: "Only items that called one of these tools" },
  failed: { type: "boolean", description: "true: only failed turns; false: none of them" },
  limit: { type: "integer", minimum: 1, maximum: 10, description: "References at most (5)" },
  load: { type: "boolean", description: "Also load the first three items" },
});

export const BROWSE_PARAMETERS: ParametersSchema = strict(["direction"], {
  historyId: { type: "string", description: "Start here (or give sequence)" },
  sequence: { type: "integer", minimum: 0, description: "Start here (or give historyId)" },
  direction: { type: "string", enum: ["backward", "forward", "around"] },
  count: { type: "integer", minimum: 1, maximum: 10, description: "References at most (5)" },
  stride: { type: "integer", minimum: 1, maximum: 10, description: "Take every stride-th item (1)" },
});

export const LOAD_PARAMETERS: ParametersSchema = strict(["historyIds"], {
  historyIds: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
});

export const PAGE_PARAMETERS: ParametersSchema = strict(["historyId", "source"], {
  historyId: { type: "string" },
  source: { type: "string", enum: ["assistant", "toolResult", "user", "context"] },
  contentIndex: { type: "integer", minimum: 0, description: "Block index; required for assistant" },
  toolCallId: { type: "string", description: "Required for toolResult" },
  offset: { type: "integer", minimum: 0, description: "First character (0)" },
  limit: { type: "integer", minimum: 1, maximum: 32_000, description: "Characters at most (8000)" },
});

function strict(required: readonly string[], properties: ParametersSchema["properties"]): ParametersSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

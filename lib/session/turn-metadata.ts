import { isJsonObject } from "../json-object.ts";
import { hasFailed, type ModelTurnItem } from "./history-item.ts";
import { toolCalls } from "./tool-calls.ts";

/** What can be said of a model turn without reading its outputs. */
export interface TurnMetadata {
  /** Names of the tools it called, each once, in order of the first call. */
  readonly tools: readonly string[];
  /** File paths in its tool arguments, each once, in order. */
  readonly files: readonly string[];
  /** Interrupted, or with an error among its results. */
  readonly failed: boolean;
}

const FILE_KEYS: ReadonlySet<string> = new Set(["path", "file", "files", "filepath", "file_path"]);

/** Reads the metadata of a turn from its tool calls: names, and `path`, `file`, `files` ... at any depth, in any case. */
export function turnMetadata(turn: ModelTurnItem): TurnMetadata {
  const tools = new Set<string>();
  const files = new Set<string>();
  for (const call of toolCalls(turn.assistant)) {
    tools.add(call.name);
    collectFiles(call.arguments, files);
  }
  return { tools: [...tools], files: [...files], failed: hasFailed(turn) };
}

function collectFiles(value: unknown, files: Set<string>): void {
  if (Array.isArray(value)) {
    for (const element of value) collectFiles(element, files);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [key, field] of Object.entries(value)) {
    if (FILE_KEYS.has(key.toLowerCase())) addPaths(field, files);
    collectFiles(field, files);
  }
}

function addPaths(value: unknown, files: Set<string>): void {
  for (const path of Array.isArray(value) ? value : [value]) {
    if (typeof path === "string" && path !== "") files.add(path);
  }
}

/** A session file reduced to what was said: ids, times and usage dropped, entries that are named as places in the file. */
import { readFileSync } from "node:fs";
import { isJsonObject } from "../../lib/json-object.ts";

/** Fields that differ from run to run whatever an extension does. */
const PASSING: ReadonlySet<string> = new Set([
  "id",
  "parentId",
  "timestamp",
  "usage",
  "responseId",
  "toolCallId",
  "targetId",
  "firstKeptEntryId",
  "durationMs",
  // Of a compaction: taken from the usage of the last response.
  "tokensBefore",
]);
/** What a stored system message says of the tools: there an extension with tools shows, paging or not. */
const TOOL_LISTS: ReadonlySet<string> = new Set(["sections", "toolsAdded"]);

interface StoredLine {
  readonly type: string;
  readonly id?: string;
  readonly parentId?: string | null;
  readonly targetId?: string;
  readonly firstKeptEntryId?: string;
}

export interface LineShape {
  readonly type: string;
  /** Place of the parent in the file. */
  readonly parent: number;
  /** Place of the entry that this one is about, where it is about one. */
  readonly target: number;
  readonly content: unknown;
}

/** The lines behind the header. `cwd` is the project folder, which is another in each sandbox. */
export function sessionShape(file: string, cwd: string): LineShape[] {
  const lines = readFileSync(file, "utf8")
    .replaceAll(cwd, "(project)")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as StoredLine);
  const places = new Map(lines.map(({ id }, place) => [id, place]));
  const place = (id: string | null | undefined) => (id ? (places.get(id) ?? -1) : -1);
  return lines.slice(1).map((line) => ({
    type: line.type,
    parent: place(line.parentId),
    target: place(line.targetId ?? line.firstKeptEntryId),
    content: lasting(line),
  }));
}

/** The names of calls are made up by the provider: a call and its result are compared by place instead. */
function lasting(line: StoredLine): unknown {
  const drop = (key: string, value: unknown) => (PASSING.has(key) ? undefined : withoutTools(value));
  return JSON.parse(JSON.stringify(line, drop));
}

/** A system message stands alone, or in a compaction. */
function withoutTools(value: unknown): unknown {
  if (!isJsonObject(value) || value.role !== "system") return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !TOOL_LISTS.has(key)));
}

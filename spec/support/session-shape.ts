/** A session file reduced to what was said: ids, times and usage dropped, parents as places in the file. */
import { readFileSync } from "node:fs";

/** Fields that differ from run to run whatever an extension does. */
const PASSING: ReadonlySet<string> = new Set([
  "id",
  "parentId",
  "timestamp",
  "usage",
  "responseId",
  "toolCallId",
  "targetId",
  "durationMs",
]);
/** What a stored system message says of the tools: there an extension with tools shows, paging or not. */
const TOOL_LISTS: ReadonlySet<string> = new Set(["sections", "toolsAdded"]);

interface StoredLine {
  readonly type: string;
  readonly id?: string;
  readonly parentId?: string | null;
  readonly targetId?: string;
  readonly message?: { readonly role?: unknown };
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
    target: place(line.targetId),
    content: lasting(line),
  }));
}

/** The names of calls are made up by the provider: a call and its result are compared by place instead. */
function lasting(line: StoredLine): unknown {
  const isSystem = line.message?.role === "system";
  const passes = (key: string) => PASSING.has(key) || (isSystem && TOOL_LISTS.has(key));
  return JSON.parse(JSON.stringify(line, (key, value: unknown) => (passes(key) ? undefined : value)));
}

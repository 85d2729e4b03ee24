/** Histories for the search benches: stored sessions where there are any, and texts of an item as a reader sees them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionEntry } from "../lib/messages.ts";
import { BranchProjection } from "../lib/session/branch-projection.ts";
import type { HistoryItem } from "../lib/session/history-item.ts";

const REAL_SESSIONS = join(import.meta.dirname, "../../shared/sessions/real");

/** The real sessions by name; none where the folder is absent. */
export function realSessions(): { readonly name: string; readonly items: readonly HistoryItem[] }[] {
  if (!existsSync(REAL_SESSIONS)) return [];
  const files = readdirSync(REAL_SESSIONS).filter((file) => file.endsWith(".jsonl"));
  return files.map((file) => ({
    name: file.replace(/\..*$/, ""),
    items: itemsOf(readFileSync(join(REAL_SESSIONS, file), "utf8")),
  }));
}

function itemsOf(text: string): readonly HistoryItem[] {
  const lines = text.split("\n").filter((line) => line !== "");
  const entries = lines.slice(1).map((line) => JSON.parse(line) as SessionEntry);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const branch: SessionEntry[] = [];
  for (let entry = entries.at(-1); entry; entry = byId.get(entry.parentId ?? "")) branch.unshift(entry);
  return projected(branch);
}

/** The items of a branch. */
export function projected(branch: readonly SessionEntry[]): readonly HistoryItem[] {
  const projection = new BranchProjection();
  projection.update(branch);
  return projection.items;
}

/** Everything that was said, called and printed in an item, in one list of texts. Not the search's own reading. */
export function textsOf(item: HistoryItem): readonly string[] {
  if (item.kind !== "modelTurn") {
    const message = item.message as {
      content?: unknown;
      command?: string;
      output?: string;
      summary?: string;
    };
    return [...contentTexts(message.content), message.command, message.output, message.summary].filter(
      isText,
    );
  }
  const said = item.assistant.content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "toolCall" ? stringsIn(block.arguments) : [];
  });
  return [...said, ...item.toolResults.flatMap((result) => contentTexts(result.content))];
}

function contentTexts(content: unknown): string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: { text?: unknown }) => (isText(block?.text) ? [block.text] : []));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

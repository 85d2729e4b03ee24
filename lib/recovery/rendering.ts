/** How calls of the recovery tools look in Pi's terminal interface: one calm line, and the whole when expanded. */
import type { Theme } from "@earendil-works/pi-coding-agent";
import { isJsonObject, type JsonObject } from "../json-object.ts";

/** Makes a component of one line, cut at the edge of the screen, and a text below it that wraps. */
export type RowComponent = (line: string, body?: string) => TerminalComponent;

/** The part of Pi's component that tool renderers return. */
export interface TerminalComponent {
  render(width: number): string[];
  invalidate(): void;
}

type Colors = Pick<Theme, "fg" | "bold">;

/** The longest argument that a line shows, in characters. */
const SHOWN_CHARACTERS = 60;

/** The row of a call without a result yet. With one, the result's row shows the call too. */
export function renderedCall(
  name: string,
  args: unknown,
  theme: Colors,
  { isPartial }: { readonly isPartial: boolean },
): [line: string] {
  return [isPartial ? callLine(name, args, theme) : ""];
}

/** What is drawn of a result. */
export interface RenderedReply {
  readonly result: { readonly content: readonly object[]; readonly details: unknown };
  readonly expanded: boolean;
  readonly isError: boolean;
  readonly args: unknown;
}

/** The row of a result: the call and what came of it; expanded, the list or the text below. */
export function renderedResult(
  name: string,
  { result, expanded, isError, args }: RenderedReply,
  theme: Colors,
): [line: string, body?: string] {
  const call = callLine(name, args, theme);
  if (isError) {
    const message = textOf(result.content);
    const line = `${call} ${theme.fg("error", `- ${firstLine(message)}`)}`;
    return expanded ? [line, theme.fg("error", printable(message))] : [line];
  }
  const details = isJsonObject(result.details) ? result.details : {};
  const line = `${call} ${theme.fg("muted", `- ${outcome(details)}`)}`;
  return expanded ? [line, theme.fg("toolOutput", printable(body(details)))] : [line];
}

function callLine(name: string, args: unknown, theme: Colors): string {
  const subject = isJsonObject(args) ? subjectOf(args) : "";
  return theme.fg("toolTitle", theme.bold(name)) + (subject && ` ${theme.fg("accent", firstLine(subject))}`);
}

/** What a call is about. Arguments may still be arriving, so any may be missing. */
function subjectOf({ query, direction, historyId, sequence, historyIds, source }: JsonObject): string {
  if (typeof query === "string") return query === "" ? "newest" : `“${cut(query)}”`;
  if (Array.isArray(historyIds)) return historyIds.map(cut).join(", ");
  const place = historyId ?? (sequence === undefined ? undefined : `#${sequence}`);
  if (direction !== undefined)
    return place === undefined ? cut(direction) : `${cut(direction)} ${cut(place)}`;
  return [place, source]
    .filter((part) => part !== undefined)
    .map(cut)
    .join(" ");
}

function outcome({ references, total, items, text, offset, totalCharacters }: JsonObject): string {
  if (typeof text === "string") {
    const first = Number(offset);
    return `characters ${first} to ${first + text.length} of ${String(totalCharacters)}`;
  }
  const parts: string[] = [];
  if (Array.isArray(references)) {
    parts.push(typeof total === "number" ? counted(total, "hit") : counted(references.length, "item"));
  }
  if (Array.isArray(items)) parts.push(`${counted(items.length, "item")} loaded`);
  return parts.join(", ");
}

function body({ references, items, text }: JsonObject): string {
  if (typeof text === "string") return text;
  const lines = [references, items].flatMap((list) => (Array.isArray(list) ? list.map(itemLine) : []));
  return lines.join("\n");
}

function itemLine(item: JsonObject): string {
  const { sequence, kind, historyId, tools, failed, preview } = item;
  const names = Array.isArray(tools) && tools.length > 0 ? ` ${tools.join(", ")}` : "";
  const text = typeof preview === "string" && preview !== "" ? `  ${preview}` : "";
  return `#${sequence} ${kind} ${historyId}${names}${failed === true ? " (failed)" : ""}${text}`;
}

function textOf(content: readonly object[]): string {
  return content.map((block) => ("text" in block ? String(block.text) : "")).join("\n");
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function cut(value: unknown): string {
  const characters = Array.from(String(value).slice(0, 2 * SHOWN_CHARACTERS));
  return characters.length > SHOWN_CHARACTERS
    ? `${characters.slice(0, SHOWN_CHARACTERS - 1).join("")}…`
    : characters.join("");
}

function firstLine(text: string): string {
  return printable(text.split(/[\r\n]/, 1)[0] ?? "");
}

/** Stored text may hold anything: control characters must not reach the terminal. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, " ");
}

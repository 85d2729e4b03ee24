/**
 * The outputs of an item: what `read_context_output` can address, one at a time. Each is a plain JSON value, and its
 * pages are slices of that value's JSON text. Section "Exact output paging".
 */
import { isJsonObject } from "../json-object.ts";
import type { HistoryItem } from "../session/history-item.ts";
import type { RecoveryView } from "../session/recovery-view.ts";

/** Where an output is within its item. */
export type OutputAddress =
  | { readonly source: "user" }
  | { readonly source: "context" }
  | { readonly source: "assistant"; readonly contentIndex: number }
  | { readonly source: "toolResult"; readonly toolCallId: string };

/** One addressable output. */
export interface Output {
  readonly address: OutputAddress;
  /** The public block (assistant) or the stored message (all others). */
  readonly value: object;
}

/** The outputs of an item that may be given back, in order. */
export function outputsOf(view: RecoveryView, item: HistoryItem): readonly Output[] {
  if (item.kind !== "modelTurn") return [{ address: { source: item.kind }, value: item.message }];
  const { assistant, toolResults } = view.turn(item);
  const outputs: Output[] = [];
  assistant.content.forEach((value, contentIndex) => {
    if (value) outputs.push({ address: { source: "assistant", contentIndex }, value });
  });
  for (const value of toolResults) {
    if (value) outputs.push({ address: { source: "toolResult", toolCallId: value.toolCallId }, value });
  }
  return outputs;
}

/** A text within an output: the value of `holder[key]`. */
export interface TextLeaf {
  readonly text: string;
  readonly holder: object;
  readonly key: string;
}

/**
 * The texts of an output that say something: what was said, done, printed. Nothing is serialized or copied. Names of
 * JSON fields, image data and the details that a tool keeps for itself are not among them.
 */
export function* textLeaves({ value }: Output): Generator<TextLeaf> {
  if (!isJsonObject(value)) return;
  if (value.type === "toolCall") {
    yield* leafAt(value, "name");
    yield* deepLeaves(value.arguments);
    return;
  }
  for (const key of ["text", "command", "output", "summary"]) yield* leafAt(value, key);
  if (!Array.isArray(value.content)) yield* leafAt(value, "content");
  else for (const block of value.content) if (isJsonObject(block)) yield* leafAt(block, "text");
}

function* leafAt(holder: object, key: string): Generator<TextLeaf> {
  const text: unknown = (holder as Readonly<Record<string, unknown>>)[key];
  if (typeof text === "string" && text !== "") yield { text, holder, key };
}

function* deepLeaves(value: unknown): Generator<TextLeaf> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, field] of Object.entries(value)) {
    if (typeof field === "number") yield { text: String(field), holder: value, key };
    else if (typeof field === "string") yield* leafAt(value, key);
    else yield* deepLeaves(field);
  }
}

/**
 * Where character `index` of a text stands in the JSON text of its output. The JSON with and without that text are
 * the same up to where it begins.
 */
export function jsonOffset(output: Output, leaf: TextLeaf, index: number): number {
  const whole = JSON.stringify(output.value);
  const without = JSON.stringify(output.value, function (this: object, key: string, value: unknown) {
    return this === leaf.holder && key === leaf.key ? "" : value;
  });
  let start = 0;
  while (whole[start] === without[start] && start < whole.length) start++;
  return start + JSON.stringify(leaf.text.slice(0, index)).length - 2;
}

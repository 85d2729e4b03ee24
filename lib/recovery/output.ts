/**
 * The outputs of an item: what `read_context_output` can address, one at a time. Each is a plain JSON value, and its
 * pages are slices of that value's JSON text. Section "Exact output paging".
 */
import { isJsonObject, type JsonObject } from "../json-object.ts";
import type { AssistantBlock } from "../messages.ts";
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
  /** The stored block (assistant) or message (all others). */
  readonly stored: object;
  /** What is given back of it: a public block, or the stored message itself. */
  readonly value: object;
}

/** A block is copied without its signatures only when it is given back, not while it is searched. */
class PublicBlock implements Output {
  readonly address: OutputAddress;
  readonly stored: AssistantBlock;
  readonly #view: RecoveryView;

  constructor(view: RecoveryView, stored: AssistantBlock, contentIndex: number) {
    this.#view = view;
    this.stored = stored;
    this.address = { source: "assistant", contentIndex };
  }

  get value(): object {
    return this.#view.block(this.stored) ?? {};
  }
}

/** The outputs of an item that may be given back, in order. */
export function outputsOf(view: RecoveryView, item: HistoryItem): readonly Output[] {
  if (item.kind !== "modelTurn") {
    return [{ address: { source: item.kind }, stored: item.message, value: item.message }];
  }
  const outputs: Output[] = [];
  view.blocks(item).forEach((block, contentIndex) => {
    if (block && view.permits(block)) outputs.push(new PublicBlock(view, block, contentIndex));
  });
  for (const result of item.toolResults) {
    if (view.omits(item, result)) continue;
    const address = { source: "toolResult", toolCallId: result.toolCallId } as const;
    outputs.push({ address, stored: result, value: result });
  }
  return outputs;
}

/** A text within an output: the value of `holder[key]`. */
export interface TextLeaf {
  readonly text: string;
  readonly holder: object;
  readonly key: string;
}

/** The texts of an output with their places. */
export function textLeaves({ stored }: Output): readonly TextLeaf[] {
  const leaves: TextLeaf[] = [];
  visitTexts(stored, (text, holder, key) => leaves.push({ text, holder, key }));
  return leaves;
}

/** The texts of all outputs of an item, in the same order. A search reads them of every item: no places are made. */
export function textsOf(view: RecoveryView, item: HistoryItem): readonly string[] {
  const texts: string[] = [];
  for (const { stored } of outputsOf(view, item)) visitTexts(stored, (text) => texts.push(text));
  return texts;
}

type VisitText = (text: string, holder: object, key: string) => void;

/**
 * Visits what says something: what was said, done, printed. Nothing is serialized or copied. Names of JSON fields, image
 * data and the details that a tool keeps for itself are not among it.
 */
function visitTexts(value: object, visit: VisitText): void {
  if (!isJsonObject(value)) return;
  if (value.type === "toolCall") {
    visitField(value, "name", visit);
    visitDeep(value.arguments, visit);
    return;
  }
  for (const key of MESSAGE_TEXTS) visitField(value, key, visit);
  if (!Array.isArray(value.content)) return;
  for (const block of value.content) if (isJsonObject(block)) visitField(block, "text", visit);
}

/** Where messages and blocks hold a text, when it is one. */
const MESSAGE_TEXTS = ["text", "command", "output", "summary", "content"];

function visitField(holder: JsonObject, key: string, visit: VisitText): void {
  const text = holder[key];
  if (typeof text === "string" && text !== "") visit(text, holder, key);
}

function visitDeep(value: unknown, visit: VisitText): void {
  if (typeof value !== "object" || value === null) return;
  const holder = value as JsonObject;
  for (const key of Object.keys(holder)) {
    const field = holder[key];
    if (typeof field === "number") visit(String(field), holder, key);
    else if (typeof field === "string") visitField(holder, key, visit);
    else visitDeep(field, visit);
  }
}

/**
 * Where character `index` of a text stands in the JSON text of its output. The JSON with and without that text are
 * the same up to where it begins.
 */
export function jsonOffset(output: Output, leaf: TextLeaf, index: number): number {
  const { value, stored } = output;
  const holder = leaf.holder === stored ? value : leaf.holder;
  const whole = JSON.stringify(value);
  const without = JSON.stringify(value, function (this: object, key: string, field: unknown) {
    return this === holder && key === leaf.key ? "" : field;
  });
  let start = 0;
  for (let end = without.length; start < end; ) {
    const middle = Math.ceil((start + end) / 2);
    if (whole.startsWith(without.slice(start, middle), start)) start = middle;
    else end = middle - 1;
  }
  return start + JSON.stringify(leaf.text.slice(0, index)).length - 2;
}

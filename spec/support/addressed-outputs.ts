/** Every output of a branch that `read_context_output` can be asked for, and what its pages must join to. */
import { expect } from "chai";
import type { AssistantBlock } from "../../lib/messages.ts";
import type { PageInput } from "../../lib/recovery/inputs.ts";
import type { OutputPage } from "../../lib/recovery/output-page-reader.ts";
import type { HistoryItem, ModelTurnItem } from "../../lib/session/history-item.ts";

export const RECOVERY_TOOLS = ["search_history", "browse_history", "load_history", "read_context_output"];

export interface AddressedOutput {
  readonly input: PageInput;
  /** `null` where it must be refused. */
  readonly value: unknown;
}

/** Each addressable output of an item. */
export function outputsOf(item: HistoryItem): AddressedOutput[] {
  const { historyId } = item;
  if (item.kind !== "modelTurn") return [{ input: { historyId, source: item.kind }, value: item.message }];
  const blocks = item.assistant.content.map((block, contentIndex) => ({
    input: { historyId, source: "assistant" as const, contentIndex },
    value: publicBlock(block),
  }));
  const results = item.toolResults.map(({ toolCallId }, n) => ({
    input: { historyId, source: "toolResult" as const, toolCallId },
    value: publicResult(item, n),
  }));
  return [...blocks, ...results];
}

/** The public form of a block, said again and not by the code under test. */
export function publicBlock(block: AssistantBlock): unknown {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type !== "toolCall") return null;
  return { type: "toolCall", id: block.id, name: block.name, arguments: block.arguments };
}

export function publicResult(turn: ModelTurnItem, n: number): unknown {
  const result = turn.toolResults[n];
  const call = turn.assistant.content.find(
    (block) => block.type === "toolCall" && block.id === result?.toolCallId,
  );
  const names = [
    result?.toolName,
    call?.type === "toolCall" ? call.name : "",
    ...(result?.nestedCalls?.calls ?? []).map(({ name }) => name),
  ];
  return names.some((name) => RECOVERY_TOOLS.includes(name ?? "")) ? null : result;
}

/** All pages, joined. */
export async function joinedPages(
  read: (offset: number) => OutputPage | Promise<OutputPage>,
): Promise<string> {
  let text = "";
  for (let offset: number | null = 0; offset !== null; ) {
    const page: OutputPage = await read(offset);
    expect(page.text.length, "progress").to.be.above(page.totalCharacters === 0 ? -1 : 0);
    text += page.text;
    offset = page.nextOffset;
  }
  return text;
}

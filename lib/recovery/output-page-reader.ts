import { OutputPageError } from "../errors.ts";
import type { HistoryItem, ModelTurnItem } from "../session/history-item.ts";
import { RecoveryView } from "../session/recovery-view.ts";
import type { TokenEstimator } from "../usage/token-estimator.ts";
import { PAGE_PARAMETERS, type PageInput } from "./inputs.ts";
import { inputFault } from "./parameters.ts";
import { wholeCharacterIndex } from "./whole-characters.ts";

/** A slice of an output's JSON text. */
export interface OutputPage {
  /** Where the page begins: as asked, or one before where that would split a character. */
  readonly offset: number;
  /** Where the next page begins; `null` after the last. */
  readonly nextOffset: number | null;
  readonly totalCharacters: number;
  readonly text: string;
}

/** The raw history, as far as pages need it. */
export interface PagedHistory {
  /** The item with this id; none when there is none, or several. */
  item(historyId: string): HistoryItem | undefined;
}

const DEFAULT_CHARACTERS = 8_000;

/**
 * Reads any output of the raw history in pages that join to its exact JSON text. Section "Exact output paging" of
 * ARCHITECTURE.md. All errors are {@link OutputPageError}; none changes anything.
 */
export class OutputPageReader {
  readonly #estimator: TokenEstimator;
  readonly #view = new RecoveryView();

  constructor(estimator: TokenEstimator) {
    this.#estimator = estimator;
  }

  /** The page at an offset. It is cut at a quarter of the budget, and never empty before the end. */
  read(input: PageInput, history: PagedHistory, budgetTokens: number): OutputPage {
    const fault = inputFault(PAGE_PARAMETERS, input) ?? addressFault(input);
    if (fault) throw new OutputPageError("INVALID_OUTPUT_PAGE_INPUT", fault);
    const { offset = 0, limit = DEFAULT_CHARACTERS } = input;
    const text = JSON.stringify(this.#value(input, history));
    if (offset > text.length) {
      throw new OutputPageError(
        "INVALID_OUTPUT_PAGE_INPUT",
        `offset is ${offset}, but this output has ${text.length} characters.`,
      );
    }
    const start = wholeCharacterIndex(text, offset);
    const end = this.#pageEnd(text, start, { limit, limitTokens: budgetTokens / 4 });
    return {
      offset: start,
      nextOffset: end < text.length ? end : null,
      totalCharacters: text.length,
      text: text.slice(start, end),
    };
  }

  #pageEnd(
    text: string,
    start: number,
    { limit, limitTokens }: { readonly limit: number; readonly limitTokens: number },
  ): number {
    let length = limit;
    for (;;) {
      const end = endOfPage(text, start, length);
      // The page is a text within the JSON of a reply, so its quotes and line ends cost more there.
      const tokens = this.#estimator.text(JSON.stringify(text.slice(start, end)));
      if (tokens <= limitTokens || length === 1) return end;
      length = Math.max(1, Math.floor(length * Math.min(0.9, limitTokens / tokens)));
    }
  }

  #value(input: PageInput, history: PagedHistory): object {
    const { historyId, source } = input;
    const item = history.item(historyId);
    if (!item) {
      throw new OutputPageError(
        "UNKNOWN_HISTORY_ID",
        `This branch has no item ${JSON.stringify(historyId)}, or several with this id. ` +
          "Take a historyId from search_history or browse_history.",
      );
    }
    if (item.kind !== "modelTurn") {
      if (source === item.kind) return item.message;
      throw unknownOutput(`Item ${historyId} is of kind ${item.kind}: read it with source "${item.kind}".`);
    }
    if (source === "assistant") return this.#block(item, input.contentIndex ?? 0);
    if (source === "toolResult") return this.#result(item, input.toolCallId ?? "");
    throw unknownOutput(
      `Item ${historyId} is a model turn: read it with source "assistant" or "toolResult".`,
    );
  }

  #block(item: ModelTurnItem, contentIndex: number): object {
    const blocks = this.#view.blocks(item);
    if (!(contentIndex in blocks)) {
      throw unknownOutput(
        `The response of ${item.historyId} has ${blocks.length} blocks, and none at ${contentIndex}.`,
      );
    }
    const block = this.#view.block(blocks[contentIndex]);
    if (block) return block;
    throw new OutputPageError(
      "OMITTED_OUTPUT",
      `Block ${contentIndex} of ${item.historyId} is no text and no tool call, and is not given back.`,
    );
  }

  #result(item: ModelTurnItem, toolCallId: string): object {
    const [result, other] = item.toolResults.filter((one) => one.toolCallId === toolCallId);
    if (!result) {
      const known = item.toolResults.map((one) => JSON.stringify(one.toolCallId)).join(", ") || "none";
      throw unknownOutput(
        `${item.historyId} has no result of tool call ${JSON.stringify(toolCallId)}. Results: ${known}.`,
      );
    }
    if (this.#view.omits(item, result)) {
      throw new OutputPageError(
        "RECOVERY_OUTPUT",
        `The result of ${JSON.stringify(toolCallId)} is history that was read back, and is not given back again. ` +
          "Search for the original.",
      );
    }
    if (other) {
      throw unknownOutput(
        `${item.historyId} has several results of tool call ${JSON.stringify(toolCallId)}: read them with load_history.`,
      );
    }
    return result;
  }
}

/** Never inside a character: rather one back, or one on where nothing would be left. */
function endOfPage(text: string, start: number, length: number): number {
  const end = wholeCharacterIndex(text, start + length);
  return end > start ? end : Math.min(text.length, start + 2);
}

function addressFault({ source, contentIndex, toolCallId }: PageInput): string | undefined {
  if (source === "assistant" && contentIndex === undefined)
    return 'contentIndex is required for source "assistant".';
  if (source === "toolResult" && toolCallId === undefined)
    return 'toolCallId is required for source "toolResult".';
  return undefined;
}

function unknownOutput(message: string): OutputPageError {
  return new OutputPageError("UNKNOWN_OUTPUT", message);
}

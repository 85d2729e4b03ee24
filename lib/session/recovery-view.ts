/**
 * What the model may get back of the stored history (ARCHITECTURE.md, "History navigation").
 *
 * Of a response: its text and tool calls, without the provider's signatures. Everything else there (thinking, redacted
 * thinking, unknown blocks) becomes a `null` slot, so that indices stay. Results of the recovery tools become `null`
 * slots too. All the rest is the stored value itself: nothing is copied, and no field of an application is cleaned.
 */
import type { AssistantBlock, AssistantMessage, ToolResultMessage } from "../messages.ts";
import type { HistoryItem, ModelTurnItem } from "./history-item.ts";
import { isRecoveryOnly, isRecoveryResult } from "./recovery-results.ts";

/** The public form of a stored response. */
export type PublicAssistant = Omit<AssistantMessage, "content"> & {
  readonly content: readonly (AssistantBlock | null)[];
};

/** A model turn as the model may see it. */
export interface PublicTurn {
  readonly assistant: PublicAssistant;
  /** In stored order; `null` where the output is one of a recovery tool. */
  readonly toolResults: readonly (ToolResultMessage | null)[];
}

/** The public view of a history. Pure: it never changes an item. */
export class RecoveryView {
  /** Whether the navigation tools show the item. A turn that only reads history back is hidden. */
  isVisible(item: HistoryItem): boolean {
    return item.kind !== "modelTurn" || !isRecoveryOnly(item);
  }

  /** The public form of a turn. */
  turn(item: ModelTurnItem): PublicTurn {
    return {
      assistant: { ...item.assistant, content: this.blocks(item).map((block) => this.block(block)) },
      toolResults: item.toolResults.map((result) => (this.omits(item, result) ? null : result)),
    };
  }

  /** The public form of one block of a response; `null` for a block that is not given back. */
  block(block: AssistantBlock | null | undefined): AssistantBlock | null {
    switch (block?.type) {
      case "text": {
        const { textSignature: _, ...text } = block;
        return text;
      }
      case "toolCall": {
        const { thoughtSignature: _, ...call } = block;
        return call;
      }
      default:
        return null;
    }
  }

  /** The stored blocks of a response, by original index. Content of damaged files may be missing, or hold anything. */
  blocks({ assistant }: ModelTurnItem): readonly (AssistantBlock | null | undefined)[] {
    return Array.isArray(assistant.content) ? assistant.content : [];
  }

  /** Whether a block may be given back: text and tool calls are, thinking and what is not known are not. */
  permits(block: AssistantBlock): boolean {
    return block.type === "text" || block.type === "toolCall";
  }

  /** Whether the result holds what a recovery tool returned, and so is not given back. */
  omits(item: ModelTurnItem, result: ToolResultMessage): boolean {
    return isRecoveryResult(item, result);
  }
}

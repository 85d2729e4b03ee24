import type { HistoryItem } from "../../session/history-item.ts";
import type { RecoveryView } from "../../session/recovery-view.ts";
import { type TurnMetadata, turnMetadata } from "../../session/turn-metadata.ts";
import { type Output, outputsOf, type TextLeaf, textLeaves, textsOf } from "../output.ts";
import { TextSignature } from "./text-signature.ts";

const NO_METADATA: TurnMetadata = { tools: [], files: [], failed: false };

/** One text of an item with the output that holds it. */
export interface PlacedText {
  readonly output: Output;
  readonly leaf: TextLeaf;
}

/**
 * One visible item as the search knows it. Its texts are the stored strings themselves, never copies; beside them only
 * a signature and metadata are kept, each made when it is needed.
 */
export class SearchDocument {
  readonly item: HistoryItem;
  readonly #view: RecoveryView;
  #texts: readonly string[] | undefined;
  #signature: TextSignature | undefined;
  #metadata: TurnMetadata | undefined;

  constructor(view: RecoveryView, item: HistoryItem) {
    this.#view = view;
    this.item = item;
  }

  /** What the item cannot hold; undefined until it was signed. */
  get signature(): TextSignature | undefined {
    return this.#signature;
  }

  /** Makes the signature. Reads all of the texts, several times slower than a search for a word does. */
  sign(): void {
    this.#signature ??= new TextSignature(this.texts);
  }

  /** Tools, files and failure; nothing of these for an item that is no model turn. */
  get metadata(): TurnMetadata {
    this.#metadata ??= this.item.kind === "modelTurn" ? turnMetadata(this.item) : NO_METADATA;
    return this.#metadata;
  }

  /** The outputs that may be given back. */
  get outputs(): readonly Output[] {
    return outputsOf(this.#view, this.item);
  }

  /** Its texts in order. */
  get texts(): readonly string[] {
    // A copy of the list has no room to grow, and these are kept.
    this.#texts ??= textsOf(this.#view, this.item).slice();
    return this.#texts;
  }

  /** The same texts with their places. */
  get placedTexts(): readonly PlacedText[] {
    return this.outputs.flatMap((output) => textLeaves(output).map((leaf) => ({ output, leaf })));
  }
}

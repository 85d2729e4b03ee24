/**
 * Items as `load_history` returns them: the stored messages, with `null` slots for what is not given back. Images
 * travel beside the JSON as real image blocks.
 */
import { isJsonObject, type JsonObject } from "../json-object.ts";
import type { ImageContent } from "../messages.ts";
import type { RecoveryView } from "../session/recovery-view.ts";
import type { SearchDocument } from "./search/search-document.ts";

/** Where an image stands in the JSON of a reply. */
export interface ImagePlace {
  readonly type: "image";
  readonly mimeType: string;
  /** Number of the image block in this reply, from 1. */
  readonly attachment: number;
  /** Size of the decoded image. */
  readonly bytes: number;
}

/** Loaded items with their images. */
export interface LoadedItems {
  /** Public items in the order asked, images replaced by {@link ImagePlace}. */
  readonly items: readonly object[];
  readonly images: readonly ImageContent[];
}

/** A document with its sequence number. */
export interface PlacedDocument {
  readonly document: SearchDocument;
  readonly sequence: number;
}

/** Loads items exactly. */
export function loadedItems(view: RecoveryView, placed: readonly PlacedDocument[]): LoadedItems {
  const images: ImageContent[] = [];
  const items = placed.map(({ document, sequence }) => {
    const { item, metadata } = document;
    const { historyId, kind, timestamp } = item;
    if (item.kind !== "modelTurn") {
      return { historyId, kind, sequence, timestamp, message: withPlaces(item.message, images) };
    }
    const { assistant, toolResults } = view.turn(item);
    const results = toolResults.map((result) => result && withPlaces(result, images));
    return { historyId, kind, sequence, timestamp, assistant, toolResults: results, ...metadata };
  });
  return { items, images };
}

/** The message itself, or a copy with places where it holds images. */
function withPlaces(message: object, images: ImageContent[]): object {
  const content: unknown = (message as JsonObject).content;
  if (!Array.isArray(content) || !content.some(isImage)) return message;
  return { ...message, content: content.map((block) => (isImage(block) ? placeOf(block, images) : block)) };
}

function placeOf(image: ImageContent, images: ImageContent[]): ImagePlace {
  const { data, mimeType } = image;
  const attachment = images.push({ type: "image", data, mimeType });
  return { type: "image", mimeType, attachment, bytes: Buffer.byteLength(data, "base64") };
}

function isImage(block: unknown): block is ImageContent {
  return (
    isJsonObject(block) &&
    block.type === "image" &&
    typeof block.data === "string" &&
    typeof block.mimeType === "string"
  );
}

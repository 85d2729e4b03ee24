/** References: what search and browse say of an item, short enough to read many of them. */
import type { HistoryItem } from "../session/history-item.ts";
import { jsonOffset, type OutputAddress } from "./output.ts";
import { PREVIEW_CHARACTERS, previewAround, previewOf } from "./preview.ts";
import type { SearchMatch } from "./search/ranked-search.ts";
import type { SearchDocument } from "./search/search-document.ts";
import { wholeCharacterIndex } from "./whole-characters.ts";

/** One item, in short. */
export interface Reference {
  readonly historyId: string;
  /** Position among the visible items, from 0. */
  readonly sequence: number;
  readonly kind: HistoryItem["kind"];
  /** ISO time of the stored entry. */
  readonly timestamp: string;
  /** At most 160 characters, around the match or from the start of the item. */
  readonly preview: string;
  readonly tools: readonly string[];
  readonly files: readonly string[];
  /** How many tools and files a long list leaves out; absent when none. */
  readonly moreTools?: number;
  readonly moreFiles?: number;
  readonly failed: boolean;
  /** Whether the latest request still carried the item. */
  readonly inWindow: boolean;
  /** The visible neighbours; `null` at the ends. */
  readonly previousHistoryId: string | null;
  readonly nextHistoryId: string | null;
  /** After a search: where the match stands, as arguments of `read_context_output`. */
  readonly match?: OutputAddress & { readonly offset: number };
}

/** What a reference is made of. */
export interface ReferenceSource {
  readonly documents: readonly SearchDocument[];
  readonly sequence: number;
  readonly inWindow: (item: HistoryItem) => boolean;
  readonly match?: SearchMatch;
}

/** The reference to the document at a sequence number; none beyond the ends. */
export function referenceTo({ documents, sequence, inWindow, match }: ReferenceSource): Reference[] {
  const document = documents[sequence];
  if (!document) return [];
  const { item, metadata } = document;
  return [
    {
      historyId: item.historyId,
      sequence,
      kind: item.kind,
      timestamp: item.timestamp,
      preview: match ? previewAround(match.leaf, match.index) : previewOf(document),
      tools: metadata.tools,
      files: metadata.files,
      failed: metadata.failed,
      inWindow: inWindow(item),
      previousHistoryId: documents[sequence - 1]?.item.historyId ?? null,
      nextHistoryId: documents[sequence + 1]?.item.historyId ?? null,
      ...(match && {
        match: { ...match.output.address, offset: jsonOffset(match.output, match.leaf, match.index) },
      }),
    },
  ];
}

/** The longest list of references, in characters of JSON. */
const REPLY_CHARACTERS = 8_000;
/** Room for what stands around the references in a reply. */
const FRAME_CHARACTERS = 100;

/** From a look at everything to the bare ids. */
const LEVELS: readonly { readonly listed: number; readonly preview: number }[] = [
  { listed: Number.POSITIVE_INFINITY, preview: PREVIEW_CHARACTERS },
  ...[20, 8, 3, 1, 0].map((listed) => ({ listed, preview: PREVIEW_CHARACTERS })),
  { listed: 0, preview: PREVIEW_CHARACTERS / 4 },
  { listed: 0, preview: 0 },
];

/** The references within the size of a reply: long lists are cut first, and say how much they leave out. */
export function withinReply(references: readonly Reference[]): readonly Reference[] {
  let cut = references;
  for (const level of LEVELS) {
    cut = references.map((reference) => shortened(reference, level));
    if (JSON.stringify(cut).length <= REPLY_CHARACTERS - FRAME_CHARACTERS) return cut;
  }
  return cut;
}

function shortened(reference: Reference, { listed, preview }: (typeof LEVELS)[number]): Reference {
  const moreTools = reference.tools.length - listed;
  const moreFiles = reference.files.length - listed;
  return {
    ...reference,
    preview: reference.preview.slice(0, wholeCharacterIndex(reference.preview, preview)),
    tools: reference.tools.slice(0, listed),
    files: reference.files.slice(0, listed),
    ...(moreTools > 0 && { moreTools }),
    ...(moreFiles > 0 && { moreFiles }),
  };
}

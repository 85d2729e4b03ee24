import type { Output, TextLeaf } from "./output.ts";
import type { SearchDocument } from "./search/search-document.ts";
import { wholeCharacterIndex } from "./whole-characters.ts";

/** The longest preview, in UTF-16 code units. */
export const PREVIEW_CHARACTERS = 160;
/** What a preview shows before a match. */
const LEAD_CHARACTERS = 50;
/** White space is folded, so more is read than is shown. */
const READ_CHARACTERS = 4 * PREVIEW_CHARACTERS;
const MORE = "…";

/** The text around a place, on one line. */
export function previewAround({ text }: TextLeaf, index: number): string {
  const start = wholeCharacterIndex(text, index - LEAD_CHARACTERS);
  const end = wholeCharacterIndex(text, start + READ_CHARACTERS);
  return shortened(oneLine(text.slice(start, end)), start > 0, end < text.length);
}

/** How an item begins, on one line. */
export function previewOf(document: SearchDocument): string {
  let text = "";
  for (const part of document.texts) {
    text += `${part.slice(0, wholeCharacterIndex(part, READ_CHARACTERS))} `;
    if (text.length > READ_CHARACTERS) break;
  }
  const line = oneLine(text);
  return line === "" ? withoutText(document.outputs) : shortened(line, false, false);
}

function withoutText(outputs: readonly Output[]): string {
  const holdsImage = outputs.some(({ value }) => {
    const content = (value as { readonly content?: unknown }).content;
    return Array.isArray(content) && content.some((block) => block?.type === "image");
  });
  return holdsImage ? "[image]" : "";
}

/** Control characters and halves of pairs become six characters each in JSON, and say nothing. */
function oneLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(/\p{Cs}/gu, "\ufffd")
    .trim();
}

function shortened(line: string, isCutBefore: boolean, isCutBehind: boolean): string {
  const head = isCutBefore ? MORE : "";
  if (head.length + line.length + (isCutBehind ? 1 : 0) <= PREVIEW_CHARACTERS) {
    return head + line + (isCutBehind ? MORE : "");
  }
  return head + line.slice(0, wholeCharacterIndex(line, PREVIEW_CHARACTERS - head.length - 1)) + MORE;
}

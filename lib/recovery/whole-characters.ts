/**
 * The nearest place at or before `index` that does not split a surrogate pair. A lone half is a character of its own:
 * stored text may hold one. Never below 0, never beyond the end.
 */
export function wholeCharacterIndex(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  return isHigh(text.charCodeAt(index - 1)) && isLow(text.charCodeAt(index)) ? index - 1 : index;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

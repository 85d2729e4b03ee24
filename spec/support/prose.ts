/** Made-up English of any length: the same text for the same seed. */
const WORDS =
  "the stable cut keeps every request within its budget and the oldest history leaves first while answers stay whole"
    .split(" ")
    .concat("session entry model turn result window notice frontier provider cache prefix branch".split(" "));

/** Exactly `length` characters in lines of about 90. */
export function prose(seed: number, length: number): string {
  let state = seed * 2_654_435_761 + 12_345;
  let text = "";
  let lineStart = 0;
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const word = WORDS[(state >>> 8) % WORDS.length] ?? "word";
    const isLineFull = text.length - lineStart > 90;
    if (isLineFull) lineStart = text.length;
    text += text === "" ? word : `${isLineFull ? "\n" : " "}${word}`;
  }
  return text.slice(0, length);
}

/** The kinds of queries that a model makes, drawn from the texts of a history. */

/** One query with the text that an item must hold to be what was looked for. */
export interface DrawnQuery {
  readonly query: string;
  readonly needle: string;
}

/** A kind of query: all that a text has of it. */
export type QueryKind = (text: string) => DrawnQuery[];

const same = (needle: string): DrawnQuery => ({ query: needle, needle });

function identifiers(text: string): string[] {
  const found = text.match(/\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*\b/g) ?? [];
  return found.filter((word) => word.length >= 8 && word.length <= 60 && partsOf(word).length >= 2);
}

function partsOf(identifier: string): string[] {
  return identifier
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[ _]+/)
    .filter((part) => part !== "");
}

export const QUERY_KINDS: Readonly<Record<string, QueryKind>> = {
  phrase: (text) =>
    text.split("\n").flatMap((line) => {
      const words = line.trim().split(/\s+/);
      const count = 4 + (line.length % 3);
      if (words.length < count) return [];
      const start = line.length % (words.length - count + 1);
      const phrase = words.slice(start, start + count).join(" ");
      return line.includes(phrase) && /[a-z]{3}/i.test(phrase) && phrase.length <= 120 ? [same(phrase)] : [];
    }),
  identifier: (text) => identifiers(text).map(same),
  "identifier words": (text) =>
    identifiers(text).map((needle) => ({ query: partsOf(needle).join(" ").toLowerCase(), needle })),
  path: (text) =>
    (text.match(/[\w.@-]+(?:\/[\w.@-]+)+\.[a-z]{1,5}\b/gi) ?? [])
      .map((path) => path.replace(/\.[a-z]{1,5}$/i, ""))
      .filter((path) => path.length >= 8 && path.length <= 150)
      .map(same),
  "error line": (text) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => /error|fail|exception|cannot|not found/i.test(line))
      .filter((line) => line.length >= 20 && line.length <= 150)
      .map(same),
  "inner substring": (text) =>
    identifiers(text)
      .filter((word) => word.length >= 12)
      .map((word) => same(word.slice(2, 2 + Math.max(7, Math.floor(word.length / 2))))),
};

/** Numbers between 0 and 1, the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

import type { SearchDocument } from "./search/search-document.ts";

/** The longest list of calls, in characters. */
const LIST_CHARACTERS = 6_000;

/** What to do instead of loading these items: the size of each output, largest first, and the call that reads it. */
export function tooLargeText(
  documents: readonly SearchDocument[],
  { tokens, limitTokens }: { readonly tokens: number; readonly limitTokens: number },
): string {
  const outputs = documents
    .flatMap(({ item, outputs }) =>
      outputs.map(({ address, value }) => ({
        call: { historyId: item.historyId, ...address },
        characters: JSON.stringify(value).length,
      })),
    )
    .sort((one, other) => other.characters - one.characters);
  const lines: string[] = [];
  let listed = 0;
  for (const { call, characters } of outputs) {
    const line = `${characters} characters: read_context_output(${JSON.stringify(call)})`;
    listed += line.length;
    if (listed > LIST_CHARACTERS) break;
    lines.push(line);
  }
  const left = outputs.length - lines.length;
  return [
    `These items need about ${tokens} tokens, more than half of the budget (${limitTokens}). Nothing was loaded.`,
    "Load fewer at a time, or read in pages what you need:",
    ...lines,
    ...(left > 0 ? [`and ${left} smaller outputs.`] : []),
  ].join("\n");
}

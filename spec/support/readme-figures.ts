/** The figures that README.md gives of `npm run demo`, and what the demo says today. */
import type { DemoJson, RunJson } from "../../demo/report.ts";

/** One pair of figures: of the run with paging, and of the one without. */
export interface FigurePair {
  readonly label: string;
  readonly on: number;
  readonly off: number;
}

/** A figure may be off by this share: the demo's times of day cost a few tokens more or less. */
const TOLERANCE = 0.01;

/** The rows of the table whose head is `| ... | Paging on | Paging off |`. */
export function tableFigures(readme: string): FigurePair[] {
  const table = /^\|\s*\| Paging on \| Paging off \|\n\|.*\n((?:\|.*\n)+)/m.exec(readme)?.[1] ?? "";
  return [...table.matchAll(/^\| (.+?) *\| ([\d .]+?) *\| ([\d .]+?) *\|$/gm)].map(
    ([, label = "", on = "", off = ""]) => ({ label, on: figure(on), off: figure(off) }),
  );
}

/** Billed tokens of a call in shorter sessions: `at 14 prompts 4 432 and 4 050`. */
export function shorterFigures(readme: string): (FigurePair & { readonly prompts: number })[] {
  return [...readme.matchAll(/at\s+(\d+)\s+prompts\s+(?:\([^)]*\)\s+)?([\d\s]+?)\s+and\s+([\d\s]+\d)/g)].map(
    ([, prompts = "", on = "", off = ""]) => ({
      label: `at ${prompts} prompts`,
      prompts: Number(prompts),
      on: figure(on),
      off: figure(off),
    }),
  );
}

/** What the demo says of each row of the table. */
export function tableOf({ paged, whole }: DemoJson): FigurePair[] {
  const pair = (label: string, of: (run: RunJson) => number) => ({
    label,
    on: of(paged),
    off: of(whole),
  });
  return [
    pair("Largest request, tokens", ({ largestTokens }) => largestTokens),
    pair("Cuts", ({ cuts }) => cuts.length),
    pair("Prompt cache hit rate", ({ hitRate }) => hitRate),
    pair("Billed-equivalent tokens per call", ({ billedPerCall }) => billedPerCall),
  ];
}

/** What differs, in words; undefined when nothing does. */
export function difference(
  given: readonly FigurePair[],
  measured: readonly FigurePair[],
): string | undefined {
  const wrong = measured.flatMap(({ label, on, off }) => {
    const told = given.find((pair) => pair.label === label);
    if (told && isNear(told.on, on) && isNear(told.off, off)) return [];
    return `${label}: README ${told ? `${told.on} / ${told.off}` : "says nothing"}, demo ${on} / ${off}`;
  });
  return wrong.length === 0 ? undefined : wrong.join("\n");
}

function isNear(told: number, measured: number): boolean {
  return Math.abs(told - measured) <= measured * TOLERANCE;
}

/** Thousands are set apart by spaces, and a line may end there. */
function figure(text: string): number {
  return Number(text.replaceAll(/\s/g, ""));
}

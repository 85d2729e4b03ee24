/** The figures that README.md gives of `npm run demo`, and what the demo says today. */
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

/** The rows of the table that the demo prints: a label, and two figures far to the right. */
export function printedFigures(printed: string): FigurePair[] {
  return [...printed.matchAll(/^(\S.*?) {2,}([\d.,]+) {2,}([\d.,]+)$/gm)].map(
    ([, label = "", on = "", off = ""]) => ({ label, on: figure(on), off: figure(off) }),
  );
}

/** What differs, in words; undefined when nothing does. Labels may differ in capitals. */
export function difference(
  given: readonly FigurePair[],
  measured: readonly FigurePair[],
): string | undefined {
  if (given.length === 0) return "README gives no figures";
  const wrong = given.flatMap(({ label, on, off }) => {
    const found = measured.find((pair) => pair.label.toLowerCase() === label.toLowerCase());
    if (found && isNear(on, found.on) && isNear(off, found.off)) return [];
    return `${label}: README ${on} / ${off}, demo ${found ? `${found.on} / ${found.off}` : "says nothing"}`;
  });
  return wrong.length === 0 ? undefined : wrong.join("\n");
}

function isNear(told: number, measured: number): boolean {
  return Math.abs(told - measured) <= measured * TOLERANCE;
}

/** Thousands are set apart by spaces or commas, and a line may end there. */
function figure(text: string): number {
  return Number(text.replaceAll(/[\s,]/g, ""));
}

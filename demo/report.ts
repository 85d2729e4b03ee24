/** What the demo says: the picture with its figures as text, the same as JSON, and what must not happen. */
import { type Bill, billedPerCall, billedTotal, hitRate, PRICES } from "./bill.ts";
import { plotOf } from "./plot.ts";
import type { DemoRun, NeedleReport } from "./run.ts";
import { NEEDLE, QUESTION } from "./scenario.ts";

export interface Demo {
  readonly budgetTokens: number;
  readonly prompts: number;
  readonly paged: DemoRun;
  readonly whole: DemoRun;
}

/** Sentences about what went wrong; none when all is well. */
export function failuresOf({ budgetTokens, paged, whole }: Demo): string[] {
  const over = paged.bills.flatMap(({ tokens }, n) =>
    tokens > budgetTokens
      ? [`Request ${n} has ${count(tokens)} tokens, the budget is ${count(budgetTokens)}.`]
      : [],
  );
  const { needle } = paged;
  return [
    ...over,
    ...(paged.cuts.length === 0 ? ["The cut never moved: the session is too short."] : []),
    ...(needle.wasInWindow ? ["The needle had not left the window."] : []),
    ...(needle.isExact ? [] : [`The needle did not come back word for word, but: ${needle.answer}`]),
    ...[...paged.errors, ...whole.errors].map((error) => `Error in a run: ${error}`),
  ];
}

/** One run in the JSON of the demo. */
export interface RunJson {
  readonly requests: number;
  readonly largestTokens: number;
  readonly hitRate: number;
  readonly billedPerCall: number;
  readonly billedTotal: number;
  readonly cuts: readonly number[];
  readonly bills: readonly Bill[];
}

/** What `--json` prints. */
export interface DemoJson {
  readonly demo: "context-paging";
  readonly budgetTokens: number;
  readonly prompts: number;
  readonly prices: typeof PRICES;
  readonly paged: RunJson;
  readonly whole: RunJson;
  readonly needle: NeedleReport & { readonly asked: string; readonly stored: string };
  readonly failures: readonly string[];
}

export function reportJson(demo: Demo): DemoJson {
  const { budgetTokens, prompts, paged, whole } = demo;
  const failures = failuresOf(demo);
  return {
    demo: "context-paging",
    budgetTokens,
    prompts,
    prices: PRICES,
    paged: runJson(paged),
    whole: runJson(whole),
    needle: { asked: QUESTION, stored: NEEDLE, ...paged.needle },
    failures,
  };
}

function runJson({ bills, cuts }: DemoRun): RunJson {
  return {
    requests: bills.length,
    largestTokens: largest(bills),
    hitRate: hitRate(bills),
    billedPerCall: billedPerCall(bills),
    billedTotal: billedTotal(bills),
    cuts,
    bills,
  };
}

export function reportText(demo: Demo, seconds: number): string {
  const { budgetTokens, prompts, paged, whole } = demo;
  const { needle } = paged;
  return [
    `${prompts} prompts in the real Pi, budget ${count(budgetTokens)} tokens (counted by the o200k tokenizer)`,
    "",
    ...plotOf(demo),
    "",
    ...table(paged, whole),
    "",
    `A token read from the cache costs ${PRICES.read}, one written to it ${PRICES.write}, any other ${PRICES.input}.`,
    "A hit is what a request has in common with the one before, from the first byte on.",
    "Without paging the model's window is made large enough for all of it, so that Pi does not compact.",
    "",
    `Asked     ${QUESTION}`,
    `In window ${needle.wasInWindow ? "yes" : "no, it was evicted"}`,
    `Called    ${needle.tools.join(" -> ") || "nothing"}`,
    `Answer    ${needle.answer}`,
    `Stored    ${NEEDLE}`,
    `          ${needle.isExact ? "word for word" : "NOT the same"}`,
    "",
    `${seconds} s, no network.`,
  ].join("\n");
}

function table(paged: DemoRun, whole: DemoRun): string[] {
  const row = (name: string, figure: (run: DemoRun) => string) =>
    name.padEnd(38) + figure(paged).padStart(14) + figure(whole).padStart(14);
  return [
    `${"".padEnd(38)}${"paging on".padStart(14)}${"paging off".padStart(14)}`,
    row("requests", ({ bills }) => count(bills.length)),
    row("largest request, tokens", ({ bills }) => count(largest(bills))),
    row("cuts", ({ cuts }) => count(cuts.length)),
    row("prompt cache hit rate", ({ bills }) => hitRate(bills).toFixed(3)),
    row("billed-equivalent tokens per call", ({ bills }) => count(billedPerCall(bills))),
    row("billed-equivalent tokens in all", ({ bills }) => count(billedTotal(bills))),
  ];
}

function largest(bills: readonly Bill[]): number {
  return Math.max(...bills.map(({ tokens }) => tokens));
}

/** A whole number with thousands separators. */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

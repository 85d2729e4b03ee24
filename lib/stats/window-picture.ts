import type { SelectionReport } from "../paging/selection-report.ts";
import type { Paint, Tint } from "../paint.ts";
import { unitsText, wholeNumber } from "./figures.ts";
import type { LatestRequest } from "./latest-request.ts";

/** The limits that the next request would have, in tokens. */
export interface CurrentLimits {
  /** Effective budget; undefined while paging is off. */
  readonly budgetTokens: number | undefined;
  /** The model's window, where it is known. */
  readonly windowTokens: number | undefined;
}

interface Part {
  readonly glyph: string;
  readonly tint: Tint;
  readonly label: string;
  readonly tokens: number;
  readonly meaning: string;
}

const BAR_CELLS = 60;
const LABEL_CHARACTERS = 10;
const COUNT_CHARACTERS = 12;

/** What the latest request held, as a bar and one line a part. */
export function windowPicture(
  { report, measuredTokens }: Pick<LatestRequest, "report" | "measuredTokens">,
  limits: CurrentLimits,
  paint: Paint,
): string {
  if (!report) return emptyPicture(limits, paint);
  const parts = partsOf(report);
  const measured = measuredTokens === undefined ? "" : `, measured ${wholeNumber(measuredTokens)}`;
  const size = `~${wholeNumber(report.tokensAfter)} of ${wholeNumber(report.budgetTokens)} tokens${measured}`;
  return [
    `${paint("accent", "Window of the latest request")}: ${size}`,
    `  ${bar(parts, paint)}`,
    ...parts.map((part) => `  ${partLine(part, paint)}`),
    `  ${outsideText(report)}`,
  ].join("\n");
}

function emptyPicture({ budgetTokens, windowTokens }: CurrentLimits, paint: Paint): string {
  const window = windowTokens === undefined ? "unknown" : `${wholeNumber(windowTokens)} tokens`;
  const state =
    budgetTokens === undefined
      ? "Context paging is off: requests go out as they are."
      : `No request has been selected yet. Budget ${wholeNumber(budgetTokens)} tokens.`;
  return `${paint("accent", "Window")}\n  ${state} Model window ${window}.`;
}

function partsOf(report: SelectionReport): readonly Part[] {
  const { budgetTokens, residentTokens, noticeTokens, protectedTokens, tokensAfter } = report;
  const keptTokens = Math.max(0, tokensAfter - residentTokens - noticeTokens - protectedTokens);
  const parts: Part[] = [
    { glyph: "█", tint: "muted", label: "resident", tokens: residentTokens, meaning: "system prompt, tools" },
    { glyph: "!", tint: "accent", label: "notice", tokens: noticeTokens, meaning: "how to find what left" },
    { glyph: "▓", tint: "success", label: "kept", tokens: keptTokens, meaning: "history, may leave later" },
    {
      glyph: "▒",
      tint: "warning",
      label: "protected",
      tokens: protectedTokens,
      meaning: "the task, unread results",
    },
  ];
  const freeTokens = budgetTokens - tokensAfter;
  if (freeTokens >= 0)
    parts.push({ glyph: ".", tint: "dim", label: "free", tokens: freeTokens, meaning: "up to the budget" });
  return parts;
}

function partLine({ glyph, tint, label, tokens, meaning }: Part, paint: Paint): string {
  const count = wholeNumber(tokens).padStart(COUNT_CHARACTERS);
  return `${paint(tint, glyph)} ${label.padEnd(LABEL_CHARACTERS)}${count}  ${paint("dim", meaning)}`;
}

/** Each part in proportion, and at least one cell where it holds anything. The largest part takes what is left. */
function bar(parts: readonly Part[], paint: Paint): string {
  const total = parts.reduce((sum, part) => sum + part.tokens, 0);
  const cells = parts.map(({ tokens }) =>
    tokens > 0 ? Math.max(1, Math.round((tokens / total) * BAR_CELLS)) : 0,
  );
  const largest = parts.reduce(
    (best, part, index) => (part.tokens > (parts[best]?.tokens ?? 0) ? index : best),
    0,
  );
  const rest = BAR_CELLS - cells.reduce((sum, count) => sum + count, 0);
  return parts
    .map(({ glyph, tint }, index) =>
      paint(tint, glyph.repeat((cells[index] ?? 0) + (index === largest ? rest : 0))),
    )
    .join("");
}

/** What is not in the window, and why this request is not an ordinary one. */
function outsideText({
  mode,
  tokensBefore,
  tokensAfter,
  noticeTokens,
  unitsRemoved,
  frontier,
  fallbackCause,
}: SelectionReport): string {
  if (mode === "whole") return "Outside: nothing.";
  const tokens = wholeNumber(Math.max(0, tokensBefore - (tokensAfter - noticeTokens)));
  const place = frontier ? `, up to ${frontier.historyId}` : "";
  const outside = `Outside: ~${tokens} tokens of history in ${unitsText(unitsRemoved)}${place}.`;
  return `${outside}${REMARKS[mode]}${fallbackCause ? ` Cut for this request only (${fallbackCause}).` : ""}`;
}

const REMARKS: Readonly<Record<SelectionReport["mode"], string>> = {
  whole: "",
  paged: "",
  stateless: "",
  protectedOverflow: " The unread results exceed the budget and went out whole.",
  recovery: " The unread results did not fit and went out as references.",
};

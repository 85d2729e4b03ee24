import type { SelectionReport } from "../paging/selection-report.ts";
import type { Paint } from "../paint.ts";
import { unitsText, wholeNumber } from "./figures.ts";

/** The cut log, one line a cut, oldest first. */
export function cutLogText(reports: readonly SelectionReport[], paint: Paint): string {
  const head = paint("accent", "Cut log");
  if (reports.length === 0) return `${head}\n  No cut so far.`;
  return [head, ...reports.map((report) => `  ${cutLine(report, paint)}`)].join("\n");
}

function cutLine(report: SelectionReport, paint: Paint): string {
  const { fallbackCause, strategies, tokensBefore, tokensAfter, unitsRemoved, frontier } = report;
  const isFallback = fallbackCause !== undefined;
  const kind = isFallback ? paint("warning", "fallback") : paint("success", "advance ");
  const size = `${wholeNumber(tokensAfter)} of ${wholeNumber(tokensBefore)} tokens sent`;
  const place = frontier ? `cut behind ${frontier.historyId}` : "no cut remembered";
  const names = isFallback ? strategies.fallback : `${strategies.eviction}, ${strategies.snap}`;
  const why = isFallback ? `${fallbackCause}, ${names}` : names;
  return `${clock(report.time)}  ${kind}  ${size}, ${unitsText(unitsRemoved)} outside, ${place} ${paint("dim", `(${why})`)}`;
}

/** Time of day, as the user's clock shows it. */
function clock(time: number): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

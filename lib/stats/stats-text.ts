import type { Paint } from "../paint.ts";
import type { CacheTotals } from "./cache-totals.ts";
import { countText, estimateText, percentText, sizeText, UNAVAILABLE, wholeNumber } from "./figures.ts";
import type { RequestTokens } from "./latest-request.ts";
import type { SavedSession } from "./saved-session.ts";
import type { CurrentLimits } from "./window-picture.ts";

/** What the stats show. */
export interface StatsFigures {
  readonly storedBytes: number | undefined;
  readonly historyTokens: number;
  readonly origin: SavedSession["origin"];
  readonly input: RequestTokens | undefined;
  readonly limits: CurrentLimits;
  readonly cache: CacheTotals;
}

const LABEL_CHARACTERS = 16;

/** The answer to `/context-paging stats`: three groups of rows. */
export function statsText(figures: StatsFigures, paint: Paint): string {
  const { storedBytes, historyTokens, origin, input, limits, cache } = figures;
  const row = (label: string, value: string): string => `  ${label.padEnd(LABEL_CHARACTERS)}${value}`;
  return [
    paint("accent", origin === "fork" ? "Saved history, with what the fork took over" : "Saved history"),
    row("Stored size", sizeText(storedBytes)),
    row("History tokens", estimateText(historyTokens)),
    paint("accent", "Latest request"),
    row("Input tokens", inputText(input)),
    row("Paging budget", budgetText(limits, input)),
    row("Model window", countText(limits.windowTokens)),
    paint("accent", "Cache totals"),
    row("Tokens read", countText(cache.readTokens)),
    row("Tokens written", countText(cache.writtenTokens)),
    row("Hit rate", hitRateText(cache)),
  ].join("\n");
}

function inputText(input: RequestTokens | undefined): string {
  if (!input) return UNAVAILABLE;
  return input.source === "measured" ? wholeNumber(input.tokens) : estimateText(input.tokens);
}

function budgetText({ budgetTokens }: CurrentLimits, input: RequestTokens | undefined): string {
  if (budgetTokens === undefined) return "inactive";
  const budget = wholeNumber(budgetTokens);
  return input ? `${budget} (${percentText(input.tokens, budgetTokens)} used)` : budget;
}

/** The share of all measured input that came from a cache. */
function hitRateText({ readTokens, inputTokens }: CacheTotals): string {
  if (readTokens === undefined || inputTokens === undefined) return UNAVAILABLE;
  return inputTokens === 0 ? "0%" : percentText(readTokens, inputTokens);
}

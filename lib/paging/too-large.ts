import { ContextSelectionError } from "../errors.ts";
import type { SelectionRequest } from "./selection-request.ts";
import { roundUp } from "./window.ts";

/** The system prompt and the tools alone exceed the budget. */
export function residentTooLarge(request: SelectionRequest): ContextSelectionError {
  return tooLarge(
    "RESIDENT_INPUT_TOO_LARGE",
    "Resident input estimate",
    roundUp(request.residentTokens),
    request,
  );
}

/** What is left exceeds its limit when everything that can leave has left. */
export function requestTooLarge(
  tokens: number,
  activeTurn: "present" | "absent",
  request: SelectionRequest,
): ContextSelectionError {
  const code = activeTurn === "present" ? "ACTIVE_REQUEST_TOO_LARGE" : "RESIDENT_INPUT_TOO_LARGE";
  return tooLarge(code, "Resident and retained request estimate", tokens, request);
}

function tooLarge(
  code: "RESIDENT_INPUT_TOO_LARGE" | "ACTIVE_REQUEST_TOO_LARGE",
  what: "Resident input estimate" | "Resident and retained request estimate",
  tokens: number,
  { limits, residentTokens }: SelectionRequest,
): ContextSelectionError {
  const advice =
    what === "Resident input estimate"
      ? "Use a model with a larger window, raise contextPaging.tokenBudget, or turn off tools"
      : "Send a shorter prompt, use a model with a larger window, or raise contextPaging.tokenBudget";
  return new ContextSelectionError(
    code,
    `${what} of ${tokens} tokens exceeds the limit of ${limits.budgetTokens} tokens. Nothing was sent and nothing was lost. ` +
      `${advice}; /context-paging off turns paging off.`,
    { residentTokens: roundUp(residentTokens), requestTokens: tokens, budgetTokens: limits.budgetTokens },
  );
}

/** The limits of one request: configured limits and a model window (ARCHITECTURE.md, "Settings and limits"). */
import { ContextSelectionError } from "../errors.ts";
import type { ConfiguredLimits } from "../settings.ts";
import { isTokenCount } from "../settings-layer.ts";
import { shownValue } from "../shown-value.ts";

/** What is known of a model's window, in tokens. */
export interface ModelWindow {
  readonly contextWindow: number;
  /** The longest answer the model can give. Where it is no number from 1 up, it is taken as unknown. */
  readonly maxTokens?: number;
}

/** The limits of one request, in tokens. */
export interface RequestLimits {
  readonly configuredBudgetTokens: number;
  readonly configuredTargetTokens: number;
  /** Effective budget: a request above it makes the cut advance. */
  readonly budgetTokens: number;
  /** Effective cut destination, at least 1 and at most the effective budget. */
  readonly targetTokens: number;
  /** What the model's window leaves for input. Absent when the window is unknown. */
  readonly inputWindowTokens?: number;
  /** The user set a target at or above the budget: each cut then leaves no headroom. Never for an implicit target. */
  readonly highTarget: boolean;
}

/** Room that is kept for the answer at most, in tokens. */
const LARGEST_OUTPUT_ROOM = 16_384;

/**
 * Combines configured limits with the model's window. Without a window the configured limits stand alone.
 *
 * @throws ContextSelectionError `INVALID_TOKEN_BUDGET` or `INVALID_TRIM_TARGET` when a configured limit is not a
 * positive safe integer, `INVALID_MODEL_CONTEXT` when the window is not a positive finite number.
 */
export function requestLimits(configured: ConfiguredLimits, window?: ModelWindow): RequestLimits {
  checkConfigured(configured);
  const inputWindow = window === undefined ? undefined : inputWindowTokens(window);
  const budgetTokens = Math.min(configured.tokenBudget, inputWindow ?? configured.tokenBudget);
  return {
    configuredBudgetTokens: configured.tokenBudget,
    configuredTargetTokens: configured.trimToTokens,
    budgetTokens,
    targetTokens: effectiveTarget(configured, budgetTokens),
    ...(inputWindow === undefined ? {} : { inputWindowTokens: inputWindow }),
    highTarget: configured.explicitTarget && configured.trimToTokens >= configured.tokenBudget,
  };
}

function checkConfigured({ tokenBudget, trimToTokens }: ConfiguredLimits): void {
  if (!isTokenCount(tokenBudget)) {
    throw new ContextSelectionError("INVALID_TOKEN_BUDGET", notATokenCount("tokenBudget", tokenBudget));
  }
  if (!isTokenCount(trimToTokens)) {
    throw new ContextSelectionError("INVALID_TRIM_TARGET", notATokenCount("trimToTokens", trimToTokens));
  }
}

function notATokenCount(field: keyof ConfiguredLimits, value: unknown): string {
  return (
    `contextPaging.${field} is ${shownValue(value)}, but must be a whole number from 1 to ` +
    `${Number.MAX_SAFE_INTEGER}. Correct it in settings.json, or remove it to use the default.`
  );
}

/** The window without the output room. A tiny window still leaves one token, so that no limit is ever zero. */
function inputWindowTokens({ contextWindow, maxTokens }: ModelWindow): number {
  if (!Number.isFinite(contextWindow) || contextWindow <= 0) {
    throw new ContextSelectionError(
      "INVALID_MODEL_CONTEXT",
      `The model's context window is ${shownValue(contextWindow)}, but must be a positive number of tokens. ` +
        "Correct contextWindow of this model in models.json, choose another model, or use /context-paging off.",
    );
  }
  const window = Math.floor(contextWindow);
  const outputRoom = Math.min(longestAnswerTokens(maxTokens), LARGEST_OUTPUT_ROOM, Math.floor(window / 4));
  return Math.max(1, window - outputRoom);
}

function longestAnswerTokens(maxTokens: number | undefined): number {
  return maxTokens !== undefined && maxTokens >= 1 ? Math.floor(maxTokens) : LARGEST_OUTPUT_ROOM;
}

/** The target in proportion to what is left of the budget. The product can exceed what a number holds exactly. */
function effectiveTarget({ tokenBudget, trimToTokens }: ConfiguredLimits, budgetTokens: number): number {
  if (trimToTokens >= tokenBudget) return budgetTokens;
  if (budgetTokens === tokenBudget) return trimToTokens;
  const scaled = (BigInt(trimToTokens) * BigInt(budgetTokens)) / BigInt(tokenBudget);
  return Math.max(1, Number(scaled));
}

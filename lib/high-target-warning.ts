import type { ConfiguredLimits } from "./settings.ts";

/**
 * Warns of a target that leaves no headroom between cuts, once per pair of budget and target. What was warned about
 * survives sessions and model switches, not a restart. Section "Settings and limits" of ARCHITECTURE.md.
 */
export class HighTargetWarning {
  readonly #warned = new Set<string>();

  /** The warning for a pair that was not warned about; undefined for the others. */
  take({ tokenBudget, trimToTokens }: ConfiguredLimits): string | undefined {
    const pair = `${tokenBudget} ${trimToTokens}`;
    if (this.#warned.has(pair)) return undefined;
    this.#warned.add(pair);
    return (
      `contextPaging.trimToTokens (${trimToTokens}) is not below tokenBudget (${tokenBudget}): every cut leaves no ` +
      "headroom, so the cut moves often and the prompt cache is missed. Set a lower trimToTokens or remove it."
    );
  }
}

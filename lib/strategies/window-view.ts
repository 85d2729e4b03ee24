/** One unit as a strategy sees it. Units leave in order, oldest first. */
export interface UnitView {
  readonly kind: "prefix" | "turn" | "partial" | "remainder" | "exchange";
  /** Estimated tokens of its messages. */
  readonly tokens: number;
  /** Whether a cut directly behind it can be remembered: the stored history has a key for it. */
  readonly keyed: boolean;
}

/** What every strategy is told about a request. Immutable. */
export interface WindowView {
  /** Everything that can leave, oldest first. What is protected is not among them. */
  readonly units: readonly UnitView[];
  /** How many leading units the remembered cut excludes already. A cut never moves back behind it. */
  readonly start: number;
  /** Effective budget in tokens: no request may exceed it. */
  readonly budgetTokens: number;
  /** Estimated tokens of the whole request, notice included, when the first `boundary` units have left. */
  tokensAt(boundary: number): number;
}

/** The first boundary from `start` on whose request fits `limitTokens`; every unit when none does. */
export function firstFit(view: WindowView, limitTokens: number): number {
  let boundary = view.start;
  while (boundary < view.units.length && view.tokensAt(boundary) > limitTokens) boundary++;
  return boundary;
}

/** `boundary` as a whole number between `low` and `high`. */
export function clamp(boundary: number, low: number, high: number): number {
  return Number.isFinite(boundary) ? Math.min(Math.max(Math.trunc(boundary), low), high) : low;
}

/**
 * `boundary` where the request fits the budget: there, else at the next that fits, else at the first from `start` on.
 * More units left out do not always make a smaller request, because its notice can grow. Every unit when none fits.
 */
export function fitted(view: WindowView, boundary: number): number {
  const first = firstFit(view, view.budgetTokens);
  const wanted = clamp(boundary, first, view.units.length);
  const next = firstFit({ ...view, start: wanted }, view.budgetTokens);
  return view.tokensAt(next) <= view.budgetTokens ? next : first;
}

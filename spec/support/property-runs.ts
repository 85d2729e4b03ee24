/**
 * How a property runs: once with a fixed seed, so that every machine sees the same cases, and once with a fresh one,
 * so that time finds new ones. Both are printed; PROPERTY_SEED repeats a fresh one.
 */
export const FIXED_SEED = 20_260_105;
const FRESH_SEED = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31);

export interface PropertyRuns {
  readonly seed: number;
  readonly numRuns: number;
}

/** Parameters of a run with the fixed seed. */
export function fixedRuns(numRuns = 300): PropertyRuns {
  return { seed: FIXED_SEED, numRuns };
}

/** One run with the fixed seed and one with the fresh seed, each with a title that prints it. */
export function seededRuns(numRuns: number): (PropertyRuns & { readonly title: string })[] {
  return [
    { seed: FIXED_SEED, numRuns, title: `fixed seed ${FIXED_SEED}` },
    { seed: FRESH_SEED, numRuns, title: `fresh seed ${FRESH_SEED} (PROPERTY_SEED)` },
  ];
}

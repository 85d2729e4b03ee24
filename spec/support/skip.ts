/** Skips the test (or, in a hook, the suite) and prints why. */
export function skipWhere(context: Mocha.Context, obstacle: string | undefined): void {
  if (obstacle === undefined) return;
  console.warn(`      skipped: ${obstacle}`);
  context.skip();
}

/** The two functions of a test runner that a suite needs; those of mocha, vitest, jest or `node:test` fit. */
export interface TestRunner {
  readonly describe: (title: string, body: () => void) => unknown;
  readonly it: (title: string, body: () => void) => unknown;
}

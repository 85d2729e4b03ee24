import assert from "node:assert/strict";
import type { WindowView } from "../strategies/window-view.ts";
import { sampleWindows } from "./sample-window.ts";
import type { TestRunner } from "./test-runner.ts";

/** A strategy that answers with the number of units that leave. */
export interface BoundarySuite<S, V extends WindowView> {
  readonly make: () => S;
  readonly ask: (strategy: S, view: V) => number;
  /** The views of one sample window, each with a name. */
  readonly views: (window: WindowView) => readonly (readonly [name: string, view: V])[];
}

/** What eviction and fallback have in common. */
export function boundarySuite<S extends { readonly name: string }, V extends WindowView>(
  { it }: TestRunner,
  { make, ask, views }: BoundarySuite<S, V>,
): void {
  const samples = sampleWindows().flatMap(([window, sample]) =>
    views(sample).map(([name, view]) => [`${window}, ${name}`, Object.freeze(view)] as const),
  );
  const each = (check: (boundary: number, view: V, name: string) => void): void => {
    const strategy = make();
    for (const [name, view] of samples) check(ask(strategy, view), view, name);
  };

  itIsNamed({ it }, make);

  it("stays within the bounds: a whole number of units, none that is protected", () => {
    each((boundary, { units }, name) => {
      assert.ok(Number.isInteger(boundary), `${name}: ${boundary} is no whole number`);
      assert.ok(boundary >= 0 && boundary <= units.length, `${name}: ${boundary} of ${units.length} units`);
    });
  });

  it("never moves back behind the remembered cut", () => {
    each((boundary, { start }, name) => {
      assert.ok(boundary >= start, `${name}: ${boundary} is before ${start}`);
    });
  });

  it("fits the budget wherever that is possible", () => {
    each((boundary, view, name) => {
      if (!canFit(view)) return;
      const tokens = view.tokensAt(boundary);
      assert.ok(
        tokens <= view.budgetTokens,
        `${name}: ${tokens} of ${view.budgetTokens} tokens at ${boundary}`,
      );
    });
  });

  it("takes everything where nothing fits, so that the policy can see it", () => {
    each((boundary, view, name) => {
      if (!canFit(view)) assert.equal(boundary, view.units.length, name);
    });
  });

  it("is stateless: the same answer for the same window, in any order and from any instance", () => {
    const answers = samples.map(([, view]) => ask(make(), view));
    const strategy = make();
    const again = samples.toReversed().map(([, view]) => ask(strategy, view));
    assert.deepEqual(again.reverse(), answers);
  });
}

/** A strategy has a name, the same in each instance: it shows in the cut log. */
export function itIsNamed({ it }: Pick<TestRunner, "it">, make: () => { readonly name: string }): void {
  it("has a name for the cut log", () => {
    const { name } = make();
    assert.equal(typeof name, "string");
    assert.notEqual(name.trim(), "");
    assert.equal(make().name, name);
  });
}

function canFit({ units, start, budgetTokens, tokensAt }: WindowView): boolean {
  for (let boundary = start; boundary <= units.length; boundary++) {
    if (tokensAt(boundary) <= budgetTokens) return true;
  }
  return false;
}

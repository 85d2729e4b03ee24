import { expect } from "chai";
import { type SnapOutcome, SnapStrategy, type SnapView } from "../../../lib/strategies/index.ts";
import { type SampleOptions, sampleWindow, snapConformance } from "../../../lib/testing.ts";

class Fixed extends SnapStrategy {
  override readonly name = "fixed";
  readonly #boundary: number | undefined;

  constructor(boundary: number | undefined) {
    super();
    this.#boundary = boundary;
  }

  protected override place(): number | undefined {
    return this.#boundary;
  }
}

/** 20 units of which every fifth has a key: a cut may end at 1, 6, 11 or 16. */
const view = (boundary: number, options: SampleOptions = {}): SnapView => {
  const units = Array.from({ length: 20 }, (_, unit) => ({ keyed: unit % 5 === 0 }));
  return { ...sampleWindow({ units, ...options }), boundary };
};
const snap = (place: number | undefined, boundary: number, options?: SampleOptions): SnapOutcome =>
  new Fixed(place).snap(view(boundary, options));

describe("SnapStrategy", () => {
  for (const place of [undefined, -1, 0, 6, 6.5, 1e9, Number.NaN, Number.POSITIVE_INFINITY]) {
    describe(`that wants ${place}`, () => snapConformance({ describe, it }, () => new Fixed(place)));
  }

  it("gives a place with a key that fits the budget", () => {
    expect(snap(16, 18)).to.deep.equal({ kind: "keyed", boundary: 16 });
  });

  it("never goes beyond the boundary that eviction chose", () => {
    expect(snap(99, 16)).to.deep.equal({ kind: "keyed", boundary: 16 });
    expect(snap(16, 14)).to.deep.equal({ kind: "no-key" });
  });

  it("never goes back behind the remembered cut", () => {
    expect(snap(6, 18, { start: 16 })).to.deep.equal({ kind: "keyed", boundary: 16 });
  });

  it("has no key where the subclass knows no place, or one without a key, or the very front", () => {
    expect(snap(undefined, 18)).to.deep.equal({ kind: "no-key" });
    expect(snap(undefined, 18, { start: 16 })).to.deep.equal({ kind: "no-key" });
    expect(snap(15, 18)).to.deep.equal({ kind: "no-key" });
    expect(snap(0, 18)).to.deep.equal({ kind: "no-key" });
  });

  it("says when the request there exceeds the budget, notice included", () => {
    expect(snap(11, 18)).to.deep.equal({ kind: "over-budget", boundary: 11 });
    expect(snap(16, 18, { budgetTokens: 520 })).to.deep.equal({ kind: "keyed", boundary: 16 });
    expect(snap(16, 18, { budgetTokens: 519 })).to.deep.equal({ kind: "over-budget", boundary: 16 });
  });
});

import { expect } from "chai";
import { type FallbackCause, FallbackStrategy, type FallbackView } from "../../../lib/strategies/index.ts";
import { fallbackConformance, type SampleOptions, sampleWindow } from "../../../lib/testing.ts";

class Fixed extends FallbackStrategy {
  override readonly name = "fixed";
  readonly causes: FallbackCause[] = [];
  readonly #boundary: number;

  constructor(boundary: number) {
    super();
    this.#boundary = boundary;
  }

  protected override place({ cause }: FallbackView): number {
    this.causes.push(cause);
    return this.#boundary;
  }
}

const view = (options: SampleOptions = {}): FallbackView => {
  const units = Array.from({ length: 20 }, () => ({ keyed: false }));
  return { ...sampleWindow({ units, ...options }), cause: "keyless-no-key" };
};

describe("FallbackStrategy", () => {
  for (const place of [-1, 3, 12.5, 1e9, Number.NaN, Number.POSITIVE_INFINITY]) {
    describe(`that wants ${place}`, () => fallbackConformance({ describe, it }, () => new Fixed(place)));
  }

  it("cuts where the subclass says when the request fits there, else further on", () => {
    expect(new Fixed(15).fallBack(view())).to.equal(15);
    expect(new Fixed(3).fallBack(view())).to.equal(12);
    expect(new Fixed(99).fallBack(view())).to.equal(20);
    expect(new Fixed(3).fallBack(view({ protectedTokens: 1_001 }))).to.equal(20);
  });

  it("tells the subclass the cause", () => {
    const strategy = new Fixed(15);
    strategy.fallBack(view());
    expect(strategy.causes).to.deep.equal(["keyless-no-key"]);
  });
});

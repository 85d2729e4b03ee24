import { expect } from "chai";
import { EvictionStrategy, type EvictionView } from "../../../lib/strategies/index.ts";
import { evictionConformance, type SampleOptions, sampleWindow } from "../../../lib/testing.ts";

/** Wants to cut at a fixed place, whatever that is. */
class Fixed extends EvictionStrategy {
  override readonly name = "fixed";
  readonly #boundary: number;

  constructor(boundary: number) {
    super();
    this.#boundary = boundary;
  }

  protected override place(): number {
    return this.#boundary;
  }
}

const view = (options: SampleOptions = {}): EvictionView => {
  const units = Array.from({ length: 20 }, () => ({}));
  return { ...sampleWindow({ units, ...options }), destinationTokens: 600 };
};
const evict = (boundary: number, options?: SampleOptions) => new Fixed(boundary).evict(view(options));

describe("EvictionStrategy", () => {
  for (const place of [-1, 0, 3, 12.5, 1e9, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    describe(`that wants ${place}`, () => evictionConformance({ describe, it }, () => new Fixed(place)));
  }

  it("cuts where the subclass says when the request fits there", () => {
    expect(evict(15)).to.equal(15);
    expect(evict(15.9)).to.equal(15);
  });

  it("takes more where the request would not fit", () => {
    expect(evict(0)).to.equal(12);
    expect(evict(11)).to.equal(12);
  });

  it("never moves back behind the remembered cut", () => {
    expect(evict(15, { start: 17 })).to.equal(17);
  });

  it("takes everything at most, and where nothing fits", () => {
    expect(evict(21)).to.equal(20);
    expect(evict(0, { protectedTokens: 1_001 })).to.equal(20);
  });

  it("takes a fitting place near by where the notice grows too large", () => {
    const noticeTokensAt = (boundary: number) => (boundary === 15 || boundary > 17 ? 950 : 20);
    expect(evict(15, { noticeTokensAt })).to.equal(16);
    expect(evict(18, { noticeTokensAt })).to.equal(12);
  });
});

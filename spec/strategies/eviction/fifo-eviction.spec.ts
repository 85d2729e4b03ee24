import { expect } from "chai";
import { FifoEviction } from "../../../lib/strategies/index.ts";
import { evictionConformance, type SampleOptions, sampleWindow } from "../../../lib/testing.ts";

const evict = (destinationTokens: number, options: SampleOptions = {}) => {
  const units = Array.from({ length: 20 }, () => ({}));
  return new FifoEviction().evict({ ...sampleWindow({ units, ...options }), destinationTokens });
};

describe("FifoEviction", () => {
  evictionConformance({ describe, it }, () => new FifoEviction());

  it("is named fifo", () => expect(new FifoEviction().name).to.equal("fifo"));

  it("takes the oldest units until the destination is met, and not one more", () => {
    // 100 protected, 20 notice, 100 for each unit that stays.
    expect(evict(620)).to.equal(15);
    expect(evict(619)).to.equal(16);
    expect(evict(1_000)).to.equal(12);
  });

  it("counts the notice of each place", () => {
    expect(evict(620, { noticeTokensAt: (boundary) => (boundary < 18 ? 120 : 20) })).to.equal(16);
  });

  it("goes on from the remembered cut", () => {
    expect(evict(620, { start: 17 })).to.equal(17);
  });

  it("takes every unit where what is protected exceeds the destination", () => {
    expect(evict(619, { protectedTokens: 700 })).to.equal(20);
  });
});

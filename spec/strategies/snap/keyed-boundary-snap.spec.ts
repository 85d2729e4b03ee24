import { expect } from "chai";
import { KeyedBoundarySnap } from "../../../lib/strategies/index.ts";
import { sampleWindow, snapConformance } from "../../../lib/testing.ts";

const snap = (keys: readonly number[], boundary: number, start = 0) => {
  const units = Array.from({ length: 10 }, (_, unit) => ({ keyed: keys.includes(unit) }));
  return new KeyedBoundarySnap().snap({ ...sampleWindow({ units, start, budgetTokens: 5_000 }), boundary });
};

describe("KeyedBoundarySnap", () => {
  snapConformance({ describe, it }, () => new KeyedBoundarySnap());

  it("is named keyed-boundary", () => expect(new KeyedBoundarySnap().name).to.equal("keyed-boundary"));

  it("leaves a boundary with a key where it is", () => {
    expect(snap([2, 6], 7)).to.deep.equal({ kind: "keyed", boundary: 7 });
  });

  it("goes back to the last excluded unit with a key", () => {
    expect(snap([2, 6, 9], 9)).to.deep.equal({ kind: "keyed", boundary: 7 });
    expect(snap([2, 6, 9], 6)).to.deep.equal({ kind: "keyed", boundary: 3 });
  });

  it("goes back to the remembered cut at most", () => {
    expect(snap([4], 9, 5)).to.deep.equal({ kind: "keyed", boundary: 5 });
  });

  it("finds no place without a key", () => {
    expect(snap([9], 9)).to.deep.equal({ kind: "no-key" });
    expect(snap([], 9)).to.deep.equal({ kind: "no-key" });
  });
});

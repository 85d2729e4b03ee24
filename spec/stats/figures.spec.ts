import { expect } from "chai";
import {
  countText,
  estimateText,
  percentText,
  sizeText,
  unitsText,
  wholeNumber,
} from "../../lib/stats/figures.ts";

describe("figures", () => {
  it("are whole numbers with thousands separators", () => {
    expect([0, 999, 1_000, 1_234_567, 10.5].map(wholeNumber)).to.deep.equal([
      "0",
      "999",
      "1,000",
      "1,234,567",
      "11",
    ]);
  });

  it("mark estimates with ~", () => expect(estimateText(12_345)).to.equal("~12,345"));

  it("say unavailable where there is none, and 0 where it is 0", () => {
    expect([countText(undefined), countText(0)]).to.deep.equal(["unavailable", "0"]);
    expect([sizeText(undefined), sizeText(0)]).to.deep.equal(["unavailable", "0.0 KiB"]);
  });

  it("are sizes in KiB, and in MiB from 1,024 KiB", () => {
    const sizes = [100, 1_024, 1_536, 1_048_524, 1_048_525, 1_048_576, 5_000_000_000];
    expect(sizes.map(sizeText)).to.deep.equal([
      "0.1 KiB",
      "1.0 KiB",
      "1.5 KiB",
      "1,023.9 KiB",
      "1.0 MiB",
      "1.0 MiB",
      "4,768.4 MiB",
    ]);
  });

  it("are whole percentages, above 100 too", () => {
    expect([percentText(1, 3), percentText(0, 5), percentText(3_000, 1_000)]).to.deep.equal([
      "33%",
      "0%",
      "300%",
    ]);
  });

  it("count units", () => expect([unitsText(1), unitsText(1_200)]).to.deep.equal(["1 unit", "1,200 units"]));
});

import { expect } from "chai";
import { isJsonObject } from "../lib/json-object.ts";

describe("isJsonObject", () => {
  it("takes objects", () => {
    expect(isJsonObject({})).to.equal(true);
    expect(isJsonObject(Object.create(null))).to.equal(true);
  });

  it("takes neither null, arrays nor plain values", () => {
    for (const value of [null, [], [{}], "{}", 1, true, undefined])
      expect(isJsonObject(value)).to.equal(false);
  });
});

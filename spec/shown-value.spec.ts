import { expect } from "chai";
import { shownValue } from "../lib/shown-value.ts";

describe("shownValue", () => {
  it("tells a text from a number", () => {
    expect(shownValue("80000")).to.equal('"80000"');
    expect(shownValue(80000)).to.equal("80000");
  });

  it("shows numbers that JSON does not know", () => {
    expect([NaN, -Infinity, -0.5].map(shownValue)).to.deep.equal(["NaN", "-Infinity", "-0.5"]);
  });

  it("shows any other value on one line", () => {
    expect([null, undefined, true, [1], { a: "x\ny" }].map(shownValue)).to.deep.equal([
      "null",
      "undefined",
      "true",
      "[1]",
      '{"a":"x\\ny"}',
    ]);
  });

  it("does not throw on what JSON cannot hold", () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect([cyclic, 10n, Symbol("s"), () => 1].map(shownValue)).to.deep.equal([
      "object",
      "bigint",
      "symbol",
      "function",
    ]);
  });

  it("cuts long values at 60 characters, never inside an emoji", () => {
    expect(shownValue("x".repeat(58))).to.equal(`"${"x".repeat(58)}"`);
    expect(shownValue("x".repeat(59))).to.equal(`"${"x".repeat(56)}...`);
    expect(shownValue("😀".repeat(500))).to.equal(`"${"😀".repeat(56)}...`);
    expect(shownValue(`a${"😀".repeat(500)}`)).to.equal(`"a${"😀".repeat(55)}...`);
  });
});

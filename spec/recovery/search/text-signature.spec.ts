import { expect } from "chai";
import fc from "fast-check";
import { gramsOf, TextSignature } from "../../../lib/recovery/search/text-signature.ts";
import { prose } from "../../support/prose.ts";

const mayHold = (text: string, part: string) => new TextSignature([text]).mayHold(gramsOf(part));

describe("TextSignature", () => {
  it("never says no to a part of its text, in any script and case", () => {
    const unit = fc.constantFrom(..."aB3 -_.\n文件é🙂Жж", "\ud83d");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 200 }), fc.nat(200), fc.nat(40), (text, start, length) => {
        const part = Array.from(text)
          .slice(start, start + length)
          .join("");
        expect(mayHold(text, part)).to.equal(true);
        expect(
          mayHold(
            text,
            part.replaceAll(/[^ΣЖжé🙂]/gu, (letter) => letter.toUpperCase()),
          ),
        ).to.equal(true);
      }),
    );
  });

  it("skips what separates words", () => {
    expect(mayHold("new SessionManager()", "session manager")).to.equal(true);
    expect(mayHold("the session_manager.ts", "SessionManager")).to.equal(true);
  });

  it("says no to most of what is not there", () => {
    const text = prose(1, 4_000);
    const absent = Array.from({ length: 500 }, (_, n) => `zq${(n * 7_919).toString(36)}xv`);
    expect(absent.filter((word) => mayHold(text, word)).length).to.be.below(10);
    expect(mayHold("今天我们访问文件系统", "数据")).to.equal(false);
  });

  it("may lack as many parts as are allowed", () => {
    const signature = new TextSignature(["a navigator reads"]);
    expect(signature.mayHold(gramsOf("navgator"))).to.equal(false);
    expect(signature.mayHold(gramsOf("navgator"), 3)).to.equal(true);
  });

  it("holds each of several texts, and not what the signatures beside it hold", () => {
    const word = (n: number) => `w${(n * 7_919).toString(36)}xyz`;
    const signatures = Array.from({ length: 3_000 }, (_, n) => new TextSignature([word(n), `${n}other`]));
    const holdsBoth = (signature: TextSignature, n: number) =>
      [word(n), `${n}other`].every((text) => signature.mayHold(gramsOf(text)));
    expect(signatures.every(holdsBoth)).to.equal(true);
    const isTakenForNext = (signature: TextSignature, n: number) => signature.mayHold(gramsOf(word(n + 500)));
    expect(signatures.filter(isTakenForNext).length).to.be.below(300);
  });

  it("reads texts of any length", () => {
    const text = `${prose(1, 300_000)} needle ${"文".repeat(40_000)} haystack`;
    expect(mayHold(text, "needle")).to.equal(true);
    expect(mayHold(text, "haystack")).to.equal(true);
  });
});

import { expect } from "chai";
import {
  CHARACTER_WEIGHTS,
  DIGIT,
  LETTER,
  MIXED_RUN_SURCHARGE,
  UNITS_PER_TOKEN,
  WEIGHT,
} from "../../lib/usage/character-weights.ts";

/** Tokens of the characters of a text, one by one. */
const tokensOf = (text: string) =>
  Array.from(
    text.split(""),
    (unit) => ((CHARACTER_WEIGHTS[unit.charCodeAt(0)] ?? 0) & WEIGHT) / UNITS_PER_TOKEN,
  );
const sum = (text: string) => tokensOf(text).reduce((total, tokens) => total + tokens, 0);

describe("CHARACTER_WEIGHTS", () => {
  it("knows every code unit, none below a quarter of a token", () => {
    expect(CHARACTER_WEIGHTS.length).to.equal(0x10000);
    const least = CHARACTER_WEIGHTS.reduce((low, weight) => Math.min(low, weight & WEIGHT), Infinity);
    expect(least / UNITS_PER_TOKEN).to.equal(0.25);
  });

  it("marks the ASCII letters and digits and nothing else", () => {
    const marked = (mark: number) => {
      const codes = Array.from(CHARACTER_WEIGHTS.keys()).filter(
        (code) => ((CHARACTER_WEIGHTS[code] ?? 0) & mark) !== 0,
      );
      return String.fromCharCode(...codes);
    };
    expect(marked(LETTER)).to.equal("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    expect(marked(DIGIT)).to.equal("0123456789");
  });

  it("prices a letter of a mixed run like a digit", () => {
    expect(sum("a") + MIXED_RUN_SURCHARGE / UNITS_PER_TOKEN).to.equal(sum("0"));
  });

  const prices: ReadonlyArray<readonly [name: string, text: string, tokens: number]> = [
    ["Latin letters and white space", "azAZ \t\n\r", 0.25],
    ["ASCII digits and punctuation", "09!/:@[`{~-_", 0.5],
    ["ASCII controls", "\0\u001b\u007f", 1],
    ["Western accented letters", "éßÖñ", 0.75],
    ["other Latin letters", "łğřếɐ", 1],
    ["Russian letters", "АЯая", 0.5],
    ["other Cyrillic and Greek and Hebrew letters", "ёіїαωא", 1],
    ["Arabic letters", "ابي", 0.75],
    ["Thai and Indic letters", "กขअकবத", 1],
    ["Han, kana, hangul and their punctuation", "中文語あアー한국、。", 1],
    ["symbols and box drawing", "─│┌█●→∑€™…", 1],
    ["variation selectors, joiners, combining marks", "\uFE0F\u200D\u0301", 1],
    ["symbols that are drawn as emoji", "✅❌⚡⭐", 2],
    ["scripts spelled in bytes", "ລཀአ", 2],
    ["scripts and icons spelled in bytes of three", "Ꭰᐁᠠ⠋ꀀ\uE0A0", 3],
  ];
  for (const [name, text, tokens] of prices) {
    it(`prices ${name} at ${tokens}`, () => {
      expect(tokensOf(text)).to.deep.equal(tokensOf(text).map(() => tokens));
    });
  }

  it("prices emoji at 2, and each part of a joined one", () => {
    for (const emoji of ["😀", "🚀", "🦀", "🫠", "⚠️", "❤️"]) expect(sum(emoji), emoji).to.equal(2);
    expect(sum("👍🏽")).to.equal(4);
    expect(sum("🇩🇪")).to.equal(4);
    expect(sum("👩‍💻")).to.equal(5);
    expect(sum("👨‍👩‍👧‍👦")).to.equal(11);
  });

  it("prices other pairs, rare Han among them, at 3", () => {
    for (const pair of ["𠀀", "𝐀", "𐎀"]) expect(sum(pair), pair).to.equal(3);
  });
});

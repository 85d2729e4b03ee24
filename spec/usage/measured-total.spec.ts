import { expect } from "chai";
import type { AssistantMessage } from "../../lib/messages.ts";
import { isSuccessful, measuredInputTokens, measuredTokens } from "../../lib/usage/measured-total.ts";

const withUsage = (usage: unknown) => ({ role: "assistant", usage }) as AssistantMessage;
const total = (usage: unknown) => measuredTokens(withUsage(usage));
const input = (usage: unknown) => measuredInputTokens(withUsage(usage));

describe("measuredTokens", () => {
  it("is the provider's total", () => {
    expect(total({ totalTokens: 7, input: 1, output: 1, cacheRead: 1, cacheWrite: 1 })).to.equal(7);
  });

  it("is the sum of the parts where there is no total", () => {
    expect(total({ input: 1, output: 20, cacheRead: 300, cacheWrite: 4_000 })).to.equal(4_321);
    expect(total({ totalTokens: 0, input: 1, output: 20, cacheRead: 0, cacheWrite: 0 })).to.equal(21);
  });

  it("is none where there is no total and a part is missing, which may be the largest (D10)", () => {
    const whole = { input: 10, output: 20, cacheRead: 4_000, cacheWrite: 30 };
    expect(total({ input: 10 })).to.equal(undefined);
    for (const part of Object.keys(whole))
      for (const missing of [undefined, null])
        expect(total({ ...whole, [part]: missing }), part).to.equal(undefined);
  });

  it("is none where nothing was measured, and where a value is impossible (D09, D10)", () => {
    const zeros = { totalTokens: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const odd = [Number.NaN, -5, "123", Number.POSITIVE_INFINITY, 1.5, null, true].map((totalTokens) => ({
      totalTokens,
    }));
    const parts = [Number.NaN, -5, "123", Number.POSITIVE_INFINITY, 1.5].map((value) => ({
      input: 10,
      output: value,
      cacheRead: 0,
      cacheWrite: 0,
    }));
    const unsafe = { input: Number.MAX_SAFE_INTEGER, output: 1, cacheRead: 0, cacheWrite: 0 };
    const beside = odd.map((totalTokens) => ({
      ...totalTokens,
      input: 10,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
    }));
    for (const usage of [undefined, null, "x", 5, {}, zeros, unsafe, ...odd, ...beside, ...parts])
      expect(total(usage), JSON.stringify(usage)).to.equal(undefined);
  });
});

describe("measuredInputTokens", () => {
  it("is what the provider counted for the request, cached or not, without the output", () => {
    expect(input({ input: 1, output: 9_000, cacheRead: 20, cacheWrite: 300, totalTokens: 9_321 })).to.equal(
      321,
    );
  });

  it("is none where a part is missing, impossible or unsafe, or all are zero", () => {
    for (const usage of [
      undefined,
      null,
      {},
      { input: 10 },
      { input: 10, cacheRead: 0 },
      { input: 0, cacheRead: 0, cacheWrite: 0, output: 5 },
      { input: "10", cacheRead: 0, cacheWrite: 0 },
      { input: 10, cacheRead: -1, cacheWrite: 0 },
      { input: 10, cacheRead: 0, cacheWrite: Number.NaN },
      { input: Number.MAX_SAFE_INTEGER, cacheRead: 1, cacheWrite: 0 },
    ])
      expect(input(usage), JSON.stringify(usage)).to.equal(undefined);
  });
});

describe("isSuccessful", () => {
  it("is a response that came to its end, also one that was cut off", () => {
    const ends = ["stop", "toolUse", "length", "error", "aborted"] as const;
    expect(ends.map((stopReason) => isSuccessful({ stopReason } as AssistantMessage))).to.deep.equal([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

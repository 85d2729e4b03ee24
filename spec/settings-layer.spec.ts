import { expect } from "chai";
import { isTokenCount, SettingsLayer } from "../lib/settings-layer.ts";

describe("isTokenCount", () => {
  it("takes positive safe integers only", () => {
    for (const value of [1, 128_000, Number.MAX_SAFE_INTEGER]) expect(isTokenCount(value)).to.equal(true);
    for (const value of [0, -1, 0.5, NaN, Infinity, 2 ** 53, "1", 1n, null, undefined, true, [1]]) {
      expect(isTokenCount(value), String(value)).to.equal(false);
    }
  });
});

describe("SettingsLayer", () => {
  const layer = (contextPaging: unknown) => new SettingsLayer("global", { contextPaging });

  it("is empty, without findings, where nothing is set", () => {
    for (const settings of [undefined, {}, { theme: "dark" }, { contextPaging: {} }]) {
      const empty = new SettingsLayer("project", settings);
      expect(empty).to.deep.include({ scope: "project", enabled: undefined, ordinary: {}, findings: [] });
      expect(empty.overrides.size).to.equal(0);
    }
  });

  it("keeps valid values and leaves out invalid ones", () => {
    const { ordinary, enabled, findings } = layer({ enabled: "yes", tokenBudget: 9, trimToTokens: 0 });
    expect(ordinary).to.deep.equal({ tokenBudget: 9 });
    expect(enabled).to.equal(undefined);
    expect(findings).to.deep.equal([
      { key: "contextPaging.enabled", value: "yes", part: "enabled" },
      { key: "contextPaging.trimToTokens", value: 0, part: "trimToTokens" },
    ]);
  });

  it("keeps the valid fields of an override and names the others with the model", () => {
    const { overrides, findings } = layer({
      modelOverrides: { "p/m": { tokenBudget: "x", trimToTokens: 5 } },
    });
    expect(overrides.get("p/m")).to.deep.equal({ trimToTokens: 5 });
    const key = 'contextPaging.modelOverrides["p/m"].tokenBudget';
    expect(findings).to.deep.equal([{ key, value: "x", part: "tokenBudget", modelKey: "p/m" }]);
  });

  it("ignores unknown keys", () => {
    const { ordinary, findings } = layer({ budget: -1, modelOverrides: { "p/m": { enabled: "no" } } });
    expect({ ordinary, findings }).to.deep.equal({ ordinary: {}, findings: [] });
  });

  it("reads own properties only", () => {
    const inherited = Object.create({ contextPaging: { tokenBudget: 5 } });
    expect(new SettingsLayer("global", inherited).ordinary).to.deep.equal({});
    const json = '{"__proto__": {"tokenBudget": 5}, "modelOverrides": {"__proto__": {"tokenBudget": 6}}}';
    const { ordinary, overrides, findings } = layer(JSON.parse(json));
    expect({ ordinary, findings }).to.deep.equal({ ordinary: {}, findings: [] });
    expect([...overrides]).to.deep.equal([["__proto__", { tokenBudget: 6 }]]);
    expect(layer({ modelOverrides: {} }).overrides.get("constructor")).to.equal(undefined);
  });
});

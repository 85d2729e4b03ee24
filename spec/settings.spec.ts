import { expect } from "chai";
import { PagingSettings } from "../lib/settings.ts";

const model = { provider: "p", id: "m" };
const paging = (contextPaging: unknown) => ({ contextPaging });
const resolve = (global: unknown, project?: unknown) =>
  PagingSettings.resolve({
    globalSettings: paging(global),
    projectSettings: paging(project),
    projectTrusted: true,
  });
const limits = (tokenBudget: number, trimToTokens: number, explicitTarget: boolean) => {
  return { tokenBudget, trimToTokens, explicitTarget };
};

describe("PagingSettings", () => {
  it("defaults to on, a budget of 128000 and a target of 80000", () => {
    for (const globalSettings of [undefined, {}, paging({})]) {
      const settings = PagingSettings.resolve({ globalSettings, projectTrusted: true });
      expect(settings).to.deep.include({ enabled: true, invalid: [], invalidWarning: undefined });
      expect(settings.limitsFor()).to.deep.equal(limits(128_000, 80_000, false));
      expect(settings.limitsFor(model)).to.deep.equal(limits(128_000, 80_000, false));
    }
  });

  describe("implicit target", () => {
    it("is 5/8 of the budget, rounded down, and at least 1", () => {
      for (const [budget, target] of [
        [64_000, 40_000],
        [9, 5],
        [8, 5],
        [7, 4],
        [2, 1],
        [1, 1],
      ] as const) {
        expect(resolve({ tokenBudget: budget }).limitsFor().trimToTokens, `${budget}`).to.equal(target);
      }
    });

    it("is exact near the largest safe integer", () => {
      // Floating point gives one more for half of these.
      const budgets = [0, 1, 2, 3, 4, 5, 6, 7].map((less) => Number.MAX_SAFE_INTEGER - less);
      const targets = budgets.map((tokenBudget) => resolve({ tokenBudget }).limitsFor().trimToTokens);
      expect(targets.map((target) => target - 5_629_499_534_213_110)).to.deep.equal([9, 8, 8, 7, 6, 6, 5, 5]);
    });

    it("follows the budget of the model's override", () => {
      const settings = resolve({ modelOverrides: { "p/m": { tokenBudget: 800 } } });
      expect(settings.limitsFor(model)).to.deep.equal(limits(800, 500, false));
    });
  });

  describe("precedence", () => {
    const budget = (tokenBudget: number, override?: number) => ({
      tokenBudget,
      ...(override === undefined ? {} : { modelOverrides: { "p/m": { tokenBudget: override } } }),
    });

    it("puts the trusted project before global", () => {
      expect(resolve(budget(100), budget(200)).limitsFor().tokenBudget).to.equal(200);
      expect(resolve({ enabled: true }, { enabled: false }).enabled).to.equal(false);
      expect(resolve({ enabled: false }, {}).enabled).to.equal(false);
    });

    it("puts an override, even a global one, before the project's ordinary value", () => {
      expect(resolve(budget(100, 300), budget(200)).limitsFor(model).tokenBudget).to.equal(300);
    });

    it("puts the project's override before the global override", () => {
      expect(resolve(budget(100, 300), budget(200, 400)).limitsFor(model).tokenBudget).to.equal(400);
    });

    it("uses no override without a model or for another model", () => {
      const settings = resolve(budget(100, 300));
      const others = [
        undefined,
        { provider: "P", id: "m" },
        { provider: "p", id: "m2" },
        { provider: "p/m", id: "" },
      ];
      for (const other of others) expect(settings.limitsFor(other).tokenBudget).to.equal(100);
    });

    it("takes model ids that hold slashes, as Pi does", () => {
      const settings = resolve({ modelOverrides: { "router/lab/m": { tokenBudget: 70 } } });
      expect(settings.limitsFor({ provider: "router", id: "lab/m" }).tokenBudget).to.equal(70);
    });

    it("resolves each field on its own", () => {
      const settings = resolve(
        { trimToTokens: 10, modelOverrides: { "p/m": { tokenBudget: 300 } } },
        { tokenBudget: 200, modelOverrides: { "p/m": {} } },
      );
      expect(settings.limitsFor()).to.deep.equal(limits(200, 10, true));
      expect(settings.limitsFor(model)).to.deep.equal(limits(300, 10, true));
    });

    it("keeps an explicit target explicit, whatever the budget comes from", () => {
      expect(resolve({ trimToTokens: 80_000 }, budget(64_000)).limitsFor()).to.deep.equal(
        limits(64_000, 80_000, true),
      );
      expect(resolve({ trimToTokens: 80_000 }).limitsFor()).to.deep.equal(limits(128_000, 80_000, true));
    });
  });

  it("does not look at the settings of an untrusted project", () => {
    const projectSettings = Object.defineProperty({}, "contextPaging", {
      get: () => expect.fail("the project was read"),
      enumerable: true,
    });
    const settings = PagingSettings.resolve({
      globalSettings: paging({}),
      projectSettings,
      projectTrusted: false,
    });
    expect(settings).to.deep.include({ enabled: true, invalid: [] });
    expect(settings.limitsFor().tokenBudget).to.equal(128_000);
  });

  describe("invalid values", () => {
    it("fall through to the next source, then to the default", () => {
      for (const bad of ["80000", -1, 0, 1.5, 2 ** 53, NaN, Infinity, null, true, {}, [5]]) {
        const settings = resolve({ tokenBudget: 500 }, { tokenBudget: bad, trimToTokens: bad });
        expect(settings.limitsFor(), String(bad)).to.deep.equal(limits(500, 312, false));
        expect(resolve({ tokenBudget: bad }).limitsFor().tokenBudget, String(bad)).to.equal(128_000);
      }
      for (const bad of ["false", 0, null]) {
        expect(resolve({ enabled: false }, { enabled: bad }).enabled).to.equal(false);
        expect(resolve({ enabled: bad }).enabled).to.equal(true);
      }
    });

    it("in an override fall through to the global override, then to the ordinary value", () => {
      const bad = { modelOverrides: { "p/m": { tokenBudget: "x" } } };
      const good = { modelOverrides: { "p/m": { tokenBudget: 300 } } };
      expect(resolve(good, bad).limitsFor(model).tokenBudget).to.equal(300);
      expect(resolve(bad, { tokenBudget: 200 }).limitsFor(model).tokenBudget).to.equal(200);
    });

    it("are listed with scope, key, value and what is used instead, global ones first", () => {
      const { invalid } = resolve(
        { enabled: 1, tokenBudget: "80000" },
        { trimToTokens: -1, modelOverrides: { "p/m": { tokenBudget: 800, trimToTokens: null } } },
      );
      const override = 'contextPaging.modelOverrides["p/m"].trimToTokens';
      expect(invalid).to.deep.equal([
        { scope: "global", key: "contextPaging.enabled", value: 1, used: "true" },
        { scope: "global", key: "contextPaging.tokenBudget", value: "80000", used: "128000" },
        { scope: "project", key: "contextPaging.trimToTokens", value: -1, used: "80000" },
        { scope: "project", key: override, value: null, used: "500" },
      ]);
    });

    it("include whatever should have been an object", () => {
      const used = { limits: "tokenBudget 128000, trimToTokens 80000" };
      for (const value of [null, "x", 5, [], true]) {
        expect(resolve(value).invalid).to.deep.equal([
          { scope: "global", key: "contextPaging", value, used: `enabled true, ${used.limits}` },
        ]);
        expect(resolve({ modelOverrides: value }).invalid).to.deep.equal([
          { scope: "global", key: "contextPaging.modelOverrides", value, used: "no override from this file" },
        ]);
        expect(resolve({ modelOverrides: { 'a"b': value } }).invalid).to.deep.equal([
          { scope: "global", key: 'contextPaging.modelOverrides["a\\"b"]', value, used: used.limits },
        ]);
        const { invalid } = PagingSettings.resolve({ globalSettings: value, projectTrusted: false });
        expect(invalid).to.deep.equal([
          { scope: "global", key: "settings.json", value, used: `enabled true, ${used.limits}` },
        ]);
      }
    });
  });

  describe("invalidWarning", () => {
    it("names each invalid value, where it is and what is used instead, in one line", () => {
      const { invalidWarning } = resolve({ tokenBudget: "80000" }, { trimToTokens: -1 });
      expect(invalidWarning).to.equal(
        'Invalid settings: contextPaging.tokenBudget is "80000" in the global settings, used instead: 128000; ' +
          "contextPaging.trimToTokens is -1 in the project settings, used instead: 80000. " +
          "Correct them in settings.json, then use /reload.",
      );
    });

    it("stays one short line, whatever the value is", () => {
      const { invalidWarning } = resolve({ tokenBudget: "a\n".repeat(5_000) });
      expect(invalidWarning).to.match(/^[^\n]{1,300}$/);
    });
  });
});

/**
 * The settings under `contextPaging` in Pi's settings.json; pure, no file is read here
 * (ARCHITECTURE.md, "Settings and limits").
 *
 * Each source becomes a layer of valid values. Each field is then looked up on its own: override of the model, ordinary
 * value, default, and in each step the trusted project before global.
 */
import {
  type SettingsFinding,
  SettingsLayer,
  type SettingsScope,
  type TokenField,
} from "./settings-layer.ts";
import { shownValue } from "./shown-value.ts";

/** Whole settings.json objects as parsed. They may hold anything: what is invalid is listed, never thrown. */
export interface SettingsSources {
  readonly globalSettings: unknown;
  readonly projectSettings?: unknown;
  /** The project's settings are looked at only when the user has trusted the project. */
  readonly projectTrusted: boolean;
}

/** A model as `modelOverrides` names it: `<provider>/<id>`, exact and case-sensitive. */
export interface ModelName {
  readonly provider: string;
  readonly id: string;
}

/** Limits as configured, in tokens, before any model window is known. From settings both are positive safe integers. */
export interface ConfiguredLimits {
  readonly tokenBudget: number;
  readonly trimToTokens: number;
  /** Whether a source sets the target; otherwise it is 5/8 of the budget. */
  readonly explicitTarget: boolean;
}

/** One value that was passed over as if it were absent. */
export interface InvalidSetting {
  readonly scope: SettingsScope;
  /** Dotted path in the file, for example `contextPaging.modelOverrides["p/m"].tokenBudget`. */
  readonly key: string;
  readonly value: unknown;
  /** What is used instead, ready to print. */
  readonly used: string;
}

const DEFAULT_TOKEN_BUDGET = 128_000;

/** The resolved settings of one session. Immutable. */
export class PagingSettings {
  /** Whether paging is on as long as no `/context-paging on|off` says otherwise. */
  readonly enabled: boolean;
  /** Every invalid value of the sources that were read, global ones first. */
  readonly invalid: readonly InvalidSetting[];
  /** In order of precedence. */
  readonly #layers: readonly SettingsLayer[];
  /** By model. Asked for with each request, and always the same. */
  readonly #known = new Map<string | undefined, ConfiguredLimits>();

  /** Resolves the sources. Never throws. */
  static resolve(sources: SettingsSources): PagingSettings {
    const global = new SettingsLayer("global", sources.globalSettings);
    if (!sources.projectTrusted) return new PagingSettings([global]);
    return new PagingSettings([new SettingsLayer("project", sources.projectSettings), global]);
  }

  private constructor(layers: readonly SettingsLayer[]) {
    this.#layers = layers;
    this.enabled = this.#first((layer) => layer.enabled) ?? true;
    this.invalid = layers.toReversed().flatMap((layer) => this.#invalidOf(layer));
  }

  /** The limits for a model; without one, those that apply where no override does. */
  limitsFor(model?: ModelName): ConfiguredLimits {
    const modelKey = model === undefined ? undefined : `${model.provider}/${model.id}`;
    const limits = this.#known.get(modelKey) ?? this.#limits(modelKey);
    this.#known.set(modelKey, limits);
    return limits;
  }

  /** The one warning that names each invalid value, or `undefined` when all are valid. One line, without a prefix. */
  get invalidWarning(): string | undefined {
    if (this.invalid.length === 0) return undefined;
    const parts = this.invalid.map(({ scope, key, value, used }) => {
      return `${key} is ${shownValue(value)} in the ${scope} settings, used instead: ${used}`;
    });
    return `Invalid settings: ${parts.join("; ")}. Correct them in settings.json, then use /reload.`;
  }

  #limits(modelKey: string | undefined): ConfiguredLimits {
    const tokenBudget = this.#tokenSetting("tokenBudget", modelKey) ?? DEFAULT_TOKEN_BUDGET;
    const target = this.#tokenSetting("trimToTokens", modelKey);
    const trimToTokens = target ?? implicitTarget(tokenBudget);
    return { tokenBudget, trimToTokens, explicitTarget: target !== undefined };
  }

  #tokenSetting(field: TokenField, modelKey: string | undefined): number | undefined {
    const overrideOf = (layer: SettingsLayer) =>
      modelKey === undefined ? undefined : layer.overrides.get(modelKey)?.[field];
    return this.#first(overrideOf) ?? this.#first((layer) => layer.ordinary[field]);
  }

  #first<T>(pick: (layer: SettingsLayer) => T | undefined): T | undefined {
    for (const layer of this.#layers) {
      const value = pick(layer);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #invalidOf(layer: SettingsLayer): readonly InvalidSetting[] {
    return layer.findings.map((finding) => {
      return { scope: layer.scope, key: finding.key, value: finding.value, used: this.#usedFor(finding) };
    });
  }

  #usedFor({ part, modelKey }: SettingsFinding): string {
    const { tokenBudget, trimToTokens } = this.#limits(modelKey);
    const limits = `tokenBudget ${tokenBudget}, trimToTokens ${trimToTokens}`;
    switch (part) {
      case "enabled":
        return `${this.enabled}`;
      case "tokenBudget":
        return `${tokenBudget}`;
      case "trimToTokens":
        return `${trimToTokens}`;
      case "override":
        return limits;
      case "modelOverrides":
        return "no override from this file";
      case "contextPaging":
        return `enabled ${this.enabled}, ${limits}`;
    }
  }
}

/** 5/8 of the budget, rounded down. In parts, because `budget * 5` is not exact near the largest safe integer. */
function implicitTarget(tokenBudget: number): number {
  const rest = tokenBudget % 8;
  return Math.max(1, ((tokenBudget - rest) / 8) * 5 + Math.floor((rest * 5) / 8));
}

import { isJsonObject, type JsonObject } from "./json-object.ts";

/** The file that a source is. */
export type SettingsScope = "global" | "project";

/** The settings that a model override can hold. */
export type TokenField = "tokenBudget" | "trimToTokens";

/** The token settings that one place sets, in tokens. */
export type TokenSettings = Readonly<Partial<Record<TokenField, number>>>;

/** An invalid value and what it should have been: one field, or an object that holds several. */
export interface SettingsFinding {
  readonly key: string;
  readonly value: unknown;
  readonly part: "enabled" | TokenField | "contextPaging" | "modelOverrides" | "override";
  /** The model, for an override and its fields. */
  readonly modelKey?: string;
}

const ROOT = "contextPaging";

/** Whether a value is a legal `tokenBudget` or `trimToTokens`: a positive safe integer. */
export function isTokenCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

/**
 * One settings.json reduced to the valid settings in it, and a list of the invalid ones. Immutable once built. Unknown
 * keys are ignored (ARCHITECTURE.md, "Settings and limits").
 */
export class SettingsLayer {
  readonly scope: SettingsScope;
  readonly enabled: boolean | undefined;
  readonly ordinary: TokenSettings;
  /** By `<provider>/<modelId>`. A map, because the keys are foreign text such as `__proto__`. */
  readonly overrides: ReadonlyMap<string, TokenSettings>;
  readonly #findings: SettingsFinding[] = [];

  /** @param settings the whole parsed file; `undefined` when there is none */
  constructor(scope: SettingsScope, settings: unknown) {
    this.scope = scope;
    const whole = this.#objectOrNothing(settings, { key: "settings.json", part: ROOT });
    const paging = this.#objectOrNothing(own(whole, ROOT), { key: ROOT, part: ROOT });
    this.enabled = this.#enabled(own(paging, "enabled"));
    this.ordinary = this.#tokenSettings(paging, ROOT);
    this.overrides = this.#overrides(own(paging, "modelOverrides"));
  }

  /** The invalid values, in reading order. */
  get findings(): readonly SettingsFinding[] {
    return this.#findings;
  }

  #enabled(value: unknown): boolean | undefined {
    if (typeof value === "boolean") return value;
    if (value !== undefined) this.#findings.push({ key: `${ROOT}.enabled`, value, part: "enabled" });
    return undefined;
  }

  #overrides(value: unknown): ReadonlyMap<string, TokenSettings> {
    const key = `${ROOT}.modelOverrides`;
    const entries = this.#objectOrNothing(value, { key, part: "modelOverrides" });
    const overrides = new Map<string, TokenSettings>();
    for (const modelKey of Object.keys(entries)) {
      const entryKey = `${key}[${JSON.stringify(modelKey)}]`;
      const place = { key: entryKey, part: "override", modelKey } as const;
      const entry = this.#objectOrNothing(own(entries, modelKey), place);
      overrides.set(modelKey, this.#tokenSettings(entry, entryKey, modelKey));
    }
    return overrides;
  }

  #tokenSettings(object: JsonObject, key: string, modelKey?: string): TokenSettings {
    const settings: Partial<Record<TokenField, number>> = {};
    for (const field of ["tokenBudget", "trimToTokens"] as const) {
      const value = own(object, field);
      if (isTokenCount(value)) settings[field] = value;
      else if (value !== undefined) {
        const finding = { key: `${key}.${field}`, value, part: field };
        this.#findings.push(modelKey === undefined ? finding : { ...finding, modelKey });
      }
    }
    return settings;
  }

  /** The value, or an empty object in its place; a wrong value is noted, an absent one is not. */
  #objectOrNothing(value: unknown, place: Omit<SettingsFinding, "value">): JsonObject {
    if (isJsonObject(value)) return value;
    if (value !== undefined) this.#findings.push({ ...place, value });
    return {};
  }
}

/** Own properties only: nothing may be inherited from a prototype, whatever the file calls its keys. */
function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

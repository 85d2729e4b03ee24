import type { RequestModel } from "./paging/paging-request.ts";
import { type ConfiguredLimits, PagingSettings, type SettingsSources } from "./settings.ts";

/**
 * Whether paging is on, and with which settings. The user's choice holds for one session and is never written. Section
 * "Lifecycle" of ARCHITECTURE.md.
 */
export class PagingState {
  #settings: PagingSettings | Error | undefined;
  #override: boolean | undefined;

  /** Begins a session: the user's choice is gone before the settings are read. */
  begin(): void {
    this.#override = undefined;
  }

  /** Takes the settings of a session. */
  settle(sources: SettingsSources): void {
    this.#settings = PagingSettings.resolve(sources);
  }

  /** The settings cannot be read: paging is off until the next session. */
  fail(error: Error): void {
    this.#settings = error;
  }

  /** Takes the user's choice. Settings that cannot be read leave paging off. */
  choose(state: "on" | "off"): void {
    this.#override = state === "on";
  }

  get isEnabled(): boolean {
    if (!(this.#settings instanceof PagingSettings)) return false;
    return this.#override ?? this.#settings.enabled;
  }

  /** Why paging cannot be turned on. */
  get error(): Error | undefined {
    return this.#settings instanceof Error ? this.#settings : undefined;
  }

  /** Names each invalid value; undefined when there is none. */
  get invalidWarning(): string | undefined {
    return this.#settings instanceof PagingSettings ? this.#settings.invalidWarning : undefined;
  }

  /** The limits configured for a model. Only for a session whose settings could be read. */
  limitsFor(model: RequestModel | undefined): ConfiguredLimits {
    if (this.#settings instanceof PagingSettings) return this.#settings.limitsFor(model);
    throw this.#settings ?? new Error("Context paging has no settings before the session starts.");
  }
}

/**
 * Pi's settings files, read and never written (ARCHITECTURE.md, "Settings and limits" and "Storage and trust").
 * Reading is synchronous, because the legacy host does not wait for extension events.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SettingsFileError } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../json-object.ts";
import type { SettingsSources } from "../settings.ts";
import { shownValue } from "../shown-value.ts";

/** Where the two files are, and whether the second may be read. */
export interface SettingsLocation {
  /** Pi's agent folder; holds the global settings.json. */
  readonly agentDir: string;
  /** The project's folder. */
  readonly cwd: string;
  /** Name of Pi's folder in a project, `.pi` by default. */
  readonly configDir: string;
  readonly projectTrusted: boolean;
}

/** Error codes of a file that does not exist; `ENOTDIR`: its folder is a file. */
const MISSING: readonly unknown[] = ["ENOENT", "ENOTDIR"];

/**
 * Reads the global settings and, in a trusted project, the project's. A file that does not exist or is empty is `{}`,
 * as for Pi. The settings file of an untrusted project is not touched.
 *
 * @throws SettingsFileError when a file cannot be read, is not JSON or holds no JSON object
 */
export function readSettingsFiles(location: SettingsLocation): SettingsSources {
  const { agentDir, cwd, configDir, projectTrusted } = location;
  const globalSettings = settingsIn(join(agentDir, "settings.json"));
  if (!projectTrusted) return { globalSettings, projectTrusted };
  return {
    globalSettings,
    projectSettings: settingsIn(join(cwd, configDir, "settings.json")),
    projectTrusted,
  };
}

function settingsIn(path: string): JsonObject {
  const text = textOf(path);
  if (text === "") return {};
  const settings = parsed(path, text);
  if (isJsonObject(settings)) return settings;
  throw unusable(path, `holds ${shownValue(settings)} instead of a JSON object`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    if (error instanceof Error && "code" in error && MISSING.includes(error.code)) return "";
    throw unusable(path, `cannot be read (${oneLine(error)})`, error);
  }
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unusable(path, `is not valid JSON (${oneLine(error)})`, error);
  }
}

function unusable(path: string, found: string, cause?: unknown): SettingsFileError {
  const message =
    `The settings file ${path} ${found}. Context paging is off until the next session start. ` +
    "Correct the file or its permissions, then use /reload.";
  return new SettingsFileError(path, message, cause === undefined ? {} : { cause });
}

/** Parse errors quote the file, line breaks and controls included; an answer is one line of plain text. */
function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/[\s\p{Cc}]+/gu, " ");
}

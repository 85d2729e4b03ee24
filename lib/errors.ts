/** The coded errors of this project (contract of errors: ARCHITECTURE.md, "Errors"). */

/** Codes of {@link HistoryProjectionError}. */
export type HistoryProjectionCode =
  | "ORPHAN_TOOL_RESULT"
  | "DUPLICATE_TOOL_RESULT"
  | "MISMATCHED_TOOL_RESULT"
  | "INCOMPLETE_TOOL_RESULTS";

/** The active branch breaks the pairing of tool calls and results. Nothing was changed. */
export class HistoryProjectionError extends Error {
  override readonly name = "HistoryProjectionError";
  readonly code: HistoryProjectionCode;
  /** Id of the session entry that breaks the rule. */
  readonly entryId: string;

  constructor(code: HistoryProjectionCode, entryId: string, message: string) {
    super(message);
    this.code = code;
    this.entryId = entryId;
  }
}

/** Codes of {@link ContextSelectionError}. */
export type ContextSelectionCode =
  | "INVALID_TOKEN_BUDGET"
  | "INVALID_TRIM_TARGET"
  | "INVALID_MODEL_CONTEXT"
  | "RESIDENT_INPUT_TOO_LARGE"
  | "ACTIVE_REQUEST_TOO_LARGE"
  | "INVALID_MESSAGE_STRUCTURE";

/** What was measured when a selection failed, in estimated tokens. */
export interface SelectionEstimates {
  readonly residentTokens?: number;
  readonly requestTokens?: number;
  readonly budgetTokens?: number;
}

/** No legal request within the limits exists. No message was changed and no cut was committed. */
export class ContextSelectionError extends Error {
  override readonly name = "ContextSelectionError";
  readonly code: ContextSelectionCode;
  readonly estimates: SelectionEstimates;

  constructor(code: ContextSelectionCode, message: string, estimates: SelectionEstimates = {}) {
    super(message);
    this.code = code;
    this.estimates = estimates;
  }
}

/** Codes of {@link SettingsFileError}. */
export type SettingsFileCode = "SETTINGS_FILE_UNREADABLE";

/** A settings file is there, but gives no settings: paging stays off until the next session start. */
export class SettingsFileError extends Error {
  override readonly name = "SettingsFileError";
  readonly code: SettingsFileCode = "SETTINGS_FILE_UNREADABLE";
  /** The file. */
  readonly path: string;

  constructor(path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}

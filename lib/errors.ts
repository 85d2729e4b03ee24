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

/** Codes of {@link HistoryNavigatorError}. */
export type HistoryNavigatorCode =
  | "INVALID_HISTORY_NAVIGATOR_INPUT"
  | "UNKNOWN_HISTORY_ANCHOR"
  | "UNKNOWN_HISTORY_ID"
  | "HISTORY_ITEMS_TOO_LARGE";

/** History cannot be searched, browsed or loaded as asked. Nothing was changed and nothing is returned. */
export class HistoryNavigatorError extends Error {
  override readonly name = "HistoryNavigatorError";
  readonly code: HistoryNavigatorCode;

  constructor(code: HistoryNavigatorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Codes of {@link OutputPageError}. `OMITTED_OUTPUT`: the block is one that is never given back, such as thinking.
 * `RECOVERY_OUTPUT`: the result is one of a recovery tool.
 */
export type OutputPageCode =
  | "INVALID_OUTPUT_PAGE_INPUT"
  | "UNKNOWN_HISTORY_ID"
  | "UNKNOWN_OUTPUT"
  | "OMITTED_OUTPUT"
  | "RECOVERY_OUTPUT";

/** A page cannot be read as asked. Nothing was changed and nothing is returned. */
export class OutputPageError extends Error {
  override readonly name = "OutputPageError";
  readonly code: OutputPageCode;

  constructor(code: OutputPageCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Codes of {@link RecoveryRefusedError}. */
export type RecoveryRefusedCode = "CONTEXT_PAGING_DISABLED";

/** The recovery tools do nothing while context paging is off. */
export class RecoveryRefusedError extends Error {
  override readonly name = "RecoveryRefusedError";
  readonly code: RecoveryRefusedCode = "CONTEXT_PAGING_DISABLED";
}

/** Codes of {@link RecoveryAbortedError}. */
export type RecoveryAbortedCode = "RECOVERY_ABORTED";

/** The host stopped a call of a recovery tool before it ended. Nothing was changed and nothing is returned. */
export class RecoveryAbortedError extends Error {
  override readonly name = "RecoveryAbortedError";
  readonly code: RecoveryAbortedCode = "RECOVERY_ABORTED";
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

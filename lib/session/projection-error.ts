import { type HistoryProjectionCode, HistoryProjectionError } from "../errors.ts";

/** The error of a branch that breaks the pairing rules: what was found at which entry, and what the user can do. */
export function projectionError(
  code: HistoryProjectionCode,
  entryId: string,
  found: string,
): HistoryProjectionError {
  return new HistoryProjectionError(
    code,
    entryId,
    `${found} The stored session was not changed, but its history cannot be searched or loaded here. ` +
      "Go back to before this entry with /tree.",
  );
}

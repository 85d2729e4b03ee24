import type { HistoryNavigator, RecoveryScope } from "./history-navigator.ts";
import type { OutputPageReader, PagedHistory } from "./output-page-reader.ts";

/** The history as it is now, opened for one call of a recovery tool. */
export interface OpenHistory {
  readonly navigator: HistoryNavigator;
  readonly pages: OutputPageReader;
  readonly history: PagedHistory;
  readonly scope: RecoveryScope;
}

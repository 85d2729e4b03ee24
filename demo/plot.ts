/** Request sizes over time as text: the budget as a line, with paging in blocks, without paging in dots. */
import type { Bill } from "./bill.ts";
import type { Demo } from "./report.ts";

const WIDTH = 72;
const HEIGHT = 15;
/** What the plot shows of the run that has no budget. */
const TOP_BUDGETS = 1.5;
const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/** The lines of the plot. */
export function plotOf({ budgetTokens, paged, whole }: Demo): string[] {
  const requests = Math.max(paged.bills.length, whole.bills.length);
  const columns = Math.min(WIDTH, requests);
  const perColumn = requests / columns;
  const columnOf = (request: number) => Math.floor(request / perColumn);
  const rowTokens = (budgetTokens * TOP_BUDGETS) / HEIGHT;
  const pagedSizes = columnSizes(paged.bills, columns, columnOf);
  const wholeSizes = columnSizes(whole.bills, columns, columnOf);
  const budgetRow = Math.round(budgetTokens / rowTokens);
  const lines: string[] = [];
  for (let row = HEIGHT - 1; row >= 0; row--) {
    const cells = Array.from({ length: columns }, (_, column) => {
      const block = blockIn(row, pagedSizes[column] ?? 0, rowTokens);
      if (block !== " ") return block;
      if (Math.floor((wholeSizes[column] ?? -1) / rowTokens) === row) return "·";
      return row === budgetRow ? "─" : " ";
    });
    lines.push(`${axis(row, rowTokens, budgetRow, budgetTokens)}${cells.join("").trimEnd()}`);
  }
  const cutColumns = new Set(paged.cuts.map(columnOf));
  const marks = Array.from({ length: columns }, (_, column) => (cutColumns.has(column) ? "^" : " "));
  return [
    ...lines,
    `${" ".repeat(8)}└${"─".repeat(columns)}`,
    `${"cuts".padStart(8)} ${marks.join("").trimEnd()}`,
    `${" ".repeat(9)}█ paging on   · paging off (leaves the picture, up to ${largestIn(whole.bills)} K)`,
  ];
}

function axis(row: number, rowTokens: number, budgetRow: number, budgetTokens: number): string {
  if (row === budgetRow) return `${`${budgetTokens / 1_000} K`.padStart(7)} ┼`;
  if (row === Math.round(budgetTokens / 2 / rowTokens)) return `${`${budgetTokens / 2_000} K`.padStart(7)} ┤`;
  return `${" ".repeat(8)}│`;
}

function blockIn(row: number, tokens: number, rowTokens: number): string {
  const filled = Math.floor((tokens / rowTokens - row) * 8);
  return EIGHTHS[Math.max(0, Math.min(8, filled))] ?? " ";
}

/** The largest request of each column. */
function columnSizes(
  bills: readonly Bill[],
  columns: number,
  columnOf: (request: number) => number,
): (number | undefined)[] {
  const sizes: (number | undefined)[] = Array(columns).fill(undefined);
  bills.forEach(({ tokens }, request) => {
    const column = columnOf(request);
    sizes[column] = Math.max(sizes[column] ?? 0, tokens);
  });
  return sizes;
}

function largestIn(bills: readonly Bill[]): number {
  return Math.round(Math.max(...bills.map(({ tokens }) => tokens)) / 1_000);
}

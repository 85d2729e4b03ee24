/** The same picture as an SVG: both runs in full height, readable on a light and on a dark page. */
import type { Bill } from "./bill.ts";
import { count, type Demo } from "./report.ts";

const WIDTH = 760;
const HEIGHT = 360;
const FRAME = { left: 62, right: 20, top: 44, bottom: 56 } as const;
const BOTTOM = HEIGHT - FRAME.bottom;

/** Text and lines take the page's own colour where the page says which; else a grey that both kinds can show. */
const STYLE = `
  text { font: 13px sans-serif; fill: #57606a; }
  .axis { stroke: #8c959f; fill: none; }
  .budget { stroke: #cf222e; stroke-dasharray: 5 4; fill: none; }
  .budget-text { fill: #cf222e; }
  .whole { stroke: #8c959f; stroke-width: 2; fill: none; }
  .paged { stroke: #0969da; stroke-width: 2; fill: none; }
  .cut { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1; }
    .budget { stroke: #ff7b72; }
    .budget-text { fill: #ff7b72; }
    .paged { stroke: #58a6ff; }
    .cut { fill: #58a6ff; }
  }`;

export function svgOf({ budgetTokens, prompts, paged, whole }: Demo): string {
  const requests = Math.max(paged.bills.length, whole.bills.length);
  const top = Math.max(...whole.bills.map(({ tokens }) => tokens), budgetTokens);
  const x = (request: number) => FRAME.left + (request / requests) * (WIDTH - FRAME.left - FRAME.right);
  const y = (tokens: number) => BOTTOM - (tokens / top) * (BOTTOM - FRAME.top);
  const line = (bills: readonly Bill[]) =>
    bills.map(({ tokens }, n) => `${x(n).toFixed(1)},${y(tokens).toFixed(1)}`).join(" ");
  const cuts = paged.cuts.map((n) => {
    const at = x(n).toFixed(1);
    return `  <path class="cut" d="M${at} ${BOTTOM + 3}l4 8h-8z"/>`;
  });
  const budget = y(budgetTokens).toFixed(1);
  const right = WIDTH - FRAME.right;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">`,
    `  <title>Request sizes of one session of ${prompts} prompts, with and without paging</title>`,
    `  <style>${STYLE}\n  </style>`,
    `  <text x="${FRAME.left}" y="22">Tokens per request, ${requests} requests, budget ${count(budgetTokens)}</text>`,
    `  <path class="axis" d="M${FRAME.left} ${FRAME.top}V${BOTTOM}H${right}"/>`,
    ...[0, budgetTokens, top].map(
      (tokens) =>
        `  <text x="${FRAME.left - 8}" y="${(y(tokens) + 4).toFixed(1)}" text-anchor="end">${Math.round(tokens / 1_000)} K</text>`,
    ),
    `  <polyline class="whole" points="${line(whole.bills)}"/>`,
    `  <polyline class="paged" points="${line(paged.bills)}"/>`,
    `  <path class="budget" d="M${FRAME.left} ${budget}H${right}"/>`,
    `  <text class="budget-text" x="${FRAME.left + 8}" y="${Number(budget) - 8}">budget</text>`,
    `  <text x="${x(requests * 0.52).toFixed(1)}" y="${y(top * 0.72).toFixed(1)}" text-anchor="end">paging off</text>`,
    `  <text x="${x(requests * 0.62).toFixed(1)}" y="${(y(0) - 12).toFixed(1)}">paging on</text>`,
    ...cuts,
    `  <text x="${FRAME.left}" y="${HEIGHT - 14}">▲ the cut moves forward</text>`,
    "</svg>",
    "",
  ].join("\n");
}

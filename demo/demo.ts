/**
 * A long session in the real Pi, once with paging and once without: what goes out, what it costs with a prompt cache,
 * and the model getting back what has left its window. No network. `npm run demo`
 *
 *   --json         one JSON object instead of the picture
 *   --svg          writes docs/demo.svg as well
 *   --prompts <n>  prompts before the question (60)
 *
 * Exits 1 when a request exceeds the budget or the needle does not come back word for word.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PACKAGE_DIR } from "../spec/support/pi-hosts.ts";
import { Progress } from "./progress.ts";
import { type Demo, failuresOf, reportJson, reportText } from "./report.ts";
import { run } from "./run.ts";
import { pagedModel, wholeModel } from "./scenario.ts";
import { svgOf } from "./svg.ts";

const BUDGET_TOKENS = 40_000;
const SVG_FILE = join(PACKAGE_DIR, "docs/demo.svg");

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    svg: { type: "boolean", default: false },
    prompts: { type: "string", default: "60" },
  },
});
const prompts = Number(values.prompts);
if (!Number.isSafeInteger(prompts) || prompts < 1) throw new Error("--prompts takes a whole number from 1.");

const started = Date.now();
const progress = new Progress(process.stderr, prompts + 1);
const options = (name: string, enabled: boolean) => ({
  prompts,
  paging: { enabled, tokenBudget: BUDGET_TOKENS },
  onProgress: (answered: number) => progress.show(name, answered),
});
const [paged, whole] = await Promise.all([
  run({ ...options("paging on", true), script: pagedModel() }),
  run({ ...options("paging off", false), script: wholeModel() }),
]);
progress.end();

const demo: Demo = { budgetTokens: BUDGET_TOKENS, prompts, paged, whole };
console.log(
  values.json
    ? JSON.stringify(reportJson(demo))
    : reportText(demo, Math.round((Date.now() - started) / 1_000)),
);
if (values.svg) writeFileSync(SVG_FILE, svgOf(demo));
const failures = failuresOf(demo);
for (const failure of failures) console.error(`FAILED: ${failure}`);
if (failures.length > 0) process.exitCode = 1;

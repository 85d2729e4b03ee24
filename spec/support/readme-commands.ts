/**
 * Runs what README.md tells a user to type: `pi` commands and slash commands in the real current Pi, in a sandbox with
 * a copy of the package; npm scripts that are short; the settings it shows (its strategy: spec/host/fork.spec.ts). Its
 * figures are compared with what the demo prints. Prints one line for each; exits 1 when one fails. What is left out is
 * named with the reason. `npm run check:readme`
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_DIR } from "./pi-hosts.ts";
import { codeBlocks, inlineCommands, shellCommands } from "./readme-blocks.ts";
import { difference, printedFigures, shorterFigures, tableFigures } from "./readme-figures.ts";
import {
  npmCommand,
  piCommand,
  piMention,
  settingsBlock,
  slashCommand,
  type Verdict,
} from "./readme-runs.ts";
import { runDemo } from "./run-demo.ts";

const README = readFileSync(join(PACKAGE_DIR, "README.md"), "utf8");

/** Commands that do not run here. That their scripts are there is checked by spec/pages.spec.ts. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "npm ci": "would replace the modules that run this",
  "npm run check": "runs this",
  "npm run check:readme": "is this",
  "npm run check:package": "npm run check runs it",
  "npm run test:unit": "takes minutes",
  "npm run test:host": "takes minutes",
  "npm run bench:estimates": "takes minutes",
};

type Check = () => Promise<Verdict>;

async function shorterCheck(): Promise<Verdict> {
  const given = shorterFigures(README);
  const measured = [];
  for (const { label, prompts } of given) {
    const { paged, whole } = (await runDemo("--prompts", String(prompts))).report;
    measured.push({ label, on: paged.billedPerCall, off: whole.billedPerCall });
  }
  return difference(given, measured);
}

/** A command of a shell block. */
function shellCommand(command: string): Promise<Verdict> {
  if (command.startsWith("pi ")) return piCommand(command);
  if (command !== "npm run demo") return npmCommand(command);
  return npmCommand(command, (printed) => difference(tableFigures(README), printedFigures(printed)));
}

function checks(): [string, Check][] {
  const each = (commands: readonly string[], check: (command: string) => Promise<Verdict>) =>
    commands.map((command): [string, Check] => [command, () => check(command)]);
  const settings = codeBlocks(README).filter(({ language }) => language === "json");
  return [
    ...each(shellCommands(README), shellCommand),
    ...each(inlineCommands(README, "pi"), piMention),
    ...each(inlineCommands(README, "/context-paging"), slashCommand),
    ...settings.map(({ text }): [string, Check] => ["the settings", () => settingsBlock(text)]),
    ["the figures of shorter sessions", shorterCheck],
  ];
}

for (const [command, check] of checks()) {
  const reason = LEFT_OUT[command];
  const started = Date.now();
  const wrong = reason === undefined ? await check() : undefined;
  const seconds = ((Date.now() - started) / 1_000).toFixed(1);
  if (reason !== undefined) console.log(`left out  ${command} (${reason})`);
  else if (wrong === undefined) console.log(`ok        ${command} (${seconds} s)`);
  else console.log(`FAILED    ${command}\n${wrong}`);
  if (wrong !== undefined) process.exitCode = 1;
}

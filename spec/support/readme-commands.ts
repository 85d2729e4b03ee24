/**
 * Runs what README.md tells a user to type: `pi` commands and slash commands in the real current Pi, in a sandbox with
 * a copy of the package; npm scripts that are short; the settings and the strategy it shows. The figures of the demo are
 * compared with those of today. Prints one line for each;
 * exits 1 when one fails. What is left out is named with the reason. `npm run check:readme`
 */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collect, ended, start } from "./child-processes.ts";
import { CURRENT, PACKAGE_DIR } from "./pi-hosts.ts";
import { runPi } from "./pi-process.ts";
import { codeBlocks, shellCommands, slashCommands } from "./readme-blocks.ts";
import { difference, shorterFigures, tableFigures, tableOf } from "./readme-figures.ts";
import { runDemo } from "./run-demo.ts";
import { echoAgent } from "./scripts.ts";
import { Stage } from "./stage.ts";

const README = readFileSync(join(PACKAGE_DIR, "README.md"), "utf8");
const COPY = "pi-context-paging";

/** Commands that exist, but do not run here. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "npm ci": "would replace the modules that run this",
  "npm run check:readme": "is this",
  "npm run test:unit": "takes minutes",
  "npm run test:host": "takes minutes",
  "npm run check": "takes minutes",
  "npm run bench:estimates": "takes minutes",
};

/** Resolves with what is wrong, or with nothing. */
type Check = () => Promise<string | undefined>;

async function npmCommand(command: string): Promise<string | undefined> {
  const [program = "", ...args] = command.split(/\s+/);
  const child = start(program, args, { cwd: PACKAGE_DIR, stdio: ["ignore", "pipe", "pipe"] });
  const output = [collect(child.stdout), collect(child.stderr)];
  const code = await ended(child);
  return code === 0 ? undefined : `code ${code}: ${output.map((text) => text().slice(-600)).join("\n")}`;
}

/** Commands that open the interactive mode get a prompt instead, which prints and ends. */
async function piCommand(command: string): Promise<string | undefined> {
  const args = command.split(/\s+/).slice(1);
  return withPi(undefined, (stage) => {
    copyPackage(join(stage.sandbox.cwd, COPY));
    return pi(stage, args[0] === "install" ? args : [...args, "-p", "/context-paging status", "Hello."]);
  });
}

function slashCommand(command: string): Promise<string | undefined> {
  return withPi(undefined, (stage) => pi(stage, ["-e", PACKAGE_DIR, "-p", command], "Usage:"));
}

function settingsBlock(text: string): Promise<string | undefined> {
  const { contextPaging } = JSON.parse(text) as { contextPaging: Readonly<Record<string, unknown>> };
  return withPi(contextPaging, (stage) =>
    pi(stage, ["-e", PACKAGE_DIR, "-p", "/context-paging status"], "Invalid settings"),
  );
}

/** A strategy of the page, as a package of its own with this package beneath it. */
function strategyBlock(text: string): Promise<string | undefined> {
  return withPi(undefined, (stage) => {
    const fork = join(stage.sandbox.root, "fork");
    mkdirSync(join(fork, "node_modules"), { recursive: true });
    symlinkSync(PACKAGE_DIR, join(fork, "node_modules", COPY));
    writeFileSync(join(fork, "index.ts"), text);
    return pi(stage, ["-e", join(fork, "index.ts"), "-p", "/context-paging status", "Hello."]);
  });
}

async function tableCheck(): Promise<string | undefined> {
  return difference(tableFigures(README), tableOf((await runDemo()).report));
}

async function shorterCheck(): Promise<string | undefined> {
  const given = shorterFigures(README);
  if (given.length === 0) return "README gives no figures of shorter sessions";
  const measured = [];
  for (const { label, prompts } of given) {
    const { paged, whole } = (await runDemo("--prompts", String(prompts))).report;
    measured.push({ label, on: paged.billedPerCall, off: whole.billedPerCall });
  }
  return difference(given, measured);
}

async function withPi(
  paging: Readonly<Record<string, unknown>> | undefined,
  use: (stage: Stage) => Promise<string | undefined>,
): Promise<string | undefined> {
  const stage = await Stage.open({ script: echoAgent, ...(paging && { paging }) });
  try {
    return await use(stage);
  } finally {
    await stage.close();
  }
}

async function pi(stage: Stage, args: readonly string[], refused?: string): Promise<string | undefined> {
  const { code, stdout, stderr } = await runPi(CURRENT, stage.sandbox, args);
  const isLoaded = args[0] === "install" || stderr.startsWith("context-paging: ");
  const isRefused = refused !== undefined && stderr.includes(refused);
  return code === 0 && isLoaded && !isRefused ? undefined : `code ${code}\n${stdout}\n${stderr}`;
}

function copyPackage(folder: string): void {
  for (const part of ["lib", "package.json"])
    cpSync(join(PACKAGE_DIR, part), join(folder, part), { recursive: true });
}

function checks(): [string, Check][] {
  const commands = shellCommands(README).map((command): [string, Check] => [
    command,
    () => (command.startsWith("pi ") ? piCommand(command) : npmCommand(command)),
  ]);
  const slash = slashCommands(README).map((command): [string, Check] => [
    command,
    () => slashCommand(command),
  ]);
  const blocks = codeBlocks(README).flatMap(({ language, text }): [string, Check][] => {
    if (language === "json") return [["the settings", () => settingsBlock(text)]];
    return text.includes("export default") ? [["the strategy", () => strategyBlock(text)]] : [];
  });
  const figures: [string, Check][] = [
    ["the table of figures", tableCheck],
    ["the figures of shorter sessions", shorterCheck],
  ];
  return [...commands, ...slash, ...blocks, ...figures];
}

const { scripts } = JSON.parse(readFileSync(join(PACKAGE_DIR, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};

for (const [command, check] of checks()) {
  const script = /^npm run (\S+)/.exec(command)?.[1];
  const isMissing = script !== undefined && scripts[script] === undefined;
  const reason = LEFT_OUT[command];
  if (reason !== undefined && !isMissing) {
    console.log(`left out  ${command} (${reason})`);
    continue;
  }
  const wrong = isMissing ? "package.json has no such script" : await check();
  console.log(
    `${wrong === undefined ? "ok        " : "FAILED    "}${command}${wrong === undefined ? "" : `\n${wrong}`}`,
  );
  if (wrong !== undefined) process.exitCode = 1;
}

/** Ways to try what README.md shows: in the real current Pi with a sandbox of its own, or with npm. */
import { join } from "node:path";
import { collect, ended, start } from "./child-processes.ts";
import { copyPackage } from "./fork-package.ts";
import { CURRENT, PACKAGE_DIR } from "./pi-hosts.ts";
import { runPi } from "./pi-process.ts";
import { echoAgent } from "./scripts.ts";
import { Stage } from "./stage.ts";

const COPY = "pi-context-paging";

/** What is wrong, or nothing. */
export type Verdict = string | undefined;

/** @param judge looks at what a command that ended well has printed */
export async function npmCommand(
  command: string,
  judge: (printed: string) => Verdict = () => undefined,
): Promise<Verdict> {
  const [program = "", ...args] = command.split(/\s+/);
  const child = start(program, args, { cwd: PACKAGE_DIR, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const code = await ended(child);
  return code === 0 ? judge(stdout()) : `code ${code}: ${stdout().slice(-600)}\n${stderr().slice(-600)}`;
}

/** Commands that open the interactive mode get a prompt instead, which prints and ends. */
export async function piCommand(command: string): Promise<Verdict> {
  const args = command.split(/\s+/).slice(1);
  return withPi(undefined, (stage) => {
    copyPackage(join(stage.sandbox.cwd, COPY));
    return pi(stage, args[0] === "install" ? args : [...args, "-p", "/context-paging status", "Hello."]);
  });
}

/** A command in the middle of a sentence is the name of a mode: Pi's help has its options. */
export function piMention(command: string): Promise<Verdict> {
  return withPi(undefined, async ({ sandbox }) => {
    const { stdout } = await runPi(CURRENT, sandbox, ["--help"]);
    const unknown = command.split(" ").filter((word) => !stdout.split(/[\s,]+/).includes(word));
    return unknown.length === 0 ? undefined : `Pi's help does not have ${unknown.join(", ")}`;
  });
}

export function slashCommand(command: string): Promise<Verdict> {
  return withPi(undefined, (stage) => pi(stage, ["-e", PACKAGE_DIR, "-p", command], "Usage:"));
}

export function settingsBlock(text: string): Promise<Verdict> {
  const { contextPaging } = JSON.parse(text) as { contextPaging: Readonly<Record<string, unknown>> };
  return withPi(contextPaging, (stage) =>
    pi(stage, ["-e", PACKAGE_DIR, "-p", "/context-paging status"], "Invalid settings"),
  );
}

async function withPi(
  paging: Readonly<Record<string, unknown>> | undefined,
  use: (stage: Stage) => Promise<Verdict>,
): Promise<Verdict> {
  const stage = await Stage.open({ script: echoAgent, ...(paging && { paging }) });
  try {
    return await use(stage);
  } finally {
    await stage.close();
  }
}

async function pi(stage: Stage, args: readonly string[], refused?: string): Promise<Verdict> {
  const { code, stdout, stderr } = await runPi(CURRENT, stage.sandbox, args);
  const isLoaded = args[0] === "install" || stderr.startsWith("context-paging: ");
  const isRefused = refused !== undefined && stderr.includes(refused);
  return code === 0 && isLoaded && !isRefused ? undefined : `code ${code}\n${stdout}\n${stderr}`;
}

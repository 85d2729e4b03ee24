/**
 * The interactive Pi in a pseudo terminal: util-linux `script` is the terminal line, `@xterm/headless` the screen.
 * Specs type keys and wait for text, as a user does.
 */
import { type ChildProcess, spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import xterm from "@xterm/headless";
import { ended, kill, start } from "./child-processes.ts";
import { PACKAGE_DIR, type PiHost } from "./pi-hosts.ts";
import type { Sandbox } from "./sandbox.ts";

/** The program that gives Pi a terminal. */
const TERMINAL_PROGRAM = "script";
const COLUMNS = 120;
const ROWS = 40;

export const KEYS = {
  enter: "\r",
  escape: "\u001b",
  tab: "\t",
  controlC: "\u0003",
  controlD: "\u0004",
} as const;

/** Why the TUI cannot be driven here, or `undefined` when it can. */
export function tuiObstacle(): string | undefined {
  const probe = spawnSync(TERMINAL_PROGRAM, ["--version"], { encoding: "utf8" });
  if (probe.status !== 0) return "there is no `script` program to give Pi a terminal";
  return probe.stdout.includes("util-linux") ? undefined : "`script` is not the one of util-linux";
}

export class TuiSession {
  readonly #terminal = new xterm.Terminal({
    cols: COLUMNS,
    rows: ROWS,
    scrollback: 5_000,
    allowProposedApi: true,
  });
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  readonly #timeoutMs: number;

  constructor(host: PiHost, sandbox: Sandbox, { timeoutMs = 20_000 } = {}) {
    this.#timeoutMs = timeoutMs;
    const pi = [process.execPath, host.cli, "-e", PACKAGE_DIR].map(quoted).join(" ");
    const command = `stty cols ${COLUMNS} rows ${ROWS}; exec ${pi}`;
    this.#child = start(
      TERMINAL_PROGRAM,
      ["--quiet", "--return", "--flush", "--command", command, "/dev/null"],
      {
        cwd: sandbox.cwd,
        env: sandbox.environment({ SHELL: "/bin/sh" }),
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    this.#child.stdin?.on("error", () => {});
    this.#child.stdout?.on("data", (part: Buffer) => this.#terminal.write(part));
    // Pi asks the terminal what it is; the screen answers like any other.
    this.#terminal.onData((answer) => this.#child.stdin?.write(answer));
    this.#ended = ended(this.#child);
  }

  /** What the user sees, line by line without trailing blanks. */
  get screen(): string {
    const buffer = this.#terminal.buffer.active;
    const rows = Array.from({ length: ROWS }, (_, row) => buffer.getLine(buffer.viewportY + row));
    return rows
      .map((row) => (row?.translateToString(true) ?? "").trimEnd())
      .join("\n")
      .trimEnd();
  }

  /** Types text or keys without waiting. */
  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Types a line and sends it. The pauses keep Pi from taking it for a paste. */
  async submit(line: string): Promise<void> {
    this.type(line);
    await this.waitFor(line);
    await sleep(line.startsWith("/") ? 250 : 50);
    // Enter in an open list of completions only takes the choice; Escape closes the list.
    if (this.#isCompleting) {
      this.type(KEYS.escape);
      await this.waitUntil(() => !this.#isCompleting, "end of the completions");
    }
    this.type(KEYS.enter);
  }

  /** The choices of the completion list that is open below the editor. */
  get completions(): string[] {
    const rows = this.screen.split("\n");
    const chosen = rows.findIndex((row) => row.startsWith("→ "));
    if (chosen < 0) return [];
    const isChoice = (row: string | undefined) => row !== undefined && /^(→ | {2})\S/.test(row);
    let first = chosen;
    while (isChoice(rows[first - 1])) first -= 1;
    let end = chosen;
    while (isChoice(rows[end])) end += 1;
    return rows.slice(first, end).map((row) => row.slice(2).trim().split(/\s+/)[0] ?? "");
  }

  get #isCompleting(): boolean {
    return this.completions.length > 0;
  }

  /** Waits until the text (or pattern) is on the screen and returns the screen. */
  async waitFor(expected: string | RegExp): Promise<string> {
    const found = () =>
      typeof expected === "string" ? this.screen.includes(expected) : expected.test(this.screen);
    await this.waitUntil(found, String(expected));
    return this.screen;
  }

  async waitUntil(holds: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + this.#timeoutMs;
    while (!holds()) {
      if (Date.now() > deadline) {
        throw new Error(`no ${what} on the screen within ${this.#timeoutMs} ms:\n${this.screen}`);
      }
      await sleep(25);
    }
  }

  async stop(): Promise<void> {
    this.type(KEYS.controlD);
    const timer = setTimeout(() => kill(this.#child), 3_000);
    await this.#ended;
    clearTimeout(timer);
    this.#terminal.dispose();
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

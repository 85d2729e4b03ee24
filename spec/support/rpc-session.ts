/** A driver of `pi --mode rpc`: one JSON object a line in both directions. */
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { collect, ended, kill, residentMiB, start } from "./child-processes.ts";
import { PACKAGE_DIR, type PiHost } from "./pi-hosts.ts";
import {
  extensionErrors,
  type Notification,
  notificationOf,
  type RpcEvent,
  type RpcResponse,
  statusTexts,
} from "./rpc-events.ts";
import type { Sandbox } from "./sandbox.ts";

const STATUS_KEY = "context-paging";

export interface RpcOptions {
  /** Replaces `-e <package>`; further arguments of the command line. */
  readonly args?: readonly string[];
  readonly timeoutMs?: number;
  /** A program with its arguments that runs Pi. */
  readonly through?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

interface Waiter {
  readonly matches: (event: RpcEvent) => boolean;
  readonly resolve: (event: RpcEvent) => void;
  readonly reject: (error: Error) => void;
}

export class RpcSession {
  /** Every event and response so far, in order. */
  readonly events: RpcEvent[] = [];
  readonly #host: PiHost;
  readonly #child: ChildProcess;
  readonly #timeoutMs: number;
  readonly #waiters = new Set<Waiter>();
  readonly #ended: Promise<number | null>;
  readonly #stderr: () => string;
  #sent = 0;
  #rest = "";

  constructor(host: PiHost, sandbox: Sandbox, options: RpcOptions = {}) {
    const { args = ["-e", PACKAGE_DIR], timeoutMs = 30_000, through = [], environment = {} } = options;
    this.#host = host;
    this.#timeoutMs = timeoutMs;
    const [program = process.execPath, ...programArgs] = [...through, process.execPath];
    this.#child = start(program, [...programArgs, host.cli, "--mode", "rpc", ...args], {
      cwd: sandbox.cwd,
      env: sandbox.environment(environment),
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#stderr = collect(this.#child.stderr);
    this.#child.stdout?.setEncoding("utf8");
    this.#child.stdout?.on("data", (part: string) => this.#read(part));
    this.#child.stdin?.on("error", () => {});
    this.#ended = ended(this.#child);
    void this.#ended.then((code) => this.#failAll(`Pi ended with code ${code}`));
  }

  /** Resident memory of Pi; not a number where the system does not tell. */
  get residentMiB(): number {
    return residentMiB(this.#child);
  }

  get stderr(): string {
    return this.#stderr();
  }

  get notifications(): Notification[] {
    return this.events.map(notificationOf).filter((note) => note !== undefined);
  }

  /** Footer texts that the extension published so far. */
  get statuses(): (string | undefined)[] {
    return statusTexts(this.events, STATUS_KEY);
  }

  get extensionErrors(): string[] {
    return extensionErrors(this.events);
  }

  /** Sends a command and returns its response; a failed one rejects. */
  async call(type: string, fields: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const response = await this.request(type, fields);
    if (!response.success) throw new Error(`${type} failed: ${response.error}`);
    return response.data;
  }

  async request(type: string, fields: Readonly<Record<string, unknown>> = {}): Promise<RpcResponse> {
    this.#sent += 1;
    const id = `request-${this.#sent}`;
    const answer = this.waitFor(
      (event) => event.type === "response" && event.id === id,
      `response to ${type}`,
    );
    this.#child.stdin?.write(`${JSON.stringify({ ...fields, type, id })}\n`);
    return (await answer) as RpcResponse;
  }

  /** Sends a prompt and waits until Pi is idle again, retries and compaction included. */
  async prompt(message: string): Promise<void> {
    const done = this.#host.name === "current" ? "agent_settled" : "agent_end";
    const settled = this.waitFor(
      (event) => event.type === done,
      `end of the run for: ${message.slice(0, 60)}`,
    );
    settled.catch(() => {});
    await this.call("prompt", { message });
    await settled;
    if (this.#host.name === "legacy") await this.#untilIdle();
  }

  /** Sends a slash command of the extension and returns the notifications it caused. */
  async command(text: string): Promise<Notification[]> {
    const before = this.notifications.length;
    await this.call("prompt", { message: text });
    await this.waitUntil(() => this.notifications.length > before, `an answer to ${text}`);
    return this.notifications.slice(before);
  }

  async steer(message: string): Promise<void> {
    await this.call("steer", { message });
  }

  async bash(command: string): Promise<void> {
    await this.call("bash", { command });
  }

  async setModel(provider: string, modelId: string): Promise<void> {
    await this.call("set_model", { provider, modelId });
  }

  /** Resolves with the next event that matches; events that came before the call do not count. */
  waitFor(matches: (event: RpcEvent) => boolean, what: string): Promise<RpcEvent> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { matches, resolve, reject };
      this.#waiters.add(waiter);
      setTimeout(
        () => this.#fail(waiter, `no ${what} within ${this.#timeoutMs} ms`),
        this.#timeoutMs,
      ).unref();
    });
  }

  /** Resolves when the condition holds, now or later. */
  async waitUntil(holds: () => boolean, what: string): Promise<void> {
    if (!holds()) await this.waitFor(() => holds(), what);
  }

  /** Closes Pi's input and waits for its end; kills it when it does not end. */
  async stop(): Promise<void> {
    this.#child.stdin?.end();
    const timer = setTimeout(() => kill(this.#child), 5_000);
    await this.#ended;
    clearTimeout(timer);
  }

  /** The legacy host has no event for "settled": a retry or compaction may follow the end of a run. */
  async #untilIdle(): Promise<void> {
    for (;;) {
      const state = (await this.call("get_state")) as { isStreaming: boolean; isCompacting: boolean };
      if (!state.isStreaming && !state.isCompacting) return;
      await sleep(20);
    }
  }

  #read(part: string): void {
    const lines = (this.#rest + part).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") this.#receive(JSON.parse(line) as RpcEvent);
  }

  #receive(event: RpcEvent): void {
    this.events.push(event);
    for (const waiter of this.#waiters) {
      if (!waiter.matches(event)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(event);
    }
  }

  #failAll(reason: string): void {
    for (const waiter of this.#waiters) this.#fail(waiter, reason);
  }

  #fail(waiter: Waiter, reason: string): void {
    if (!this.#waiters.delete(waiter)) return;
    const tail = this.events.slice(-3).map((event) => JSON.stringify(event).slice(0, 300));
    waiter.reject(
      new Error(`${reason}\nlast events: ${tail.join("\n")}\nstderr: ${this.stderr.slice(-1_000)}`),
    );
  }
}

/**
 * Cost of one request (`context` handler and `turn_end`) as a ratio to `structuredClone` of the same messages, which Pi
 * itself pays for each request. Prints a table with the targets and a JSON line; exits 1 when a ratio misses its target.
 *
 * Run by `npm run bench` with --expose-gc: new objects are collected before each measured piece, so that neither side
 * pays for the other's. Requests that are not measured come first, so that the code is compiled as in a long session.
 */
import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { type ContextEvent, estimateTokens } from "@earendil-works/pi-coding-agent";
import { FakeHost } from "./fake-host.ts";
import { median } from "./median.ts";
import { SessionSource } from "./session-source.ts";

const ROUNDS = 15;
const BUDGET_TOKENS = 128_000;
/** Requests before anything is measured: a session is long, so the code that runs for it is compiled. */
const WARM_UP = 200;
/** A full collection throws compiled code away. So many requests, and it is back. */
const REWARM = 30;
const TARGETS = { steady: 0.25, first: 1, cut: 0.5, bytesPerEntry: 500, growth: 1.3 } as const;

const SIZES = [
  { exchanges: 200, characters: 2048 },
  { exchanges: 1000, characters: 2048 },
  { exchanges: 5000, characters: 2048 },
  { exchanges: 20_000, characters: 2048 },
  { exchanges: 2000, characters: 30_720 },
] as const;

interface Row {
  readonly exchanges: number;
  readonly characters: number;
  readonly cloneMs: number;
  readonly steadyMs: number;
  readonly steady: number;
  /** `session_start`, which no request waits for. */
  readonly start: number;
  readonly first: number;
  readonly cut: number;
  readonly bytesPerEntry: number;
  readonly allocatedKiB: number;
}

function collectGarbage(type: "minor" | "major"): void {
  if (!globalThis.gc) throw new Error("Run with --expose-gc (npm run bench).");
  globalThis.gc({ type });
}

/** What tasks that have ended held is gone. Some of it the engine lets go a task later. */
async function settled(): Promise<void> {
  for (let task = 0; task < 3; task++) {
    await setTimeout(10);
    collectGarbage("major");
  }
}

function timed(work: () => void): number {
  collectGarbage("minor");
  const started = performance.now();
  work();
  return performance.now() - started;
}

function cloneMs(source: SessionSource): number {
  const { stored } = source;
  return median(Array.from({ length: ROUNDS }, () => timed(() => structuredClone(stored))));
}

function requestMs(host: FakeHost, source: SessionSource): { ms: number; kept: number } {
  const { messages } = source;
  let sent = messages;
  const contextMs = timed(() => {
    sent = host.context(messages);
  });
  source.grow(1, countedBy(sent));
  return { ms: contextMs + timed(() => host.turnEnd()), kept: sent.length };
}

/** What the provider counts for a request: a tenth more than Pi. So each answer is measured, and changes the prices. */
function countedBy(sent: ContextEvent["messages"]): number {
  return Math.round(1.1 * sent.reduce((tokens, message) => tokens + estimateTokens(message), 0));
}

function startAndAsk(host: FakeHost, source: SessionSource): void {
  host.start();
  host.context(source.messages);
}

/** Median milliseconds of the start of a session, and of its first request. */
function firstMs(source: SessionSource): { start: number; first: number } {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const host = new FakeHost(source, BUDGET_TOKENS);
    const { messages } = source;
    return { start: timed(() => host.start()), first: timed(() => host.context(messages)) };
  });
  return { start: median(rounds.map(({ start }) => start)), first: median(rounds.map(({ first }) => first)) };
}

/**
 * Median milliseconds of the requests for which the cut moved: then fewer messages are kept than before. The budget
 * holds about four exchanges, so that every other request is cut.
 */
function cutMs(source: SessionSource, characters: number): number {
  const host = new FakeHost(source, characters * 1.5);
  host.start();
  let kept = requestMs(host, source).kept;
  const cuts: number[] = [];
  for (let round = 0; round < 20 * ROUNDS && cuts.length < ROUNDS; round++) {
    const request = requestMs(host, source);
    if (request.kept < kept) cuts.push(request.ms);
    kept = request.kept;
  }
  return median(cuts);
}

async function measure({ exchanges, characters }: (typeof SIZES)[number]): Promise<Row> {
  const source = new SessionSource(characters);
  source.grow(exchanges);
  const clone = cloneMs(source);
  await settled();
  const heapBefore = process.memoryUsage().heapUsed;
  const host = new FakeHost(source, BUDGET_TOKENS);
  startAndAsk(host, source);
  await settled();
  const retained = process.memoryUsage().heapUsed - heapBefore;
  const entries = source.manager.getBranch().length;
  const { start, first } = firstMs(source);
  for (let request = 0; request < REWARM; request++) requestMs(host, source);
  const steadyMs = median(Array.from({ length: ROUNDS }, () => requestMs(host, source).ms));
  const allocatedKiB = allocatedBy(host, source) / 1024;
  return {
    exchanges,
    characters,
    cloneMs: clone,
    steadyMs,
    steady: steadyMs / clone,
    start: start / clone,
    first: first / clone,
    cut: cutMs(source, characters) / clone,
    bytesPerEntry: retained / entries,
    allocatedKiB,
  };
}

function allocatedBy(host: FakeHost, source: SessionSource): number {
  const { messages } = source;
  collectGarbage("minor");
  const before = process.memoryUsage().heapUsed;
  host.context(messages);
  return process.memoryUsage().heapUsed - before;
}

function warmUp(): void {
  const source = new SessionSource(2048);
  source.grow(200);
  for (const budgetTokens of [BUDGET_TOKENS, 3072]) {
    const host = new FakeHost(source, budgetTokens);
    host.start();
    for (let request = 0; request < WARM_UP / 2; request++) requestMs(host, source);
  }
}

warmUp();
const rows: Row[] = [];
for (const size of SIZES) rows.push(await measure(size));
const growth = (rows[3]?.steady ?? Number.NaN) / (rows[1]?.steady ?? Number.NaN);
console.table(
  rows.map((row) => ({
    exchanges: row.exchanges,
    "result chars": row.characters,
    "clone ms": row.cloneMs.toFixed(2),
    "request ms": row.steadyMs.toFixed(2),
    [`steady (<= ${TARGETS.steady})`]: row.steady.toFixed(3),
    start: row.start.toFixed(2),
    [`first (<= ${TARGETS.first})`]: row.first.toFixed(2),
    [`cut (<= ${TARGETS.cut})`]: row.cut.toFixed(2),
    [`bytes/entry (<= ${TARGETS.bytesPerEntry})`]: Math.round(row.bytesPerEntry),
    "allocated KiB": Math.round(row.allocatedKiB),
  })),
);
console.log(`Steady ratio at 20 000 exchanges / at 1 000: ${growth.toFixed(2)} (<= ${TARGETS.growth})`);
console.log(JSON.stringify({ bench: "request-cost", node: process.version, targets: TARGETS, growth, rows }));

const missed = rows.some(
  (row) =>
    row.steady > TARGETS.steady ||
    row.first > TARGETS.first ||
    row.cut > TARGETS.cut ||
    row.bytesPerEntry > TARGETS.bytesPerEntry,
);
if (missed || growth > TARGETS.growth) {
  console.error("A target is missed.");
  process.exitCode = 1;
}

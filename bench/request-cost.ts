/**
 * Cost of one request (`context` handler and `turn_end`) as a ratio to `structuredClone` of the same messages, which Pi
 * itself pays for each request. Prints a table with the targets and a JSON line; exits 1 when a ratio misses its target.
 *
 * Run by `npm run bench` with --expose-gc: new objects are collected before each measured piece, so that neither side
 * pays for the other's. The clone is timed beside each request, because the clocks of machines are not steady. Requests
 * that are not measured come first, so that the code is compiled as in a long session.
 */
import { type ContextEvent, estimateTokens } from "@earendil-works/pi-coding-agent";
import { FakeHost } from "./fake-host.ts";
import { type Cost, collectGarbage, costOf, ratio, settled, timed } from "./request-cost/cost.ts";
import { SessionSource } from "./session-source.ts";

const BUDGET_TOKENS = 128_000;
/** Requests before anything is measured: a session is long, so the code that runs for it is compiled. */
const WARM_UP = 200;
/** What is retained is measured of several, as code that was just compiled counts as much as a small session. */
const INSTANCES = 5;
const TARGETS = { steady: 0.25, first: 1, cut: 0.5, bytesPerEntry: 500, growth: 1.3 } as const;

/** Small requests take a millisecond, so their medians need more rounds. */
const SIZES = [
  { exchanges: 200, characters: 2048, rounds: 45 },
  { exchanges: 1000, characters: 2048, rounds: 45 },
  { exchanges: 5000, characters: 2048, rounds: 15 },
  { exchanges: 20_000, characters: 2048, rounds: 15 },
  { exchanges: 2000, characters: 30_720, rounds: 15 },
] as const;
type Size = (typeof SIZES)[number];

interface Row {
  readonly exchanges: number;
  readonly characters: number;
  readonly steady: Cost;
  /** What of it is Pi's own: its status, which the handler has to ask for. */
  readonly status: Cost;
  /** `session_start`, which no request waits for. */
  readonly start: Cost;
  readonly first: Cost;
  readonly cut: Cost;
  readonly bytesPerEntry: number;
  readonly allocatedKiB: number;
}

function timedClone({ stored }: SessionSource): number {
  return timed(() => structuredClone(stored));
}

interface RequestCost extends Cost {
  readonly kept: number;
}

function request(host: FakeHost, source: SessionSource): RequestCost {
  const cloneMs = timedClone(source);
  const { messages } = source;
  let sent = messages;
  const contextMs = timed(() => {
    sent = host.context(messages);
  });
  source.grow(1, countedBy(sent));
  return { cloneMs, ms: contextMs + timed(() => host.turnEnd()), kept: sent.length };
}

/** What the provider counts for a request: a tenth more than Pi. So each answer is measured, and changes the prices. */
function countedBy(sent: ContextEvent["messages"]): number {
  return Math.round(1.1 * sent.reduce((tokens, message) => tokens + estimateTokens(message), 0));
}

function statusCost(host: FakeHost, source: SessionSource): Cost {
  return { cloneMs: timedClone(source), ms: timed(() => host.contextUsage()) };
}

/** The start of a session, and its first request. */
function firstCosts(source: SessionSource, rounds: number): { start: Cost; first: Cost } {
  const measured = Array.from({ length: rounds }, () => {
    const host = new FakeHost(source, BUDGET_TOKENS);
    const cloneMs = timedClone(source);
    const { messages } = source;
    const start = { cloneMs, ms: timed(() => host.start()) };
    return { start, first: { cloneMs, ms: timed(() => host.context(messages)) } };
  });
  return {
    start: costOf(measured.map(({ start }) => start)),
    first: costOf(measured.map(({ first }) => first)),
  };
}

/**
 * The requests for which the cut moved: then fewer messages are kept than before. The budget holds about four exchanges,
 * so that every other request is cut.
 */
function cutCost(source: SessionSource, { characters, rounds }: Size): Cost {
  const host = new FakeHost(source, characters * 1.5);
  host.start();
  let { kept } = request(host, source);
  const cuts: Cost[] = [];
  for (let round = 0; round < 20 * rounds && cuts.length < rounds; round++) {
    const cost = request(host, source);
    if (cost.kept < kept) cuts.push(cost);
    kept = cost.kept;
  }
  return costOf(cuts);
}

function startAndAsk(source: SessionSource): FakeHost {
  const host = new FakeHost(source, BUDGET_TOKENS);
  host.start();
  host.context(source.messages);
  return host;
}

/** What the extension keeps of a session after its first request. */
async function bytesPerEntry({ exchanges, characters }: Size): Promise<number> {
  const source = new SessionSource(characters);
  source.grow(exchanges);
  // The first one has the engine join the pieces of strings, which is not the extension's doing.
  const first = startAndAsk(source);
  await settled();
  const heapBefore = process.memoryUsage().heapUsed;
  const hosts = Array.from({ length: INSTANCES }, () => startAndAsk(source));
  await settled();
  const retained = process.memoryUsage().heapUsed - heapBefore;
  // Here, so that none of them is collected before.
  for (const host of [first, ...hosts]) host.turnEnd();
  return retained / INSTANCES / source.manager.getBranch().length;
}

function measure(size: Size, retained: number): Row {
  const { exchanges, characters, rounds } = size;
  const source = new SessionSource(characters);
  source.grow(exchanges);
  const { start, first } = firstCosts(source, rounds);
  const host = new FakeHost(source, BUDGET_TOKENS);
  host.start();
  request(host, source);
  const steady = costOf(Array.from({ length: rounds }, () => request(host, source)));
  return {
    exchanges,
    characters,
    steady,
    status: costOf(Array.from({ length: rounds }, () => statusCost(host, source))),
    start,
    first,
    allocatedKiB: allocatedBy(host, source) / 1024,
    cut: cutCost(source, size),
    bytesPerEntry: retained,
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
    for (let done = 0; done < WARM_UP / 2; done++) request(host, source);
  }
}

warmUp();
const retained: number[] = [];
for (const size of SIZES) retained.push(await bytesPerEntry(size));
// Full collections throw compiled code away.
warmUp();
const rows = SIZES.map((size, n) => measure(size, retained[n] ?? Number.NaN));
const [, thousand, , most] = rows;
const growth = thousand && most ? ratio(most.steady) / ratio(thousand.steady) : Number.NaN;
console.table(
  rows.map((row) => ({
    exchanges: row.exchanges,
    "result chars": row.characters,
    "clone ms": row.steady.cloneMs.toFixed(2),
    "request ms": row.steady.ms.toFixed(2),
    [`steady (<= ${TARGETS.steady})`]: ratio(row.steady).toFixed(3),
    "of it Pi's status": ratio(row.status).toFixed(3),
    start: ratio(row.start).toFixed(2),
    [`first (<= ${TARGETS.first})`]: ratio(row.first).toFixed(2),
    [`cut (<= ${TARGETS.cut})`]: ratio(row.cut).toFixed(2),
    [`bytes/entry (<= ${TARGETS.bytesPerEntry})`]: Math.round(row.bytesPerEntry),
    "allocated KiB": Math.round(row.allocatedKiB),
  })),
);
console.log(`Steady ratio at 20 000 exchanges / at 1 000: ${growth.toFixed(2)} (<= ${TARGETS.growth})`);
console.log(JSON.stringify({ bench: "request-cost", node: process.version, targets: TARGETS, growth, rows }));

const missed = rows.some(
  (row) =>
    ratio(row.steady) > TARGETS.steady ||
    ratio(row.first) > TARGETS.first ||
    ratio(row.cut) > TARGETS.cut ||
    row.bytesPerEntry > TARGETS.bytesPerEntry,
);
if (missed || growth > TARGETS.growth) {
  console.error("A target is missed.");
  process.exitCode = 1;
}

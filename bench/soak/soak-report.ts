import type { RecordedRequest } from "../../spec/support/mock-model.ts";
import { isSummaryRequest, openingText, type WireBody } from "../../spec/support/wire.ts";
import { budgetOf } from "./soak-stage.ts";

const NOTICE = "[context-paging]";
/** Pi keeps the whole session in memory, so some growth is its own. */
const MEMORY_FACTOR = 1.5;

/** Memory of the Pi process at one moment: resident, and the heap once garbage is collected. */
export interface SoakMemory {
  readonly residentMiB: number;
  readonly heapMiB: number;
}

/** What a run leaves behind. */
export interface SoakRecord {
  readonly host: string;
  readonly seconds: number;
  readonly wanted: number;
  readonly prompts: number;
  readonly requests: readonly RecordedRequest[];
  readonly unpaged: ReadonlySet<number>;
  readonly unanswered: readonly string[];
  /** Errors of extensions, and warnings and errors that nobody expected. */
  readonly complaints: readonly string[];
  /** At 20, 60 and 100 % of the run. */
  readonly memory: readonly SoakMemory[];
  readonly incidents: Readonly<Record<string, number>>;
}

export interface SoakReport extends Omit<SoakRecord, "requests" | "unpaged"> {
  readonly requests: number;
  /** Requests that break the rules of providers, in words. */
  readonly refusals: readonly string[];
  /** Paged requests above the budget of their model, by the mock's count. */
  readonly overBudget: readonly string[];
  readonly cuts: number;
  /** Pi's own requests for summaries: compactions and branch summaries really happened. */
  readonly summaries: number;
  /** Paged requests to each model. */
  readonly byModel: Readonly<Record<string, number>>;
  /** Requests that met an outcome, by its name. */
  readonly byOutcome: Readonly<Record<string, number>>;
  readonly largestTokens: number;
  /** Paged requests that a strictly alternating chat template refuses, and those it refuses for the notice alone. */
  readonly notAlternating: { readonly requests: number; readonly byNotice: number };
  /** What was not as it must be; empty for a good run. */
  readonly misses: readonly string[];
}

export function soakReport({ requests, unpaged, ...record }: SoakRecord): SoakReport {
  const refusals = requests.flatMap(({ n, violations }) => violations.map((text) => `request ${n}: ${text}`));
  const paged = requests.filter(({ n, body }) => !unpaged.has(n) && !isSummaryRequest(body));
  const firstAnswer = requests.findIndex(({ outcome }) => outcome === "answered");
  const overBudget = paged
    .filter(({ n, tokens, body }) => n > firstAnswer && tokens > budgetOf(body.model))
    .map(({ n, tokens, body }) => `request ${n}: ${tokens} tokens for ${body.model}`);
  const report = {
    ...record,
    requests: requests.length,
    refusals,
    overBudget,
    cuts: cutsOf(paged),
    summaries: requests.filter(({ body }) => isSummaryRequest(body)).length,
    byModel: counts(paged.map(({ body }) => body.model)),
    byOutcome: counts(requests.map(({ outcome }) => outcome)),
    largestTokens: Math.max(...paged.map(({ tokens }) => tokens)),
    notAlternating: notAlternating(paged.map(({ body }) => body)),
  };
  return { ...report, misses: missesOf(report) };
}

/** Changes of the notice in front. */
function cutsOf(paged: readonly RecordedRequest[]): number {
  const notices = paged.map(({ body }) => openingText(body)).filter((text) => text.startsWith(NOTICE));
  return notices.filter((text, n) => text !== notices[n - 1]).length;
}

function notAlternating(bodies: readonly WireBody[]): SoakReport["notAlternating"] {
  const pairs = bodies.map(pairsOf);
  return {
    requests: pairs.filter((places) => places.length > 0).length,
    byNotice: pairs.filter(
      (places, n) =>
        places.length === 1 && places[0] === 0 && openingText(bodies[n] as WireBody).startsWith(NOTICE),
    ).length,
  };
}

/** Places of messages of the user that another one follows; system messages do not count. */
function pairsOf({ messages }: WireBody): number[] {
  const roles = messages.map(({ role }) => role).filter((role) => role !== "system" && role !== "developer");
  return roles.flatMap((role, place) => (role === "user" && roles[place + 1] === "user" ? [place] : []));
}

function counts(names: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of names) found[name] = (found[name] ?? 0) + 1;
  return found;
}

function missesOf(report: Omit<SoakReport, "misses">): string[] {
  const { memory, requests, wanted } = report;
  const misses = [...report.refusals, ...report.overBudget, ...report.complaints];
  misses.push(...report.unanswered.map((prompt) => `not answered: ${prompt}`));
  if (requests < wanted) misses.push(`${requests} of ${wanted} requests in ${report.seconds} s`);
  if (report.cuts === 0) misses.push("no cut");
  const [early, , late] = memory.map(({ heapMiB }) => heapMiB);
  if (early && late && late > early * MEMORY_FACTOR)
    misses.push(`the heap went from ${early} to ${late} MiB`);
  return misses;
}

/** One row for each host. */
export function soakTable(reports: readonly SoakReport[]): string {
  const head =
    "host,requests,prompts,refusals,unanswered,over budget,complaints,cuts,largest,not alternating (by notice alone),RSS MiB 20/60/100 %,heap MiB,s";
  const rows = reports.map((report) => [
    report.host,
    `${report.requests}`,
    `${report.prompts}`,
    `${report.refusals.length}`,
    `${report.unanswered.length}`,
    `${report.overBudget.length}`,
    `${report.complaints.length}`,
    `${report.cuts}`,
    `${report.largestTokens}`,
    `${report.notAlternating.requests} (${report.notAlternating.byNotice})`,
    report.memory.map(({ residentMiB }) => residentMiB).join("/"),
    report.memory.map(({ heapMiB }) => heapMiB).join("/"),
    `${report.seconds}`,
  ]);
  const table = [head.split(","), ...rows];
  const widths = head
    .split(",")
    .map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) => row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join("  ")).join("\n");
}

import { expect } from "chai";
import fc from "fast-check";
import { ContextPagingExtension } from "../../lib/extension.ts";
import type { AgentMessage, SessionEntry } from "../../lib/messages.ts";
import type { SelectionReport } from "../../lib/paging/selection-report.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { deepFreeze } from "../support/deep-freeze.ts";
import { FakePi } from "../support/fake-pi.ts";
import { labelOf } from "../support/labels.ts";
import { illegalities } from "../support/legal-request.ts";
import { changed } from "../support/other-extension.ts";
import { piMessages } from "../support/paging-session.ts";
import { seededRuns } from "../support/property-runs.ts";
import { addTo, budgets, type History, type HistoryStep, histories } from "../support/random-history.ts";

const START = Date.UTC(2026, 5, 1);
/** Every refusal of a request begins with one of these: anything else is an error that nobody thought of. */
const REFUSALS = /^error: (Resident (input|and retained request) estimate|The request (breaks|holds))/;

/** An extension on a Pi of its own, which shows it the session. */
class Player {
  readonly pi: FakePi;
  readonly #show: (building: BranchBuilder) => FakePi["branch"];
  #now = START;

  /** `show`: the entries as this Pi hands them out. */
  constructor(
    budgetTokens: number,
    show: (building: BranchBuilder) => FakePi["branch"],
    host: FakePi["host"] = "current",
  ) {
    this.pi = new FakePi({ host });
    this.#show = show;
    const globalSettings = { contextPaging: { tokenBudget: budgetTokens } };
    new ContextPagingExtension({
      settings: { globalSettings, projectTrusted: false },
      now: () => this.#now,
    }).register(this.pi.api);
  }

  async emit(type: string, building: BranchBuilder, fields: object = {}): Promise<unknown> {
    this.pi.branch = this.#show(building);
    return this.pi.emit(type, fields);
  }

  /** Tells of a step that is in the session now. */
  async follow(step: HistoryStep, building: BranchBuilder): Promise<void> {
    if (step.kind === "compaction")
      await this.emit("session_compact", building, { compactionEntry: building.path.at(-1) });
    if (step.kind === "move") await this.emit("session_tree", building);
    if (step.kind === "exchange" || step.kind === "answer") await this.#turnEnd(building);
    if (step.kind === "switch")
      for (const state of ["off", "on"]) await this.pi.command("context-paging", state);
    if (step.kind !== "model") return;
    const window = step.window === undefined ? {} : { contextWindow: step.window, maxTokens: 1_000 };
    this.pi.model = { provider: "p", id: `m${step.window}`, api: "openai-completions", ...window };
    await this.emit("model_select", building);
  }

  async #turnEnd(building: BranchBuilder): Promise<void> {
    const message = building.messages.findLast(({ role }) => role === "assistant");
    await this.emit("turn_end", building, { message, toolResults: [] });
  }

  /** The request that goes out; none when it was refused. */
  async request(building: BranchBuilder, incoming: AgentMessage[]): Promise<Sent | undefined> {
    this.#now += 1_000;
    const { aborts } = this.pi;
    const result = (await this.emit("context", building, { messages: incoming })) as
      | { messages: AgentMessage[] }
      | undefined;
    if (this.pi.aborts > aborts) {
      expect(result).to.equal(undefined);
      expect(this.pi.told.at(-1)).to.match(REFUSALS);
      return undefined;
    }
    const report = this.pi.emitted.at(-1)?.data as SelectionReport;
    return { incoming, messages: result?.messages ?? incoming, report };
  }
}

interface Sent {
  readonly incoming: readonly AgentMessage[];
  readonly messages: readonly AgentMessage[];
  readonly report: SelectionReport;
}

/** What the tools say of a branch whose calls and results do not pair. */
const DAMAGED = /^(ORPHAN|DUPLICATE|MISMATCHED|INCOMPLETE)_TOOL_RESULTS?:/;

const ENDS_THE_CUT = new Set<HistoryStep["kind"]>(["edit", "compaction", "move", "model", "switch"]);
/** What follows a request in Pi: another request, or what became of it. */
const RESPONSES = new Set<HistoryStep["kind"]>(["request", "exchange", "answer", "interrupted", "retried"]);
const OWN = new Set(["notice", "overflow-notice", "recovery-notice", "reference"]);

/** What holds of every request that goes out, whatever came before. */
function checkSent({ incoming, messages, report }: Sent): void {
  expect(illegalities(messages)).to.deep.equal([]);
  const kept = messages.filter((message) => !OWN.has(labelOf(message)));
  const left = [...incoming];
  for (const message of kept) {
    const at = left.indexOf(message);
    expect(at, `${labelOf(message)} came in as often`).to.be.at.least(0);
    left.splice(at, 1);
  }
  if (report.mode === "whole" || report.mode === "paged" || report.mode === "stateless")
    expect(report.tokensAfter).to.be.at.most(report.budgetTokens);
}

/** What holds of a request and the one before it, while nothing has ended the cut and no other extension changed them. */
function checkFollows(sent: Sent, previous: Sent, building: BranchBuilder): void {
  const isOrdinary = ({ report }: Sent) =>
    (report.mode === "whole" || report.mode === "paged") && report.fallbackCause === undefined;
  if (sent.report.fallbackCause === undefined)
    expect(cutOf(sent, building)).to.be.at.least(cutOf(previous, building));
  if (!isOrdinary(sent) || !isOrdinary(previous) || sent.report.movement === "advance") return;
  expect(sent.messages.slice(0, previous.messages.length)).to.deep.equal(previous.messages);
}

function cutOf({ report }: Sent, building: BranchBuilder): number {
  return building.path.findIndex(({ id }) => id === report.frontier?.historyId);
}

/** Every item is found by browsing, and given back as it is stored, or in pages where it is too large. */
async function checkRecoverable(player: Player, building: BranchBuilder): Promise<void> {
  const listed = new Set<string>();
  let reply = await toolReply(player, building, "browse_history", { direction: "forward", count: 10 });
  if (reply.error !== undefined) {
    expect(reply.error).to.match(DAMAGED);
    return;
  }
  while (reply.references?.length) {
    for (const { historyId } of reply.references) listed.add(historyId);
    const historyId = reply.references.at(-1)?.historyId;
    reply = await toolReply(player, building, "browse_history", {
      historyId,
      direction: "forward",
      count: 10,
    });
  }
  for (const entry of building.path) {
    if (!mustBeFound(entry, building)) continue;
    expect(listed.has(entry.id), entry.id).to.equal(true);
    const { items, error } = await toolReply(player, building, "load_history", { historyIds: [entry.id] });
    if (error === undefined) expect(items?.[0]).to.deep.include(storedItem(entry));
    else expect(error).to.match(/^HISTORY_ITEMS_TOO_LARGE/);
  }
}

/** A newest exchange that lacks results is no item yet. */
function mustBeFound(entry: SessionEntry, { path, messages }: BranchBuilder): boolean {
  if (entry.type !== "message") return entry.type === "custom_message";
  const { message } = entry;
  if (message.role === "bashExecution") return !message.excludeFromContext;
  const isNewest =
    message.role === "assistant" && messages.findLast(({ role }) => role === "assistant") === message;
  return message.role === "user" || (message.role === "assistant" && !isNewest && path.includes(entry));
}

/** What of an item can be told from its entry alone; an image is given back beside the text. */
function storedItem(entry: SessionEntry): object {
  const historyId = entry.id;
  if (entry.type !== "message") return { historyId };
  if (entry.message.role === "assistant") return { historyId, assistant: entry.message };
  return JSON.stringify(entry.message).includes('"image"')
    ? { historyId }
    : { historyId, message: entry.message };
}

interface Reply {
  readonly references?: readonly { readonly historyId: string }[];
  readonly items?: readonly object[];
  readonly error?: string;
}

async function toolReply(
  player: Player,
  building: BranchBuilder,
  name: string,
  input: object,
): Promise<Reply> {
  await player.emit("none", building);
  try {
    return (await player.pi.tool(name, input)).details as Reply;
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function playInvariants(history: History, budgetTokens: number): Promise<void> {
  const building = branch().user("Begin.");
  const player = new Player(budgetTokens, ({ path }) => path);
  await player.emit("session_start", building, { reason: "startup" });
  let previous: Sent | undefined;
  let wasAsked = false;
  for (const step of history) {
    addTo(building, step);
    await player.follow(step, building);
    if (ENDS_THE_CUT.has(step.kind) || (wasAsked && !RESPONSES.has(step.kind))) previous = undefined;
    wasAsked = step.kind === "request";
    if (step.kind !== "request") continue;
    const incoming = deepFreeze(step.changes.reduce(changed, piMessages(building.path)));
    const sent = await player.request(building, incoming);
    if (sent) checkSent(sent);
    if (sent && previous && step.changes.length === 0) checkFollows(sent, previous, building);
    previous = step.changes.length === 0 ? sent : undefined;
  }
  await checkRecoverable(player, building);
}

/** The legacy host asks for a request before it has stored the newest messages. It knows no context edits. */
async function playLagging(history: History, budgetTokens: number, lags: readonly number[]): Promise<void> {
  const building = branch().user("Begin.");
  let lag = 0;
  const player = new Player(
    budgetTokens,
    ({ path }) => path.slice(0, Math.max(1, path.length - lag)),
    "legacy",
  );
  await player.emit("session_start", building, { reason: "startup" });
  for (const [n, step] of history.entries()) {
    if (step.kind === "edit" || step.kind === "retried") continue;
    addTo(building, step);
    lag = step.kind === "request" ? (lags[n % lags.length] ?? 0) : 0;
    await player.follow(step, building);
    if (step.kind !== "request") continue;
    const incoming = deepFreeze(step.changes.reduce(changed, piMessages(building.path)));
    const sent = await player.request(building, incoming);
    if (sent) checkSent(sent);
    const last = incoming.at(-1);
    if (sent && step.changes.length === 0 && last?.role === "user") expect(sent.messages).to.include(last);
  }
}

/**
 * One Pi hands out the very entries of its session each time, as both hosts do; the other one copies of them, so that
 * nothing is known from the request before. What was sent must be the same.
 */
async function playTwice(history: History, budgetTokens: number): Promise<void> {
  const building = branch().user("Begin.");
  const growing = new Player(budgetTokens, ({ path }) => path);
  const fresh = new Player(budgetTokens, ({ path }) => structuredClone(path));
  const players = [growing, fresh];
  for (const player of players) await player.emit("session_start", building, { reason: "startup" });
  for (const step of history) {
    addTo(building, step);
    for (const player of players) {
      await player.follow(step, building);
      // Only who knows the entries before it sees that an edit is new; so both are told of another branch.
      if (step.kind === "edit" || step.kind === "retried") await player.emit("session_tree", building);
    }
    if (step.kind !== "request") continue;
    const incoming = deepFreeze(step.changes.reduce(changed, piMessages(building.path)));
    const sent = await growing.request(building, incoming);
    expect(comparable(await fresh.request(building, incoming))).to.deep.equal(comparable(sent));
  }
}

/** What does not fit anyway is priced by its size unless its price is known: that shows in one figure only. */
function comparable(sent: Sent | undefined): object | undefined {
  return sent && { messages: sent.messages, report: { ...sent.report, tokensBefore: 0 } };
}

/** Without usage: what was measured belongs to the entries it was measured of. */
function unmeasured(history: History): History {
  return history.map((step) => ("usage" in step ? { ...step, usage: {} } : step));
}

/** How many of the newest entries are not stored yet, request by request. */
const lags = fc.array(fc.nat(4), { minLength: 1, maxLength: 8 });

describe("ContextPagingExtension: random histories", () => {
  for (const { title, ...parameters } of seededRuns(200)) {
    it(`every request is legal and within its rule, or refused with a known error; the cut moves forward only; between two cuts requests extend each other; all that left is found (${title})`, () =>
      fc.assert(fc.asyncProperty(histories, budgets, playInvariants), parameters)).timeout(60_000);

    it(`a host that lags behind its session: every request is legal, and holds the prompt (${title})`, () =>
      fc.assert(fc.asyncProperty(histories, budgets, lags, playLagging), parameters)).timeout(60_000);

    it(`what is kept from request to request changes nothing: an extension without it sends the same (${title})`, () =>
      fc.assert(fc.asyncProperty(histories.map(unmeasured), budgets, playTwice), parameters)).timeout(60_000);
  }
});

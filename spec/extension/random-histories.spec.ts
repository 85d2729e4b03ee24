import { expect } from "chai";
import fc from "fast-check";
import type { SelectionMode } from "../../lib/paging/selection-report.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { deepFreeze } from "../support/deep-freeze.ts";
import { HistoryPlayer, type Sent } from "../support/history-player.ts";
import { changed } from "../support/other-extension.ts";
import { piMessages } from "../support/paging-session.ts";
import { FIXED_SEED, seededRuns } from "../support/property-runs.ts";
import { addTo, budgets, type History, type HistoryStep, histories } from "../support/random-history.ts";
import { checkRecoverable } from "../support/recoverable.ts";
import { checkCost, checkSent } from "../support/sent-checks.ts";

/** Steps that edit what is stored. */
const EDITS = new Set<HistoryStep["kind"]>(["edit", "retried", "damage"]);
const ENDS_THE_CUT = new Set<HistoryStep["kind"]>([
  "edit",
  "damage",
  "compaction",
  "move",
  "model",
  "switch",
]);
/** What follows a request in Pi: another request, or what became of it. */
const RESPONSES = new Set<HistoryStep["kind"]>(["request", "exchange", "answer", "interrupted", "retried"]);

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

async function playInvariants(seen: SelectionMode[], history: History, budgetTokens: number): Promise<void> {
  const building = branch().user("Begin.");
  const player = new HistoryPlayer(budgetTokens, ({ path }) => path);
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
    if (sent) seen.push(sent.report.mode);
    if (sent && previous && step.changes.length === 0) checkFollows(sent, previous, building);
    previous = step.changes.length === 0 ? sent : undefined;
  }
  await checkRecoverable(player, building);
}

/** The legacy host asks for a request before it has stored the newest messages. It knows no context edits. */
async function playLagging(history: History, budgetTokens: number, lags: readonly number[]): Promise<void> {
  const building = branch().user("Begin.");
  let lag = 0;
  const player = new HistoryPlayer(
    budgetTokens,
    ({ path }) => path.slice(0, Math.max(1, path.length - lag)),
    "legacy",
  );
  await player.emit("session_start", building, { reason: "startup" });
  for (const [n, step] of history.entries()) {
    if (EDITS.has(step.kind)) continue;
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
  const growing = new HistoryPlayer(budgetTokens, ({ path }) => path);
  const fresh = new HistoryPlayer(budgetTokens, ({ path }) => structuredClone(path));
  const players = [growing, fresh];
  for (const player of players) await player.emit("session_start", building, { reason: "startup" });
  for (const step of history) {
    addTo(building, step);
    for (const player of players) {
      await player.follow(step, building);
      // Only who knows the entries before it sees that an edit is new; so both are told of another branch.
      if (EDITS.has(step.kind)) await player.emit("session_tree", building);
    }
    if (step.kind !== "request") continue;
    const incoming = deepFreeze(step.changes.reduce(changed, piMessages(building.path)));
    const sent = await growing.request(building, incoming);
    if (sent) checkCost(sent);
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

/** Each mode must come up often, or what is checked of it says nothing. */
function expectEachMode(seen: readonly SelectionMode[]): void {
  for (const mode of [
    "whole",
    "paged",
    "stateless",
    "protectedOverflow",
    "recovery",
  ] satisfies SelectionMode[])
    expect(seen.filter((one) => one === mode).length, mode).to.be.at.least(24);
}

/** How many of the newest entries are not stored yet, request by request. */
const lags = fc.array(fc.nat(4), { minLength: 1, maxLength: 8 });

describe("ContextPagingExtension: random histories", () => {
  for (const { title, ...parameters } of seededRuns(200)) {
    it(`every request is legal and within its rule, or refused with a known error; the cut moves forward only; between two cuts requests extend each other; all that left is found (${title})`, async () => {
      const seen: SelectionMode[] = [];
      const play = (history: History, budgetTokens: number) => playInvariants(seen, history, budgetTokens);
      await fc.assert(fc.asyncProperty(histories, budgets, play), parameters);
      if (parameters.seed === FIXED_SEED) expectEachMode(seen);
    }).timeout(60_000);

    it(`a host that lags behind its session: every request is legal, and holds the prompt (${title})`, () =>
      fc.assert(fc.asyncProperty(histories, budgets, lags, playLagging), parameters)).timeout(60_000);

    it(`what is kept from request to request changes nothing: an extension without it sends the same (${title})`, () =>
      fc.assert(fc.asyncProperty(histories.map(unmeasured), budgets, playTwice), parameters)).timeout(60_000);
  }
});

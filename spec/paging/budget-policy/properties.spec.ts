import { expect } from "chai";
import fc from "fast-check";
import { ContextSelectionError } from "../../../lib/errors.ts";
import type { AgentMessage } from "../../../lib/messages.ts";
import type { SelectionOutcome } from "../../../lib/paging/budget-policy.ts";
import { deepFreeze } from "../../support/deep-freeze.ts";
import { besideUnread, expectInOrder, keptOf, sendingOrder } from "../../support/kept-messages.ts";
import { labelOf } from "../../support/labels.ts";
import { illegalities } from "../../support/legal-request.ts";
import { changed, changes } from "../../support/other-extension.ts";
import { PagingSession, piMessages, priceOf } from "../../support/paging-session.ts";
import { seededRuns } from "../../support/property-runs.ts";
import { type Due, play, sessions } from "../../support/random-session.ts";

const limits = fc.record({
  budget: fc.integer({ min: 200, max: 4000 }),
  targetShare: fc.constantFrom(0.3, 0.625, 1),
  windowShare: fc.constantFrom(1, 1.5, Number.POSITIVE_INFINITY),
});

/** One request of a played session and what was sent for it. */
interface Sent {
  readonly incoming: readonly AgentMessage[];
  readonly outcome: SelectionOutcome;
  readonly messages: readonly AgentMessage[];
  readonly due: Due;
  /** What the model takes, in tokens; infinite where nobody knows. */
  readonly inputWindow: number;
}

/** Plays a session; hands over each request that was selected, with the one before it unless that one failed. */
function pageThrough([turns, draft]: Input, check: (sent: Sent, previous: Sent | undefined) => void): void {
  const { budget, targetShare, windowShare } = draft;
  const inputWindow = Math.floor(budget * windowShare);
  const window = Number.isFinite(inputWindow) ? { inputWindow } : {};
  const paging = new PagingSession({ budget, target: Math.ceil(budget * targetShare), ...window });
  let previous: Sent | undefined;
  play(turns, (building, due) => {
    const incoming = deepFreeze(piMessages(building.path));
    const outcome = selected(() => paging.requestOf(incoming, building));
    const sent = outcome && { incoming, outcome, messages: outcome.messages ?? incoming, due, inputWindow };
    if (sent) check(sent, previous);
    previous = sent;
  });
}

type Input = [
  turns: Parameters<typeof play>[0],
  draft: { budget: number; targetShare: number; windowShare: number },
];

/** The outcome; none for a coded error for want of room. */
function selected(select: () => SelectionOutcome): SelectionOutcome | undefined {
  try {
    return select();
  } catch (error) {
    if (!(error instanceof ContextSelectionError)) throw error;
    expect(error.code).to.be.oneOf(["RESIDENT_INPUT_TOO_LARGE", "ACTIVE_REQUEST_TOO_LARGE"]);
    return undefined;
  }
}

const isOrdinary = ({ outcome: { report } }: Sent) =>
  (report.mode === "whole" || report.mode === "paged") && report.fallbackCause === undefined;
const sumOf = (messages: readonly AgentMessage[]) =>
  messages.reduce((tokens, message) => tokens + priceOf(message), 0);
const labels = (messages: readonly AgentMessage[]) => messages.map(labelOf);

const properties: Readonly<Record<string, (sent: Sent, previous: Sent | undefined) => void>> = {
  "is legal": ({ messages }) => expect(illegalities(messages)).to.deep.equal([]),

  "is within its limit, and costs what is reported": ({ messages, outcome: { report }, inputWindow }) => {
    expect(report.tokensAfter).to.equal(sumOf(messages));
    const isOver = report.mode === "protectedOverflow" || report.mode === "recovery";
    expect(sumOf(messages)).to.be.at.most(isOver ? inputWindow : report.budgetTokens);
  },

  "is above the budget by its unread results alone": ({ messages, outcome: { report } }) =>
    expect(sumOf(besideUnread(messages))).to.be.at.most(report.budgetTokens),

  "holds the request, the steering and the unread results": ({ messages, outcome, due }) => {
    const sent = labels(messages);
    const [response, ...results] = due.unread;
    expect(sent).to.include.members([...due.request, ...(response ? [response] : [])]);
    if (outcome.report.mode === "recovery")
      expect(sent.filter((label) => label === "reference")).to.have.lengthOf(results.length);
    else expect(sent).to.include.members(results);
  },

  "holds the very objects that came in, once and, but for what moves behind its results, in their order": ({
    messages,
    incoming,
  }) => {
    const kept = keptOf(messages);
    expectInOrder(kept, incoming);
    expect(new Set(kept).size).to.equal(kept.length);
  },

  "holds all of it where nothing left": ({ messages, incoming, outcome: { report } }) => {
    if (report.mode === "whole") expect(messages).to.deep.equal(sendingOrder(incoming));
  },

  "extends the request before it, unless the cut moved": (sent, previous) => {
    if (!previous || !isOrdinary(sent) || !isOrdinary(previous)) return;
    if (sent.outcome.report.movement === "advance") return;
    expect(labels(sent.messages.slice(0, previous.messages.length))).to.deep.equal(labels(previous.messages));
    expect(sent.messages.slice(0, previous.messages.length)).to.deep.equal(previous.messages);
  },

  "never brings back what a remembered cut excluded": (sent, previous) => {
    if (!previous || !isOrdinary(previous) || sent.outcome.report.fallbackCause) return;
    const gone = labels(previous.incoming).filter((label) => !labels(previous.messages).includes(label));
    expect(labels(sent.messages).filter((label) => gone.includes(label))).to.deep.equal([]);
  },

  "has a notice exactly where something that could stay has left, and it is the frozen one": (
    sent,
    previous,
  ) => {
    const { report, cut } = sent.outcome;
    expect(labels(sent.messages).indexOf("notice")).to.equal(
      report.mode === "whole" ? -1 : noticePlace(report.mode),
    );
    if (report.mode === "paged") expect(sent.messages[0]).to.equal(cut?.notice);
    if (previous && report.movement === "none" && cut) expect(cut).to.equal(previous.outcome.cut);
  },
};

function noticePlace(mode: string): number {
  return mode === "paged" || mode === "stateless" ? 0 : -1;
}

function checkAll(sent: Sent, previous: Sent | undefined): void {
  for (const [property, check] of Object.entries(properties)) {
    try {
      check(sent, previous);
    } catch (cause) {
      throw new Error(`not so: ${property}`, { cause });
    }
  }
}

describe("BudgetPolicy: every request of a random session", () => {
  for (const { title, ...parameters } of seededRuns(120)) {
    it(`${Object.keys(properties).join("; ")} (${title})`, () => {
      fc.assert(
        fc.property(fc.tuple(sessions, limits), (input) => pageThrough(input, checkAll)),
        parameters,
      );
    }).timeout(30_000);
  }
});

describe("BudgetPolicy: every request that other extensions changed", () => {
  for (const { title, ...parameters } of seededRuns(120)) {
    it(`is legal and holds only what came in, or is a coded error that keeps the cut (${title})`, () => {
      fc.assert(
        fc.property(fc.tuple(sessions, limits), changes, ([turns, { budget }], edits) => {
          const paging = new PagingSession({ budget, target: Math.ceil(budget / 2) });
          play(turns, (building) => {
            const incoming = deepFreeze(edits.reduce(changed, piMessages(building.path)));
            const cut = paging.frontiers.prepare();
            try {
              const { messages } = paging.requestOf(incoming, building);
              expect(illegalities(messages ?? incoming)).to.deep.equal([]);
            } catch (error) {
              if (!(error instanceof ContextSelectionError)) throw error;
              expect(paging.frontiers.prepare()).to.equal(cut);
            }
          });
        }),
        parameters,
      );
    }).timeout(30_000);
  }
});

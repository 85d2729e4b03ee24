import { expect } from "chai";
import { ContextSelectionError } from "../../../lib/errors.ts";
import type { AgentMessage, SessionEntry } from "../../../lib/messages.ts";
import { branch } from "../../support/branch-builder.ts";
import { caught } from "../../support/caught.ts";
import { labelOf } from "../../support/labels.ts";
import { PagingSession, piMessages, type RequestDraft, sentBy } from "../../support/paging-session.ts";
import { exchanges, turns } from "../../support/talk.ts";

const without = (label: string) => (messages: AgentMessage[]) =>
  messages.filter((message) => labelOf(message) !== label);

/** A session with a cut behind u4 a4, whose next request is over the budget again. */
function cutSession() {
  const paging = new PagingSession({ budget: 1000, target: 500 });
  const building = turns(branch(), 1, 6);
  expect(paging.sent(building)).to.equal("notice u5 a5 u6 a6");
  return { paging, building };
}

/** A raw branch that breaks the pairing rules, in a request that does not. */
const damaged = () => turns(branch().result({ callId: "c9", text: "orphan" }), 1, 6);

interface Scene {
  readonly paging: PagingSession;
  readonly building: { readonly path: SessionEntry[] };
  readonly draft?: RequestDraft;
}

const scenes: Readonly<Record<string, { cause: string; of: () => Scene }>> = {
  "the raw history is unavailable for a new frontier": {
    cause: "raw-history-unavailable",
    of: () => {
      const paging = new PagingSession({ budget: 1000, target: 500 });
      return { paging, building: damaged(), draft: { change: without("orphan") } };
    },
  },
  "the key of the cut is missing in the raw history": {
    cause: "cut-key-unresolved",
    of: () => ({ paging: cutSession().paging, building: exchanges(branch().user("u1"), 1, 2, "#500") }),
  },
  "the key of the cut is ambiguous in the raw history": {
    cause: "cut-key-unresolved",
    of: () => {
      const { paging, building } = cutSession();
      turns(building, 7, 8);
      const twin = building.path.find((entry) => entry.id === "00000007");
      const path = building.path.map((entry) =>
        entry.id === "0000000f" && twin ? { ...entry, id: twin.id } : entry,
      );
      return { paging, building: { path }, draft: { change: () => piMessages(building.path) } };
    },
  },
  "the raw history became unavailable under a remembered cut": {
    cause: "cut-key-unresolved",
    of: () => {
      const { paging, building } = cutSession();
      return {
        paging,
        building: building.result({ callId: "c9", text: "orphan" }),
        draft: { change: without("orphan") },
      };
    },
  },
  "eviction ends at a keyless unit without an excluded key": {
    cause: "keyless-no-key",
    of: () => {
      const paging = new PagingSession({ budget: 1000, target: 1000 });
      return { paging, building: turns(branch().bash("b #300", "out"), 1, 4) };
    },
  },
  "the backward snap with its notice exceeds the budget": {
    cause: "keyless-snap-over-budget",
    of: () => {
      const paging = new PagingSession({ budget: 1000, target: 500 });
      const building = turns(branch(), 1, 1).custom("job #900").assistant({ text: "x", stopReason: "error" });
      return { paging, building: building.user("u2") };
    },
  },
  "another extension removed the anchor from the request": {
    cause: "frontier-not-in-groups",
    of: () => ({ ...cutSession(), draft: { change: without("u4") } }),
  },
  "the anchor is interrupted in the current request": {
    cause: "frontier-not-in-groups",
    of: () => {
      const paging = new PagingSession({ budget: 1000, target: 500 });
      const building = exchanges(branch().user("u1"), 1, 6);
      paging.request(building);
      const interrupt = (messages: AgentMessage[]) =>
        messages.map((message) =>
          labelOf(message) === "a5" && message.role === "assistant"
            ? { ...message, stopReason: "aborted" as const }
            : message,
        );
      return { paging, building: exchanges(building, 7, 7), draft: { change: interrupt } };
    },
  },
};

describe("BudgetPolicy: fallback", () => {
  for (const [when, { cause, of }] of Object.entries(scenes)) {
    it(`selects the request alone and remembers nothing when ${when}: ${cause}`, () => {
      const { paging, building, draft } = of();
      const outcome = paging.request(building, draft);
      expect(outcome.report).to.include({ fallbackCause: cause, mode: "stateless", movement: "none" });
      expect(outcome.report.frontier).to.equal(undefined);
      expect(outcome.cut).to.equal(undefined);
      expect(paging.frontiers.prepare()).to.equal(undefined);
      expect(outcome.report.tokensAfter).to.be.at.most(1000);
      expect(sentBy(outcome, building, draft)).to.match(/^notice /);
    });

    it(`ends the lifetime of the cut: a later request makes a fresh one, when ${when}`, () => {
      const { paging, building, draft } = of();
      paging.request(building, draft);
      const whole = turns(branch(), 1, 9);
      const fresh = paging.request(whole);
      expect(fresh.report).to.include({ fallbackCause: undefined, mode: "paged", movement: "advance" });
    });
  }

  it("cuts toward the budget, not the target", () => {
    const { paging, building } = cutSession();
    expect(paging.sent(building, { change: without("u4") })).to.equal("notice u2 a2 u3 a3 a4 u5 a5 u6 a6");
  });

  it("sends what is exactly as large as the budget", () => {
    const { paging, building } = cutSession();
    const outcome = paging.request(building, { change: without("u4"), budget: 920 });
    expect(sentBy(outcome, building)).to.equal("notice u2 a2 u3 a3 a4 u5 a5 u6 a6");
    expect(outcome.report).to.include({ mode: "stateless", tokensAfter: 920, budgetTokens: 920 });
    const protectedOnly = cutSession().paging.request(branch().user("u1 #1000"));
    expect(protectedOnly.report).to.include({ mode: "whole", fallbackCause: "cut-key-unresolved" });
  });

  it("restores what fits: the old cut counts no longer", () => {
    const { paging, building } = cutSession();
    const outcome = paging.request(building, { budget: 5000, change: without("u4") });
    expect(outcome.report).to.include({
      mode: "whole",
      fallbackCause: "frontier-not-in-groups",
      unitsRemoved: 0,
    });
    expect(outcome.messages).to.equal(undefined);
  });

  it("is not needed without a raw history while the whole request is within the budget", () => {
    const paging = new PagingSession({ budget: 5000, target: 500 });
    const outcome = paging.request(damaged(), { change: without("orphan") });
    expect(outcome.report).to.include({ mode: "whole", fallbackCause: undefined });
  });

  it("does not soften a structure error", () => {
    const { paging } = cutSession();
    const building = exchanges(branch().user("u1"), 1, 2, "#500");
    const error = caught(() => paging.request(building, { change: without("a1") }), ContextSelectionError);
    expect(error.code).to.equal("INVALID_MESSAGE_STRUCTURE");
  });

  it("does not soften a request that cannot be made to fit", () => {
    const { paging } = cutSession();
    const error = caught(() => paging.request(branch().user("u1 #2000")), ContextSelectionError);
    expect(error.code).to.equal("ACTIVE_REQUEST_TOO_LARGE");
  });

  it("sends unread results that exceed the budget in their own mode, and still remembers nothing", () => {
    const { paging } = cutSession();
    const building = exchanges(turns(branch(), 1, 1).user("u2"), 2, 2, "#1500");
    const outcome = paging.request(building);
    expect(sentBy(outcome, building)).to.equal("overflow-notice u2 a2 r2");
    expect(outcome.report).to.include({ mode: "protectedOverflow", fallbackCause: "cut-key-unresolved" });
    expect(outcome.cut).to.equal(undefined);
  });
});

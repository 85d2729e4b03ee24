import { expect } from "chai";
import { ContextSelectionError } from "../../../lib/errors.ts";
import { type BranchBuilder, branch } from "../../support/branch-builder.ts";
import { caught } from "../../support/caught.ts";
import { deepFreeze } from "../../support/deep-freeze.ts";
import { PagingSession, piMessages, type RequestDraft } from "../../support/paging-session.ts";
import { exchanges, turns } from "../../support/talk.ts";

const session = () => new PagingSession({ budget: 1000, target: 500 });
const failure = (building: BranchBuilder, draft?: RequestDraft, paging = session()) =>
  caught(() => paging.request(building, draft), ContextSelectionError);

describe("BudgetPolicy: resident input", () => {
  it("alone above the budget is refused, with its own wording and code", () => {
    const error = failure(branch().user("u1"), { resident: 1001 });
    expect(error.code).to.equal("RESIDENT_INPUT_TOO_LARGE");
    expect(error.message).to.match(/^Resident input estimate of 1001 tokens exceeds .* 1000 tokens/);
    expect(error.message).to.contain("/context-paging off");
    expect(error.estimates).to.deep.equal({ residentTokens: 1001, requestTokens: 1001, budgetTokens: 1000 });
  });

  it("can be made smaller: the user is told to turn off tools, and what the user sends is not blamed", () => {
    const { message } = failure(branch().user("u1"), { resident: 1001 });
    expect(message).to.contain("turn off tools").and.contain("contextPaging.tokenBudget");
    expect(message).not.to.contain("shorter prompt");
  });

  it("at exactly the budget passes the check, and nothing more fits beside it", () => {
    expect(session().request(branch(), { resident: 1000 }).messages).to.equal(undefined);
    const error = failure(branch().user("u1"), { resident: 1000 });
    expect(error.message).to.match(/^Resident and retained request estimate of 1100 tokens/);
  });

  it("is told in whole tokens, though measured prices are fractions", () => {
    const error = failure(branch().user("u1"), { resident: 1000.25 });
    expect(error.message).to.match(/^Resident input estimate of 1001 tokens exceeds/);
    expect(error.estimates).to.include({ residentTokens: 1001, requestTokens: 1001 });
  });

  it("is checked before anything else of the request", () =>
    expect(failure(branch().result({ callId: "c9" }), { resident: 1001 }).code).to.equal(
      "RESIDENT_INPUT_TOO_LARGE",
    ));
});

describe("BudgetPolicy: the final check", () => {
  it("refuses an active request that does not fit, with its wording, code and estimates", () => {
    const error = failure(turns(branch(), 1, 2).user("u3 #1200"), { resident: 50 });
    expect(error.code).to.equal("ACTIVE_REQUEST_TOO_LARGE");
    expect(error.message).to.match(
      /^Resident and retained request estimate of 1270 tokens exceeds .* 1000 tokens/,
    );
    expect(error.message).to.contain("Nothing was sent").and.contain("/context-paging off");
    expect(error.estimates).to.deep.equal({ residentTokens: 50, requestTokens: 1270, budgetTokens: 1000 });
  });

  it("says what the user can do: a shorter prompt, a larger model or budget", () => {
    const { message } = failure(branch().user("u1 #1200"));
    expect(message).to.contain("shorter prompt").and.contain("contextPaging.tokenBudget");
  });

  it("counts no notice where nothing could be evicted", () =>
    expect(failure(branch().user("u1 #1001")).estimates.requestTokens).to.equal(1001));

  it("counts the notice: a request that fits only without it is refused", () => {
    const at = (price: number) => () => session().request(turns(branch(), 1, 1).user(`u2 #${price}`));
    expect(at(980)).not.to.throw();
    expect(at(981)).to.throw(ContextSelectionError, "Resident and retained request estimate of 1001 tokens");
  });

  it("refuses with the resident code where there is no active turn", () => {
    const building = exchanges(branch(), 1, 1, "#900").custom("x").user("steer #1200");
    const error = failure(building);
    expect(error.code).to.equal("RESIDENT_INPUT_TOO_LARGE");
    expect(error.message).to.match(/^Resident and retained request estimate/);
  });

  it("refuses a request and resident input above the budget, also where the input window is larger", () => {
    const error = failure(exchanges(branch().user("u1 #1200"), 1, 1), { inputWindow: 90_000 });
    expect(error.code).to.equal("ACTIVE_REQUEST_TOO_LARGE");
  });

  it("counts what the turn keeps beside its request: custom messages and steering", () => {
    const building = exchanges(branch().user("u1 #300").custom("x #300"), 1, 1).user("steer #500");
    expect(failure(building).code).to.equal("ACTIVE_REQUEST_TOO_LARGE");
  });
});

describe("BudgetPolicy: a failed selection", () => {
  const broken: Readonly<Record<string, (building: BranchBuilder) => BranchBuilder>> = {
    "too large an active request": (building) => building.user("u7 #5000"),
    "a broken structure": (building) => building.result({ callId: "c9" }),
  };
  for (const [what, breaks] of Object.entries(broken)) {
    it(`keeps the cut of the request before: ${what}`, () => {
      const paging = session();
      const building = turns(branch(), 1, 6);
      const { cut } = paging.request(building);
      failure(breaks(building), {}, paging);
      expect(paging.frontiers.prepare()).to.equal(cut);
    });

    it(`changes neither the messages nor the raw history: ${what}`, () => {
      const building = breaks(turns(branch(), 1, 6));
      const path = deepFreeze(building.path);
      expect(() => session().requestOf(deepFreeze(piMessages(path)), { path })).to.throw(
        ContextSelectionError,
      );
    });
  }

  it("checks the pairing also where a cut already excludes it, and outside what would stay", () => {
    const paging = session();
    const building = turns(exchanges(branch().user("u0"), 0, 0).assistant({ text: "done" }), 1, 6);
    expect(paging.request(building).report.mode).to.equal("paged");
    const error = failure(building, { change: (messages) => messages.toSpliced(2, 1) }, paging);
    expect(error.code).to.equal("INVALID_MESSAGE_STRUCTURE");
  });
});

describe("BudgetPolicy: a successful selection", () => {
  const scenes: Readonly<Record<string, [BranchBuilder, RequestDraft]>> = {
    paged: [exchanges(turns(branch(), 1, 6).user("u7"), 7, 8), {}],
    stateless: [turns(branch().bash("b #900", "out"), 1, 4), { target: 900 }],
    protectedOverflow: [exchanges(turns(branch(), 1, 2).user("u3"), 3, 3, "#1500"), {}],
    recovery: [exchanges(turns(branch(), 1, 2).user("u3"), 3, 3, "#1500"), { inputWindow: 1200 }],
  };
  for (const [mode, [building, draft]] of Object.entries(scenes)) {
    it(`changes neither the messages nor the raw history: ${mode}`, () => {
      const path = deepFreeze(building.path);
      const outcome = session().requestOf(deepFreeze(piMessages(path)), { path }, draft);
      expect(outcome.report.mode).to.equal(mode);
    });
  }
});

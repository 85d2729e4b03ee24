import { expect } from "chai";
import { branch } from "../../support/branch-builder.ts";
import {
  NOTICE_TOKENS,
  PagingSession,
  REFERENCE_TOKENS,
  type RequestDraft,
} from "../../support/paging-session.ts";
import { exchanges, turns } from "../../support/talk.ts";

const outcomeOf = (building: ReturnType<typeof branch>, draft?: RequestDraft) =>
  new PagingSession({ budget: 1000, target: 500 }).request(building, draft);

/** Two turns, then unread results: their messages are at 4, 5 and 6. */
const scene = (mark = "") => exchanges(turns(branch(), 1, 2).user("u3"), 3, 3, mark);

describe("BudgetPolicy: what it tells of the request that goes out", () => {
  it("everything was carried and nothing added where nothing has left", () =>
    expect(outcomeOf(scene())).to.deep.include({ carried: [0, 1, 2, 3, 4, 5, 6], addedTokens: 0 }));

  it("an interrupted response was not carried", () => {
    const building = turns(branch(), 1, 1).user("u2").assistant({ text: "a2", stopReason: "aborted" });
    expect(outcomeOf(building).carried).to.deep.equal([0, 1, 2]);
  });

  it("what stays was carried as it is, and the notice that is sent was added", () => {
    const { carried, addedTokens } = outcomeOf(scene("#700"));
    expect(carried).to.deep.equal([4, 5, 6]);
    expect(addedTokens).to.equal(NOTICE_TOKENS);
  });

  it("an overflow carried its results", () => {
    const { carried, addedTokens } = outcomeOf(scene("#1500"));
    expect(carried).to.deep.equal([4, 5, 6]);
    expect(addedTokens).to.equal(NOTICE_TOKENS);
  });

  it("a result that a reference stands for was not carried: the reference was added", () => {
    const { carried, addedTokens } = outcomeOf(scene("#1500"), { inputWindow: 1200 });
    expect(carried).to.deep.equal([4, 5]);
    expect(addedTokens).to.equal(NOTICE_TOKENS + REFERENCE_TOKENS);
  });

  it("what is protected counts with the unread results, as they go out, without resident input and notice", () => {
    const protectedTokens = (mark: string, draft?: RequestDraft) =>
      outcomeOf(scene(mark), { resident: 50, ...draft }).report.protectedTokens;
    expect(protectedTokens("#100"), "whole").to.equal(300);
    expect(protectedTokens("#400"), "paged").to.equal(600);
    expect(protectedTokens("#1500"), "protectedOverflow").to.equal(1700);
    expect(protectedTokens("#1500", { inputWindow: 1200 }), "recovery").to.equal(200 + REFERENCE_TOKENS);
  });
});

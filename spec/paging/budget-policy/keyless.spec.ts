import { expect } from "chai";
import type { AgentMessage } from "../../../lib/messages.ts";
import { type BranchBuilder, branch } from "../../support/branch-builder.ts";
import { labelOf } from "../../support/labels.ts";
import { PagingSession, priceOf, sentBy } from "../../support/paging-session.ts";
import { turns } from "../../support/talk.ts";

/** A turn that the raw history has no key for: a custom message whose run failed. */
const keyless = (building: BranchBuilder, text: string) =>
  building.custom(text).assistant({ text: "failed", stopReason: "error" });

/** Three keyed turns, a keyless one, two keyed turns: 1100 tokens; eviction ends at the keyless one. */
const scene = () => turns(keyless(turns(branch(), 1, 3), "job"), 4, 5);
const session = () => new PagingSession({ budget: 1000, target: 430 });

describe("BudgetPolicy: a boundary at a keyless unit", () => {
  it("moves back to the last excluded keyed unit; the keyless unit behind it stays", () => {
    const outcome = session().request(scene());
    expect(sentBy(outcome, scene())).to.equal("notice job u4 a4 u5 a5");
    expect(outcome.cut?.frontier).to.deep.equal({ historyId: "00000005", toolCallIds: [], extent: "unit" });
    expect(outcome.report).to.include({ mode: "paged", fallbackCause: undefined, unitsRemoved: 3 });
  });

  it("keeps all keyless units behind the boundary", () => {
    const building = turns(keyless(keyless(turns(branch(), 1, 3), "one"), "two"), 4, 5);
    expect(session().sent(building)).to.equal("notice one two u4 a4 u5 a5");
  });

  it("does not move where the unit has a key", () =>
    expect(session().sent(scene(), { target: 560 })).to.equal("notice job u4 a4 u5 a5"));

  it("never moves forward to find a later key", () => {
    const building = turns(keyless(turns(branch(), 1, 2), "job #600"), 3, 4);
    const outcome = session().request(building, { budget: 1100, target: 500 });
    expect(sentBy(outcome, building)).to.equal("notice job u3 a3 u4 a4");
  });

  it("stays there above the target, as long as the request is within the budget", () => {
    const paging = session();
    const building = scene();
    const { cut } = paging.request(building);
    const next = paging.request(turns(building, 6, 7));
    expect(next.report).to.include({ tokensAfter: 920, movement: "none" });
    expect(next.cut).to.equal(cut);
  });

  it("lets the retained keyless units leave first at the next advance", () => {
    const paging = session();
    const building = scene();
    paging.request(building);
    expect(paging.sent(turns(building, 6, 8), { target: 850 })).to.equal("notice u5 a5 u6 a6 u7 a7 u8 a8");
  });

  it("counts the notice of the snapped request: at the budget it is sent, one token above it is not", () => {
    const at = (price: number) => {
      const building = keyless(turns(branch(), 1, 1), `job #${price}`).user("u2 #200");
      return session().request(building);
    };
    expect(at(780).report).to.include({ mode: "paged", tokensAfter: 1000, fallbackCause: undefined });
    expect(at(781).report).to.include({ mode: "stateless", fallbackCause: "keyless-snap-over-budget" });
  });

  it("counts measured prices of the snapped request, resident input included", () => {
    const building = keyless(turns(branch(), 1, 1), "job #620").user("u2 #150");
    // Measured: a tenth above the local estimates. 847 and the notice are within the budget, 134 resident no longer.
    const price = (message: AgentMessage) => priceOf(message) * (labelOf(message) === "notice" ? 1 : 1.1);
    const at = (resident: number) => session().request(building, { price, resident }).report;
    expect(at(133)).to.include({ mode: "paged", tokensAfter: 1000, fallbackCause: undefined });
    expect(at(134)).to.include({ mode: "stateless", fallbackCause: "keyless-snap-over-budget" });
  });

  it("never comes back behind a committed cut, and needs the fallback where the remembered cut is over the budget", () => {
    const paging = session();
    const building = keyless(turns(branch(), 1, 5), "job #400");
    paging.request(building, { budget: 1300, target: 450 });
    expect(paging.sent(building, { budget: 1300, target: 450 })).to.equal("notice job");
    const outcome = paging.request(building.user("u6 #600"), { budget: 1000, target: 900 });
    expect(outcome.report).to.include({ fallbackCause: "keyless-snap-over-budget", mode: "stateless" });
    expect(sentBy(outcome, building)).to.equal("notice u6");
  });

  it("applies to the summaries and runs before the first turn", () => {
    const building = branch().assistant({ text: "a0" }).bash("b", "out").branchSummary("s", "x");
    const outcome = session().request(turns(building, 1, 3).user("u4 #200"), { target: 900, budget: 1050 });
    expect(sentBy(outcome, building)).to.equal("notice b s u1 a1 u2 a2 u3 a3 u4");
    expect(outcome.cut?.frontier.historyId).to.equal("00000001");
  });
});

import { expect } from "chai";
import type { AgentMessage } from "../../lib/messages.ts";
import { BudgetPolicy } from "../../lib/paging/budget-policy.ts";
import type { CarriedItems } from "../../lib/paging/carried-items.ts";
import { requestLimits } from "../../lib/paging/limits.ts";
import { Provenance } from "../../lib/paging/provenance.ts";
import { FifoEviction } from "../../lib/strategies/eviction/fifo-eviction.ts";
import { StatelessFifoFallback } from "../../lib/strategies/fallback/stateless-fifo-fallback.ts";
import { KeyedBoundarySnap } from "../../lib/strategies/snap/keyed-boundary-snap.ts";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { itemsOf, projectionOf } from "../support/history.ts";
import { prose } from "../support/prose.ts";

const estimator = new TokenEstimator();
const priceOf = (message: AgentMessage) => estimator.message(message).tokens;

/** Selects a request of these messages while only the first `stored` entries are stored. */
function carriedBy(
  building: BranchBuilder,
  {
    tokenBudget,
    window,
    stored = building.entries.length,
  }: { tokenBudget: number; window?: number; stored?: number },
): CarriedItems {
  const messages = building.messages;
  const projection = projectionOf(building.entries.slice(0, stored));
  const branchLag = stored < building.entries.length ? "tail" : "none";
  const policy = new BudgetPolicy({
    eviction: new FifoEviction(),
    snap: new KeyedBoundarySnap(),
    fallback: new StatelessFifoFallback(),
  });
  const limits = { tokenBudget, trimToTokens: Math.floor(tokenBudget / 2), explicitTarget: false };
  return policy.select({
    messages,
    provenance: Provenance.trace(messages, projection.session.messages, branchLag),
    history: projection,
    branchLag,
    residentTokens: 0,
    messageTokens: messages.map(priceOf),
    priceOf,
    limits: requestLimits(limits, window === undefined ? undefined : { contextWindow: window, maxTokens: 1 }),
    cut: undefined,
    now: 0,
  }).carriedItems;
}

const reading = (text: string) => (building: BranchBuilder) =>
  building.turn("read", [{ name: "read" }], text);

describe("CarriedItems", () => {
  it("an unchanged request carries every item", () => {
    const building = reading("x")(branch());
    const carried = carriedBy(building, { tokenBudget: 10_000 });
    expect(itemsOf(building.entries).map((item) => carried.carries(item))).to.deep.equal([true, true, true]);
  });

  it("what was evicted is not carried", () => {
    const building = reading("x")(reading(prose(1, 8_000))(branch()));
    const carried = carriedBy(building, { tokenBudget: 2_000 });
    const flags = itemsOf(building.entries).map((item) => carried.carries(item));
    expect(flags).to.deep.equal([false, false, false, true, true, true]);
  });

  it("conversation that the host had not stored yet is carried once it is", () => {
    const building = reading("x")(branch()).user("newest");
    const carried = carriedBy(building, { tokenBudget: 10_000, stored: building.entries.length - 1 });
    expect(itemsOf(building.entries).map((item) => carried.carries(item))).to.deep.equal([
      true,
      true,
      true,
      true,
    ]);
  });

  it("what the session stores after the request went out is not carried", () => {
    const building = reading("x")(branch()).user("newest");
    const stored = building.entries.length - 1;
    const carried = carriedBy(building, { tokenBudget: 10_000, stored });
    const items = itemsOf(building.assistant({ text: "answer" }).user("later").entries);
    expect(items.slice(-3).map((item) => carried.carries(item))).to.deep.equal([true, false, false]);
  });

  it("an exchange whose results were replaced by references is not carried", () => {
    const building = branch()
      .user("read")
      .assistant({ calls: [{ name: "read" }] })
      .results(prose(1, 40_000));
    const carried = carriedBy(building, { tokenBudget: 2_000, window: 4_000 });
    expect(itemsOf(building.entries).map((item) => carried.carries(item))).to.deep.equal([true, false]);
  });
});

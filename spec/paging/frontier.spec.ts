import { expect } from "chai";
import { type Frontier, isInHistory } from "../../lib/paging/frontier.ts";
import { BranchProjection } from "../../lib/session/branch-projection.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";

const calls = [
  { name: "read", id: "c1" },
  { name: "read", id: "c2" },
];
const talk = () => branch().user("u").assistant({ calls }).results().custom("x");

function isFound(building: BranchBuilder, frontier: Partial<Frontier>): boolean {
  const projection = new BranchProjection();
  projection.update(building.path);
  return isInHistory({ historyId: "", toolCallIds: [], extent: "unit", ...frontier }, projection);
}

describe("isInHistory", () => {
  it("finds a user item by its id", () => expect(isFound(talk(), { historyId: "00000001" })).to.equal(true));

  it("finds a model turn by its id and its call ids in order", () => {
    const historyId = "00000002";
    expect(isFound(talk(), { historyId, toolCallIds: ["c1", "c2"] })).to.equal(true);
    expect(isFound(talk(), { historyId, toolCallIds: ["c2", "c1"] })).to.equal(false);
    expect(isFound(talk(), { historyId, toolCallIds: ["c1"] })).to.equal(false);
    expect(isFound(talk(), { historyId, toolCallIds: ["c1", "c2", "c3"] })).to.equal(false);
    expect(isFound(talk(), { historyId })).to.equal(false);
  });

  it("does not find an id that is not there, or that entries share", () => {
    expect(isFound(talk(), { historyId: "gone" })).to.equal(false);
    const { path } = talk();
    const [first] = path;
    const projection = new BranchProjection();
    projection.update([...path, ...(first ? [first] : [])]);
    expect(isInHistory({ historyId: "00000001", toolCallIds: [], extent: "unit" }, projection)).to.equal(
      false,
    );
  });

  it("never takes a context item as a key", () =>
    expect(isFound(talk(), { historyId: "00000005" })).to.equal(false));
});

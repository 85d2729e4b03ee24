import { expect } from "chai";
import { branch } from "../support/branch-builder.ts";
import { PagingSession, type RequestDraft } from "../support/paging-session.ts";
import { exchanges, turns } from "../support/talk.ts";

/** Ids of the items that a request carried. */
function carried(building: ReturnType<typeof branch>, draft: RequestDraft = {}): string {
  const paging = new PagingSession({ budget: 1000, target: 500 });
  const { carriedItems } = paging.request(building, draft);
  paging.projection.update(building.path);
  const items = paging.projection.items.filter((item) => carriedItems.carries(item));
  return items.map(({ historyId }) => Number.parseInt(historyId, 16)).join(" ");
}

describe("CarriedItems", () => {
  it("are all items while the whole request is sent", () =>
    expect(carried(exchanges(branch().user("u1"), 1, 1).custom("x"))).to.equal("1 2 4"));

  it("are those that a cut leaves", () => expect(carried(turns(branch(), 1, 6))).to.equal("9 10 11 12"));

  it("are not the interrupted responses", () =>
    expect(carried(branch().user("u1").assistant({ text: "x", stopReason: "error" }).user("u2"))).to.equal(
      "1 3",
    ));

  it("are not an exchange whose results are replaced by references", () => {
    const building = exchanges(branch().user("u1"), 1, 1, "#1500");
    expect(carried(building)).to.equal("1 2");
    expect(carried(building, { inputWindow: 1200 })).to.equal("1");
  });

  it("are also what the host had not stored when it asked", () =>
    expect(carried(exchanges(branch().user("u1"), 1, 1), { unstored: 2, branchLag: "tail" })).to.equal(
      "1 2",
    ));
});

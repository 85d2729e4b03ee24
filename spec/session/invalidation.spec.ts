import { expect } from "chai";
import { invalidationBy } from "../../lib/session/invalidation.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { deepFreeze } from "../support/deep-freeze.ts";

const calls = [{ name: "read" }, { name: "read" }];

/** What the newest entry of a branch invalidates. */
function ofNewest({ path }: BranchBuilder): string {
  const entry = path.at(-1);
  if (!entry) throw new Error("the branch is empty");
  return invalidationBy(entry, path);
}

/** A branch whose newest entry hides the newest entry of the given one. */
const hiding = (building: BranchBuilder) => building.contextEdit(building.leafId);

describe("invalidationBy", () => {
  it("ends the cut at a compaction", () =>
    expect(ofNewest(branch().user("u").compaction("sum", "00000001"))).to.equal("cut"));

  it("ends nothing at entries that only append", () => {
    const building = branch();
    for (const next of [
      building.user("u"),
      building.assistant({ calls }),
      building.results(),
      building.custom("x"),
      building.state("s", {}),
      building.model("p", "m"),
      building.branchSummary("left", "x"),
    ]) {
      expect(ofNewest(next)).to.equal("none");
    }
  });

  it("ends the cut at a context edit that replaces content", () => {
    const building = branch().user("u").assistant({ text: "", stopReason: "error" });
    expect(ofNewest(building.contextEdit(building.leafId, "better"))).to.equal("cut");
  });

  it("ends the cut at a context edit that hides anything that was sent", () => {
    expect(ofNewest(hiding(branch().user("u")))).to.equal("cut");
    expect(ofNewest(hiding(branch().user("u").assistant({ text: "a" })))).to.equal("cut");
    expect(ofNewest(hiding(branch().user("u").assistant({ calls }).results()))).to.equal("cut");
    expect(ofNewest(hiding(branch().user("u").custom("x")))).to.equal("cut");
  });

  it("ends the cut at an edit of a user message behind a failed response", () => {
    const building = branch().user("u").assistant({ text: "", stopReason: "error" }).user("u2");
    expect(ofNewest(hiding(building))).to.equal("cut");
  });

  it("ends the cut at an edit of an entry that the branch does not hold", () =>
    expect(ofNewest(branch().user("u").contextEdit("nowhere"))).to.equal("cut"));

  for (const stopReason of ["aborted", "error"] as const) {
    it(`ends only what was measured at Pi's retry edit of a response that ended as ${stopReason}`, () => {
      const building = branch().user("u").assistant({ calls, stopReason });
      expect(ofNewest(hiding(building))).to.equal("accounting");
    });

    it(`ends only what was measured at Pi's retry edit of the results of a response that ended as ${stopReason}`, () => {
      const building = branch().user("u").assistant({ calls, stopReason }).results();
      expect(ofNewest(hiding(building))).to.equal("accounting");
      const between = branch()
        .user("u")
        .assistant({ calls, stopReason })
        .result("r")
        .state("s", {})
        .result("r2");
      expect(ofNewest(hiding(between))).to.equal("accounting");
    });
  }

  it("goes by the entry that is edited, not by what the branch holds besides", () => {
    const failed = branch().assistant({ text: "a" }).user("u").assistant({ text: "", stopReason: "error" });
    const { leafId } = failed;
    expect(ofNewest(failed.user("u2").assistant({ text: "a2" }).contextEdit(leafId))).to.equal("accounting");
    expect(ofNewest(failed.contextEdit("00000001"))).to.equal("cut");
  });

  it("changes nothing on the branch", () => {
    const { path } = hiding(branch().user("u").assistant({ text: "a" }));
    deepFreeze(path);
    expect(() => path.map((entry) => invalidationBy(entry, path))).not.to.throw();
  });

  it("ends the cut at an edit of results whose response is not on the branch", () =>
    expect(ofNewest(hiding(branch().result({ callId: "c9" })))).to.equal("cut"));
});

import { expect } from "chai";
import { lastResponse } from "../../lib/session/last-response.ts";
import { branch } from "../support/branch-builder.ts";

describe("lastResponse", () => {
  it("is the newest response, whatever follows it", () => {
    const building = branch().assistant({ text: "old" }).assistant({ text: "new" }).user("u").custom("x");
    expect(lastResponse(building.path)).to.deep.equal({ message: building.messages[1], isHidden: false });
  });

  it("is none on a branch without a response", () =>
    expect(lastResponse(branch().user("u").path)).to.equal(undefined));

  it("is hidden when a context edit withholds it", () => {
    const building = branch().user("u").assistant({ text: "a" });
    expect(lastResponse(building.contextEdit(building.leafId).path)?.isHidden).to.equal(true);
  });

  it("stays hidden, whatever comes after the edit", () => {
    const building = branch().user("u").assistant({ text: "a" });
    building.contextEdit(building.leafId).user("u2").contextEdit("00000001", "edited");
    expect(lastResponse(building.path)?.isHidden).to.equal(true);
    building.entry({ type: "label", targetId: "00000002", label: "a bookmark of it" });
    expect(lastResponse(building.path)?.isHidden).to.equal(true);
  });

  it("is not hidden by an edit that replaces its content, or by one of another entry", () => {
    const building = branch().user("u").assistant({ text: "a" });
    const { leafId } = building;
    building.contextEdit("00000001").contextEdit(leafId, "b");
    expect(lastResponse(building.path)?.isHidden).to.equal(false);
    expect(lastResponse(building.contextEdit("00000001").path)?.isHidden).to.equal(false);
  });

  it("follows the latest of several edits", () => {
    const building = branch().user("u").assistant({ text: "a" });
    const { leafId } = building;
    expect(lastResponse(building.contextEdit(leafId).contextEdit(leafId, "b").path)?.isHidden).to.equal(
      false,
    );
  });
});

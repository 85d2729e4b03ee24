import { expect } from "chai";
import sinon from "sinon";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import { branch } from "../support/branch-builder.ts";
import { PagingScene } from "../support/paging-scene.ts";

describe("ContextPagingExtension: the start of a session", () => {
  afterEach(() => sinon.restore());

  it("estimates the stored history, so that the first request need not", async () => {
    const asked = sinon.spy(TokenEstimator.prototype, "message");
    const scene = await PagingScene.resumed(branch().user("go").assistant({ text: "done" }).user("on"));
    expect(asked.callCount).to.equal(3);
    await scene.request();
    expect(asked.callCount).to.equal(3);
  });

  it("reads no history while paging is off", async () => {
    const asked = sinon.spy(TokenEstimator.prototype, "message");
    await PagingScene.resumed(branch().user("go").assistant({ text: "done" }), {
      paging: { enabled: false },
    });
    expect(asked.callCount).to.equal(0);
  });
});

import { expect } from "chai";
import { RefusedRequest } from "../../lib/paging/refused-request.ts";

describe("RefusedRequest", () => {
  it("remembers the refused estimate until the next request is selected", () => {
    const refused = new RefusedRequest();
    expect(refused.tokens).to.equal(undefined);
    refused.refuse(900);
    expect(refused.tokens).to.equal(900);
    refused.settle();
    expect(refused.tokens).to.equal(undefined);
  });

  it("lets a run go on by itself once, and a new prompt again", () => {
    const refused = new RefusedRequest();
    expect(refused.isContinued).to.equal(false);
    refused.continue();
    refused.settle();
    expect(refused.isContinued).to.equal(true);
    refused.beginRun();
    expect(refused.isContinued).to.equal(false);
  });
});

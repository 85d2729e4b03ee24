import { expect } from "chai";
import { ContextSelectionError } from "../../lib/errors.ts";
import type { AgentMessage } from "../../lib/messages.ts";
import { checkMessages } from "../../lib/paging/request-messages.ts";
import { branch } from "../support/branch-builder.ts";
import { caught } from "../support/caught.ts";
import { piMessages } from "../support/paging-session.ts";

const whole = piMessages(branch().turn("u1", [{ name: "read" }], "r1").path);

function refusal(messages: readonly unknown[]): string {
  const error = caught(() => checkMessages(messages as AgentMessage[]), ContextSelectionError);
  expect(error.code).to.equal("INVALID_MESSAGE_STRUCTURE");
  return error.message;
}

describe("checkMessages", () => {
  it("takes what Pi asks for", () => {
    expect(() => checkMessages(whole)).not.to.throw();
  });

  it("refuses a request that another extension has emptied", () => {
    expect(refusal([])).to.contain("no messages");
  });

  it("refuses what is no message, and says where it stands", () => {
    for (const odd of [null, undefined, {}, 7, "text"]) {
      expect(refusal([...whole, odd])).to.contain(`position ${whole.length}`);
      expect(refusal([odd, ...whole])).to.contain("position 0");
    }
  });
});

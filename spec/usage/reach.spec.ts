import { expect } from "chai";
import { callIds } from "../../lib/session/tool-calls.ts";
import { Reach } from "../../lib/usage/reach.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { labelOf } from "../support/labels.ts";

const calls = [{ name: "read" }, { name: "bash" }];
const exchange = (building: BranchBuilder, n: number) =>
  building.assistant({ text: `a${n}`, calls }).results(`r${n}`);

/** Labels of the messages beyond reach, oldest first. Each message costs 100 tokens. */
function beyond({ messages }: BranchBuilder, tokens: number): string {
  const reach = new Reach(tokens);
  const out: string[] = [];
  for (const message of messages.toReversed()) {
    if (reach.isBeyond(message)) out.unshift(labelOf(message));
    reach.pass(message, 100, message.role === "assistant" ? callIds(message).length : 0);
  }
  return out.join(" ");
}

describe("Reach", () => {
  const talk = () => exchange(exchange(branch().user("u1"), 1).user("u2"), 2).user("u3");

  it("ends where the newer messages exceed what a request holds, and not at exactly that", () => {
    expect(beyond(exchange(branch().assistant({ text: "a0" }), 1), 300)).to.equal("");
    expect(beyond(exchange(branch().assistant({ text: "a0" }), 1), 299)).to.equal("a0");
  });

  it("counts what stands between the exchanges", () =>
    expect([500, 499].map((tokens) => beyond(talk(), tokens))).to.deep.equal(["", "a1 r1 r1"]));

  it("always takes in the newest exchange and every message that is no response and no result", () => {
    const building = talk().custom("x").bash("b", "out");
    expect(beyond(building, 1)).to.equal("a1 r1 r1");
  });

  it("takes in the newest exchange behind responses that were interrupted, too", () => {
    const building = exchange(branch().user("u1"), 1)
      .user("u2")
      .assistant({ text: "a2", stopReason: "aborted" });
    expect(beyond(building, 1)).to.equal("");
  });

  it("takes in the newest exchange also where its results are more than a request holds", () =>
    expect(beyond(exchange(branch().user("u1"), 1), 1)).to.equal(""));

  for (const [what, building] of [
    [
      "that was aborted",
      () => branch().assistant({ text: "a1" }).assistant({ stopReason: "aborted", calls }),
    ],
    ["that failed", () => branch().assistant({ text: "a1" }).assistant({ stopReason: "error", text: "x" })],
    ["without all its results", () => branch().assistant({ text: "a1" }).assistant({ calls })],
  ] as const)
    it(`gives no room to an exchange ${what}`, () => {
      expect(beyond(building().result("r"), 1)).to.equal("");
      expect(beyond(building().result("r").user("u").assistant({ text: "a2" }), 200)).to.equal("");
    });
});

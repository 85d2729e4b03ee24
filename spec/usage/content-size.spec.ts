import { expect } from "chai";
import type { AgentMessage } from "../../lib/messages.ts";
import { contentSize } from "../../lib/usage/content-size.ts";

const size = (message: object) => contentSize(message as AgentMessage);

describe("contentSize", () => {
  it("tells a changed content of any role by its length", () => {
    const pairs = [
      [
        { role: "user", content: "abc" },
        { role: "user", content: "abcd" },
      ],
      [
        { role: "user", content: [] },
        { role: "user", content: [{ type: "text", text: "" }] },
      ],
      [
        { role: "toolResult", content: [{ type: "text", text: "a" }] },
        { role: "toolResult", content: [{ type: "text", text: "ab" }] },
      ],
      [
        { role: "assistant", content: [{ type: "toolCall", arguments: { path: "a" } }] },
        { role: "assistant", content: [{ type: "toolCall", arguments: { path: "ab" } }] },
      ],
      [
        { role: "bashExecution", command: "a", output: "b" },
        { role: "bashExecution", command: "a", output: "bc" },
      ],
      [
        { role: "bashExecution", command: "a", output: "b" },
        { role: "bashExecution", command: "ac", output: "b" },
      ],
      [
        { role: "branchSummary", summary: "a" },
        { role: "branchSummary", summary: "ab" },
      ],
      [
        { role: "compactionSummary", summary: "a" },
        { role: "compactionSummary", summary: "ab" },
      ],
    ] as const;
    for (const [one, two] of pairs) {
      expect(size(one)).to.equal(size(structuredClone(one)));
      expect(size(one)).to.not.equal(size(two));
    }
  });

  it("takes content of any kind (D11)", () => {
    for (const content of [undefined, null, 5, [null], [{}], {}])
      expect(size({ role: "user", content })).to.be.below(4);
  });
});

import { expect } from "chai";
import type { AgentMessage } from "../../lib/messages.ts";
import { contentSize } from "../../lib/usage/content-size.ts";
import { branch } from "../support/branch-builder.ts";
import { deepFreeze } from "../support/deep-freeze.ts";

const sizes = (messages: readonly AgentMessage[]) => messages.map(contentSize);
const blocks = (...content: unknown[]) =>
  contentSize({ role: "toolResult", content, timestamp: 0 } as unknown as AgentMessage);

describe("contentSize", () => {
  it("changes with the length of any text a message holds", () => {
    const of = (text: string) =>
      branch()
        .user(text)
        .assistant({
          text,
          thinking: text,
          calls: [{ name: "read", id: "c", args: { path: { deep: [text] } } }],
        })
        .result(text)
        .bash(text, text).messages;
    const short = sizes(of("abc"));
    sizes(of("abcd")).forEach((size, index) => {
      expect(size).to.be.greaterThan(short[index] ?? 0);
    });
    expect(sizes(of("xyz"))).to.deep.equal(short);
  });

  it("changes with every single text, name and argument of a response, however deep", () => {
    const response = { thinking: "abc", text: "abc", name: "abc", deep: "abc", listed: "abc" };
    const sizeOf = ({ thinking, text, name, deep, listed }: typeof response) =>
      contentSize(
        branch().assistant({
          thinking,
          text,
          calls: [{ name, id: "c", args: { a: { deep }, b: [[listed]] } }],
        }).messages[0] as AgentMessage,
      );
    for (const field of Object.keys(response))
      expect(sizeOf({ ...response, [field]: "abcd" }), field).to.equal(sizeOf(response) + 1);
  });

  it("changes when an argument is added or removed", () => {
    const call = (args: unknown) => blocks({ type: "toolCall", id: "c", name: "read", arguments: args });
    expect(call({ a: 1, b: true })).to.be.greaterThan(call({ a: 1 }));
    expect(call([[], null])).to.be.greaterThan(call([[]]));
  });

  it("changes when a block is added or removed", () => {
    expect(blocks({ type: "text", text: "" })).to.be.greaterThan(blocks());
    expect(blocks(1, null)).to.be.greaterThan(blocks(1));
  });

  it("measures summaries, custom messages and runs", () => {
    const summary = (role: string, text: string) =>
      contentSize({ role, summary: text, timestamp: 0 } as unknown as AgentMessage);
    expect(summary("branchSummary", "abcd") - summary("branchSummary", "abc")).to.equal(1);
    expect(summary("compactionSummary", "abcd") - summary("compactionSummary", "abc")).to.equal(1);
  });

  it("takes content that is missing or damaged", () => {
    for (const content of [undefined, null, 7, [null], [{}], [{ type: "text" }]])
      expect(contentSize({ role: "user", content, timestamp: 0 } as unknown as AgentMessage)).to.be.at.least(
        1,
      );
  });

  it("changes nothing", () =>
    expect(() => sizes(deepFreeze(branch().user([{ type: "text", text: "a" }]).messages))).not.to.throw());
});

import { expect } from "chai";
import { isExtensionOf, type WireBody, type WireMessage, withoutCacheMarks } from "./wire.ts";

const MARK = { cache_control: { type: "ephemeral" } };

describe("isExtensionOf", () => {
  const base = body([user("one"), assistant("two")]);

  it("takes the same list, and more at its end", () => {
    expect(isExtensionOf(base, base)).to.equal(true);
    expect(isExtensionOf(base, body([...base.messages, user("three")]))).to.equal(true);
  });

  it("sees through cache marks and the block that carries one", () => {
    const marked = { role: "user", content: [{ type: "text", text: "three", ...MARK }] };
    const before = body([...base.messages, marked]);
    const after = body([...base.messages, user("three"), assistant("four")]);
    expect(isExtensionOf(before, after)).to.equal(true);
    expect(withoutCacheMarks({ tools: [{ name: "read", ...MARK }] })).to.deep.equal({
      tools: [{ name: "read" }],
    });
  });

  it("refuses a changed, missing or inserted message, another prompt, other tools", () => {
    const others: WireBody[] = [
      body([user("one!"), assistant("two")]),
      body([user("one")]),
      body([user("zero"), user("one"), assistant("two")]),
      { ...base, system: "another" },
      { ...base, tools: [{ name: "read" }] },
      body([{ role: "system", content: "another" }, ...base.messages]),
    ];
    for (const other of others) expect(isExtensionOf(base, other), JSON.stringify(other)).to.equal(false);
  });
});

function body(messages: readonly WireMessage[]): WireBody {
  return { model: "m", messages };
}

function user(content: string): WireMessage {
  return { role: "user", content };
}

function assistant(content: string): WireMessage {
  return { role: "assistant", content };
}

import { expect } from "chai";
import { violations } from "./provider-rules.ts";
import type { WireBlock, WireBody, WireMessage } from "./wire.ts";

describe("provider rules", () => {
  describe("Anthropic Messages", () => {
    it("accepts parallel calls whose results stand first in the next user message", () => {
      const messages = [user("hi"), uses("a", "b"), results("a", "b", text("and now?")), says("done")];
      expect(check(messages)).to.deep.equal([]);
    });

    const broken: [string, WireMessage[], RegExp][] = [
      ["an assistant in front", [says("hi")], /first message/],
      ["a call without a result", [user("hi"), uses("a", "b"), results("a")], /no result for call b/],
      ["a call at the end", [user("hi"), uses("a")], /no result for call a/],
      ["a message between", [user("hi"), uses("a"), user("wait"), results("a")], /no result for call a/],
      ["a result without its call", [user("hi"), results("a")], /result a has no call/],
      ["a repeated result", [user("hi"), uses("a"), results("a", "a")], /more than one result/],
      ["a repeated call id", [user("hi"), uses("a", "a"), results("a")], /unique/],
      ["results behind text", [user("hi"), uses("a"), blocks("user", text("so"), result("a"))], /first/],
      ["an empty content", [user("hi"), blocks("assistant")], /content is empty/],
      ["a blank text", [user("hi"), says("done"), user(" \n")], /text is empty/],
    ];
    for (const [name, messages, rule] of broken) {
      it(`refuses ${name}`, () => expect(check(messages).join("\n")).to.match(rule));
    }

    function check(messages: readonly WireMessage[]): string[] {
      return violations("anthropic-messages", body(messages));
    }
  });

  describe("OpenAI Chat Completions", () => {
    it("accepts parallel calls whose tool messages follow at once", () => {
      const messages = [system(), user("hi"), calls("a", "b"), tool("b"), tool("a"), says("done")];
      expect(check(messages)).to.deep.equal([]);
    });

    it("takes ids that come back in a later turn", () => {
      expect(check([user("hi"), calls("a"), tool("a"), calls("a"), tool("a")])).to.deep.equal([]);
    });

    const broken: [string, WireMessage[], RegExp][] = [
      [
        "a call without a result",
        [user("hi"), calls("a", "b"), tool("a"), says("so")],
        /no result for call b/,
      ],
      ["a call at the end", [user("hi"), calls("a")], /no result for call a/],
      ["a message between", [user("hi"), calls("a"), user("wait"), tool("a")], /no result for call a/],
      ["a result without its call", [user("hi"), tool("a")], /result a has no call/],
      ["a repeated result", [user("hi"), calls("a"), tool("a"), tool("a")], /more than one result/],
      ["an empty content", [user("")], /content is empty/],
      ["nothing at all", [system()], /list is empty/],
    ];
    for (const [name, messages, rule] of broken) {
      it(`refuses ${name}`, () => expect(check(messages).join("\n")).to.match(rule));
    }

    function check(messages: readonly WireMessage[]): string[] {
      return violations("openai-completions", body(messages));
    }
  });
});

function body(messages: readonly WireMessage[]): WireBody {
  return { model: "m", messages };
}

function blocks(role: string, ...content: WireBlock[]): WireMessage {
  return { role, content };
}

function text(value: string): WireBlock {
  return { type: "text", text: value };
}

function result(id: string): WireBlock {
  return { type: "tool_result", tool_use_id: id, content: "ok" };
}

function user(content: string): WireMessage {
  return { role: "user", content };
}

function says(content: string): WireMessage {
  return { role: "assistant", content };
}

function system(): WireMessage {
  return { role: "system", content: "prompt" };
}

function uses(...ids: string[]): WireMessage {
  return blocks("assistant", ...ids.map((id) => ({ type: "tool_use", id, name: "read", input: {} })));
}

function results(...items: (string | WireBlock)[]): WireMessage {
  return blocks("user", ...items.map((item) => (typeof item === "string" ? result(item) : item)));
}

function calls(...ids: string[]): WireMessage {
  return {
    role: "assistant",
    content: null,
    tool_calls: ids.map((id) => ({ id, function: { name: "read", arguments: "{}" } })),
  };
}

function tool(id: string): WireMessage {
  return { role: "tool", content: "ok", tool_call_id: id };
}

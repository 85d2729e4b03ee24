import { expect } from "chai";
import fc from "fast-check";
import type { AgentMessage } from "../../lib/messages.ts";
import { IMAGE_TOKENS, TokenEstimator } from "../../lib/usage/token-estimator.ts";

const estimator = new TokenEstimator();
const text = (value: string) => estimator.text(value);

/** Any object as a message: stored sessions hold more than the types allow. */
const message = (fields: Record<string, unknown>) =>
  estimator.message(JSON.parse(JSON.stringify(fields)) as AgentMessage);
const user = (content: unknown) => message({ role: "user", content });
const assistant = (...content: unknown[]) => message({ role: "assistant", content });
const only = (tokens: number) => ({ tokens, thinkingTokens: 0 });

describe("TokenEstimator.text", () => {
  it("counts letters and white space as Pi does: characters / 4, rounded up once", () => {
    expect(text("")).to.equal(0);
    expect(text("a")).to.equal(1);
    expect(text("four")).to.equal(1);
    expect(text("fives")).to.equal(2);
    expect(text("Plain words\non two lines\t")).to.equal(Math.ceil(25 / 4));
  });

  it("counts digits and punctuation at one token per two characters", () => {
    expect(text("1234567890")).to.equal(5);
    expect(text("(){};:,.<>")).to.equal(5);
    expect(text("2025-12-09")).to.equal(5);
  });

  it("counts runs that mix letters and digits at one token per two characters, digits in a row in whole tokens", () => {
    expect(text("d41d8cd98f00b204e9800998ecf8427e")).to.equal(18); // 16, and 4 times an odd number of digits
    expect(text("abcdef12")).to.equal(4);
    expect(text("12abcdef")).to.equal(4);
    expect(text("abcdef1")).to.equal(4);
    expect(text("550e8400-e29b-41d4-a716-446655440000")).to.equal(20);
  });

  it("counts a number in whole tokens of two digits, and the white space before it as one", () => {
    expect(["1", "12", "123", "1234"].map(text)).to.deep.equal([1, 1, 2, 2]);
    expect(text("a 1 a 1 a 1 a 1")).to.equal(4 + 4 + 2); // numbers, space before them, letters and other spaces
    expect(text(`${" ".repeat(8)}12`)).to.equal(3); // longer white space costs what it did
    expect(text("\n12")).to.equal(2);
    expect(text("x1 y2")).to.equal(4); // 1.5 + 0.25 + 1.5: no space before a number
    expect(text("abc  d45")).to.equal(3); // 0.75 + 0.5 + 1.5
  });

  it("counts a short word directly behind a sign as a token", () => {
    expect(text("(a)(bc)(def)")).to.equal(3 + 3); // three words, six signs
    expect(text("(abcd)")).to.equal(2); // 1 + 1
    expect(text("(abcdefgh(abcdefgh")).to.equal(5); // a long one costs its letters: 4 + 1
    expect(text("a,b c d e")).to.equal(4); // 0.25 + 0.5 + 1 + 1.5: behind white space or nothing it costs its letters
    expect(text("漢a漢a")).to.equal(4);
  });

  it("counts a sign before white space as Pi does, characters / 4, unless it stands behind a number", () => {
    expect(text("word, word; word")).to.equal(4);
    expect(text("call();\n".repeat(4))).to.equal(4 * 2.5); // 1 + 0.5 + 0.5 + 0.25 + 0.25
    expect(text("12, 34, 56, 78, ")).to.equal(10); // numbers 4, signs 2, spaces 3 * 1 + 0.25
    expect(text("字。 字。 ")).to.equal(5); // others keep their cost
  });

  it("counts the indentation of a line that begins with a sign as a token more", () => {
    expect(text("\n  {\n  {")).to.equal(2 + 3); // white space and signs cost 2.5
    expect(text("\n  word\n  word")).to.equal(4); // 3.5: it reaches into a word
    expect(text("  {\n{")).to.equal(2); // 0.75 + 1: no indentation
    expect(text("\n\t漢")).to.equal(3); // 0.5 + 1 + 1
  });

  it("ends a run at every other character, and counts each run for itself", () => {
    expect(text("abcdefgh 11")).to.equal(4); // 2 + 1 + 1
    expect(text("1 abcdefgh")).to.equal(4); // 1 + 0.25 + 2
    expect(text("abcdefgh_1")).to.equal(4); // 2 + 0.5 + 1
    expect(text("abcdefghé1")).to.equal(4); // 2 + 0.75 + 0.5
    expect(text("a1 abcdefgh")).to.equal(4); // 1.5 + 0.25 + 2
    expect(text("abcdefgh a1")).to.equal(4);
  });

  it("never counts a CJK character below 0.8", () => {
    for (const script of ["漢字", "かな", "カナ", "한글", "𠀀"]) {
      expect(text(script.repeat(1_000)) / (Array.from(script).length * 1_000), script).to.be.at.least(0.8);
    }
    expect(text("文".repeat(3_000))).to.equal(3_000);
  });

  it("counts an emoji as 2", () => expect(text("😀".repeat(100))).to.equal(200));

  it("takes lone surrogates and controls", () => {
    expect(text("\ud83d")).to.equal(1);
    expect(text("\ude00 \ud83d")).to.be.within(1, 4);
    expect(text("\0\u0001\u001b\u007f\uffff")).to.equal(5);
  });

  it("is a whole number, never below characters / 4, never above 3 a character, for every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (value) => {
        const tokens = text(value);
        expect(Number.isInteger(tokens)).to.equal(true);
        expect(tokens).to.be.within(Math.ceil(value.length / 4), 3 * value.length);
      }),
    );
  });

  it("does not fall when text is added", () => {
    const unit = fc.constantFrom("a", "1", "-", " ", "é", "中", "😀");
    fc.assert(
      fc.property(fc.string({ unit }), fc.string({ unit }), (one, two) => {
        expect(text(one + two)).to.be.at.least(Math.max(text(one), text(two)));
      }),
    );
  });
});

describe("TokenEstimator.message", () => {
  it("counts prose of n characters as n / 4, rounded up once per message", () => {
    const prose = "only letters and spaces here";
    for (let length = 0; length <= prose.length; length++) {
      const content = prose.slice(0, length);
      expect(user(content)).to.deep.equal(only(Math.ceil(length / 4)));
    }
    expect(user(["ab", "cd", "e"].map((part) => ({ type: "text", text: part })))).to.deep.equal(only(2));
  });

  it("counts the content of user, custom and tool result messages alike", () => {
    const content = [{ type: "text", text: "x".repeat(40) }];
    for (const role of ["user", "custom", "toolResult"]) {
      expect(message({ role, content, details: { huge: "y".repeat(999) } }), role).to.deep.equal(only(10));
      expect(message({ role, content: "x".repeat(40) }), role).to.deep.equal(only(10));
    }
  });

  it("counts an image as a constant, never by its data", () => {
    const image = (length: number) => ({ type: "image", mimeType: "image/png", data: "A".repeat(length) });
    expect(IMAGE_TOKENS).to.equal(1_200);
    expect(user([{ type: "text", text: "x".repeat(20) }, image(2_500_000)])).to.deep.equal(only(1_205));
    const content = [image(4), image(40)];
    expect(message({ role: "toolResult", content })).to.deep.equal(only(2_400));
  });

  it("counts thinking apart, without its signature", () => {
    const thinking = { type: "thinking", thinking: "t".repeat(400), thinkingSignature: "s".repeat(4_000) };
    const answer = { type: "text", text: "x".repeat(8), textSignature: "s".repeat(4_000) };
    expect(assistant(thinking, answer, thinking)).to.deep.equal({ tokens: 2, thinkingTokens: 200 });
  });

  it("counts a tool call as its name and its arguments in JSON", () => {
    const args = { path: "lib/a.ts", lines: [1, 20], text: 'say "hi"\n' };
    const call = { type: "toolCall", id: "toolu_0123456789", name: "read", arguments: args };
    expect(assistant(call)).to.deep.equal(only(text(`read ${JSON.stringify(args)}`.replace(" ", ""))));
    expect(assistant({ ...call, name: "x".repeat(400) }).tokens).to.equal(assistant(call).tokens + 99);
  });

  it("counts failed and aborted assistants like any other", () => {
    const content = [{ type: "text", text: "x".repeat(40) }];
    for (const stopReason of ["stop", "error", "aborted"]) {
      expect(
        message({ role: "assistant", stopReason, errorMessage: "e".repeat(400), content }),
      ).to.deep.equal(only(10));
    }
  });

  describe("of a bash execution", () => {
    const bash = (fields: object) =>
      message({ role: "bashExecution", command: "ls -la", output: "", ...fields });

    it("counts the text that Pi makes of it", () => {
      const cases: ReadonlyArray<readonly [fields: object, sent: string]> = [
        [{ output: "total 0\n" }, "Ran `ls -la`\n```\ntotal 0\n\n```"],
        [{}, "Ran `ls -la`\n(no output)"],
        [{ exitCode: 0 }, "Ran `ls -la`\n(no output)"],
        [{ exitCode: 127 }, "Ran `ls -la`\n(no output)\n\nCommand exited with code 127"],
        [{ exitCode: null }, "Ran `ls -la`\n(no output)"],
        [{ exitCode: 1, cancelled: true }, "Ran `ls -la`\n(no output)\n\n(command cancelled)"],
        [
          { output: "x", truncated: true, fullOutputPath: "/tmp/out.log" },
          "Ran `ls -la`\n```\nx\n```\n\n[Output truncated. Full output: /tmp/out.log]",
        ],
        [{ output: "x", truncated: true }, "Ran `ls -la`\n```\nx\n```"],
        [{ output: "x", fullOutputPath: "/tmp/out.log" }, "Ran `ls -la`\n```\nx\n```"],
      ];
      for (const [fields, sent] of cases) expect(bash(fields), sent).to.deep.equal(only(text(sent)));
    });

    it("is zero when it is excluded from the context", () => {
      expect(bash({ output: "x".repeat(4_000), excludeFromContext: true })).to.deep.equal(only(0));
    });
  });

  it("counts summaries with the words that Pi puts around them", () => {
    const summary = "What happened: 3 files";
    const compaction = `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`;
    const branch = `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${summary}</summary>`;
    expect(message({ role: "compactionSummary", summary })).to.deep.equal(only(text(compaction)));
    expect(message({ role: "branchSummary", summary })).to.deep.equal(only(text(branch)));
  });

  it("counts system messages as zero, because they are resident input", () => {
    expect(message({ role: "system", content: "x".repeat(400) })).to.deep.equal(only(0));
  });

  it("counts roles that Pi does not send as zero", () => {
    expect(message({ role: "newRole", content: "x".repeat(400) })).to.deep.equal(only(0));
  });

  it("counts odd content as small, and never fails", () => {
    const odd = [
      null,
      undefined,
      5,
      {},
      [],
      [null],
      [{}],
      [[]],
      ["x"],
      [{ type: "text" }],
      [{ type: "text", text: 7 }],
    ];
    const roles = [
      "user",
      "assistant",
      "toolResult",
      "custom",
      "bashExecution",
      "branchSummary",
      "compactionSummary",
    ];
    for (const content of [
      ...odd,
      [{ type: "newKind", text: "x" }],
      [{ type: "thinking" }],
      [{ type: "toolCall" }],
    ]) {
      for (const role of roles) {
        const fields = {
          role,
          content,
          summary: content,
          command: content,
          output: content,
          exitCode: content,
        };
        const { tokens, thinkingTokens } = message(fields);
        expect(tokens, JSON.stringify(fields)).to.be.within(0, 50);
        expect(thinkingTokens).to.equal(0);
      }
      expect(user(content)).to.deep.equal(only(0));
    }
    expect(message({ role: "assistant", content: "text" })).to.deep.equal(only(1));
  });

  it("takes arguments that JSON cannot hold", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const call = { type: "toolCall", id: "c", name: "four", arguments: cyclic };
    const odd: unknown = { role: "assistant", content: [call] };
    expect(estimator.message(odd as AgentMessage)).to.deep.equal(only(1));
  });
});

describe("TokenEstimator.residentInput", () => {
  it("counts the system prompt and each tool's name, description and schema, rounded up once", () => {
    const parameters = { type: "object", properties: { path: { type: "string" } } };
    const tools = [
      { name: "read", description: "Reads a file", parameters },
      { name: "list", description: "Lists a folder", parameters: {} },
    ];
    const sent = `You are an agent. read Reads a file ${JSON.stringify(parameters)} list Lists a folder {}`;
    // The five spaces between the parts are not sent.
    const total = estimator.residentInput({ systemPrompt: "You are an agent.", tools });
    expect(total).to.be.within(text(sent) - 2, text(sent));
    expect(estimator.residentInput({ systemPrompt: "x".repeat(41), tools: [] })).to.equal(11);
    expect(estimator.residentInput({ systemPrompt: "", tools: [] })).to.equal(0);
  });

  it("takes tools without description or schema", () => {
    const tools: unknown = [{ name: "read", description: undefined, parameters: undefined }];
    const input = { systemPrompt: "", tools: tools as [] };
    expect(estimator.residentInput(input)).to.equal(1);
  });
});

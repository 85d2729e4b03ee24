/** Generated sessions, one scene each: what real session files hold, small enough to read. */
import type { AgentMessage, AssistantMessage, SessionEntry } from "../../lib/messages.ts";
import { type BranchBuilder, branch } from "./branch-builder.ts";
import { prose } from "./prose.ts";

/** A one-pixel PNG. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The scenes by name; each call builds fresh entries. */
export const SESSION_SHAPES: Readonly<Record<string, () => SessionEntry[]>> = {
  "parallel calls, some failing": () =>
    talk(branch())
      .user("Look at three things at once.")
      .assistant({
        text: "At once.",
        calls: [read("a"), read("b"), { name: "bash", args: { command: "false" } }],
      })
      .result("alpha")
      .result({ text: "no such file", isError: true })
      .result({ text: "exit code 1", isError: true })
      .assistant({ text: "One of three worked." }).entries,

  "a run that was killed": () =>
    talk(branch())
      .user("This run dies.")
      .assistant({ calls: [read("a"), read("b")] })
      .user("Are you still there?")
      .assistant({ text: "Yes." }).entries,

  "a run that was killed between two results": () =>
    talk(branch())
      .user("This run dies later.")
      .assistant({ calls: [read("a"), read("b")] })
      .result("alpha")
      .user("Go on.")
      .assistant({ text: "Going on." }).entries,

  "aborted answers, without, with some and with all results": () =>
    talk(branch())
      .user("Abort one.")
      .assistant({ calls: [read("a")], stopReason: "aborted", errorMessage: "Request was aborted" })
      .user("Abort two.")
      .assistant({ calls: [read("a"), read("b")], stopReason: "aborted" })
      .result({ text: "Aborted", isError: true })
      .user("Abort three.")
      .assistant({ calls: [read("a"), read("b")], stopReason: "aborted" })
      .results("Aborted")
      .user("Now go through.")
      .assistant({ text: "Through." }).entries,

  "an error answer hidden by a context edit": () => {
    const building = talk(branch())
      .user("This fails first.")
      .assistant({ text: "", stopReason: "error", errorMessage: "529 overloaded" });
    return building.contextEdit(building.leafId).assistant({ text: "Second try." }).entries;
  },

  "a compaction": () => {
    const building = talk(branch());
    const kept = building.user("The first prompt that is kept.").leafId;
    return talk(building.assistant({ text: "Kept." }).compaction("Earlier: notes were read.", kept)).entries;
  },

  "two compactions": () => {
    const building = talk(branch());
    const first = building.user("Kept by the first.").leafId;
    talk(building.assistant({ text: "Kept." }).compaction("Summary one.", first));
    const second = building.user("Kept by the second.").leafId;
    return talk(building.assistant({ text: "Kept." }).compaction("Summary two.", second)).entries;
  },

  "replaced content": () => {
    const building = talk(branch())
      .user("Read it.")
      .assistant({ calls: [read("a")] });
    const target = building.result(prose(7, 3_000)).leafId;
    return building.assistant({ text: "Read." }).contextEdit(target, [{ type: "text", text: "(cleared)" }])
      .entries;
  },

  "messages of extensions, also inside a batch": () =>
    talk(branch().custom("A hint before everything."))
      .user("Read two.")
      .assistant({ calls: [read("a"), read("b")] })
      .result("alpha")
      .custom("A hint between two results.", "hint", false)
      .result("beta")
      .assistant({ text: "Both read." })
      .custom("A job ended.", "job")
      .assistant({ text: "Good that it ended." })
      .state("counter", { value: 3 }).entries,

  "runs of the user's own": () =>
    talk(branch().bash("ls", "a.txt\nb.txt"))
      .bash("cat secret", "hidden text", "withheld")
      .user("What did I run?")
      .assistant({ text: "ls" })
      .bash("date", "Monday").entries,

  "a branch that was left": () => {
    const building = talk(branch());
    const fork = building.leafId;
    const left = building.user("A way that leads nowhere.").assistant({ text: "Nowhere." }).leafId;
    return talk(building.goTo(fork).branchSummary("Tried a way that led nowhere.", left)).entries;
  },

  "steering behind the results": () =>
    talk(branch())
      .user("Read two.")
      .assistant({ calls: [read("a"), read("b")] })
      .results(prose(3, 1_500))
      .user("Only the first, please.")
      .assistant({ text: "Only the first then." }).entries,

  "text of all kinds": () =>
    talk(branch())
      .user("漢字かな交じり文 한국어 👩‍👩‍👧‍👦 e\u0301 \u0000\u0007 \u2028")
      .assistant({ thinking: "Thinking about 漢字.", text: "答え 🙂" })
      .user("A lone half: \ud83d and its other half: \ude42")
      .assistant({ calls: [{ name: "bash", args: { command: "echo '🙂\ud83d'" } }] })
      .result(`🙂${prose(4, 400)}\ud83d`)
      .assistant({ text: "Seen." }).entries,

  images: () =>
    talk(branch())
      .user([
        { type: "text", text: "What is this?" },
        { type: "image", data: PIXEL, mimeType: "image/png" },
      ])
      .assistant({ calls: [read("pixel.png")] })
      .result({
        content: [
          { type: "text", text: "An image:" },
          { type: "image", data: PIXEL, mimeType: "image/png" },
        ],
      })
      .assistant({ text: "A pixel." }).entries,

  "an output of 600 000 characters": () =>
    branch()
      .turn("Read all of it.", [read("huge")], prose(5, 600_000))
      .turn("And then?", [read("b")], "beta").entries,

  "ids that come back in each turn": () =>
    Array.from({ length: 6 }, (_, n) => n).reduce(
      (building, n) => building.turn(`Again ${n}.`, [{ ...read("a"), id: "read:0" }], prose(n, 1_500)),
      branch(),
    ).entries,

  "a long turn": () => {
    const building = branch().user("Work through all files.");
    for (let n = 0; n < 40; n += 1) building.assistant({ calls: [read(`f${n}`)] }).results(prose(n, 1_200));
    return building.assistant({ text: "All done." }).entries;
  },

  "responses with parts of a usage": () => {
    const building = talk(branch());
    for (const usage of [{}, { input: 10 }, { totalTokens: "123" }]) {
      building.user("Count this.").assistant({ text: "Not counted." });
      Object.assign(building.messages.at(-1) ?? {}, { usage });
    }
    return building.entries;
  },

  "results of unknown content": () => {
    const building = talk(branch());
    for (const content of [[{}], [{ type: "new_kind" }]]) {
      building
        .user("Read it.")
        .assistant({ calls: [read("a")] })
        .result();
      Object.assign(building.messages.at(-1) ?? {}, { content });
      building.assistant({ text: "Read." });
    }
    return building.entries;
  },

  "labels, a name, other models and a record of usage": () => {
    const building = talk(branch())
      .entry({ type: "thinking_level_change", thinkingLevel: "low" })
      .model("elsewhere", "another-model")
      .user("Who are you?")
      .assistant({ thinking: "Who?", text: "Another one.", provider: "elsewhere", model: "another-model" });
    building.entry({ type: "label", targetId: building.leafId, label: "here" });
    return talk(
      building
        .entry({ type: "session_info", name: "A long talk" })
        .entry({
          type: "usage",
          kind: "cache_warm",
          provider: "mock-chat",
          model: "mock-model",
          usage: usage(5_000),
        })
        .model("mock-chat", "mock-model"),
    ).entries;
  },

  "other tools half way": () => {
    const tool = (name: string) => ({ name, description: "A tool.", parameters: { type: "object" } });
    return talk(branch().message(system({ toolsAdded: [tool("read"), tool("slow")] })))
      .user("Be slow.")
      .assistant({ calls: [{ name: "slow" }] })
      .result("Slow it was.")
      .assistant({ text: "Done." })
      .message(system({ toolsRemoved: [{ name: "slow" }] }))
      .user("Be quick.")
      .assistant({ text: "Done." }).entries;
  },

  "tools that call other tools and have a usage": () => {
    const building = talk(branch())
      .user("Let others do it.")
      .assistant({
        calls: [{ name: "delegate" }, { name: "script", args: { code: "await tools.read('a')" } }],
      })
      .result("They say yes.");
    Object.assign(building.messages.at(-1) ?? {}, { usage: usage(1_200), durationMs: 3, details: {} });
    const calls = [{ id: "call-1/1", name: "read", status: "ok", arguments: { path: "a" } } as const];
    return building
      .result({ text: "alpha", nestedCalls: { complete: true, calls } })
      .assistant({ text: "Yes and alpha." }).entries;
  },

  "answers that were cut off or refused as too long, and a compaction": () => {
    const building = talk(branch());
    const kept = building.user("Say much.").leafId;
    building.assistant({ text: "It begi", stopReason: "length" });
    building
      .contextEdit(building.leafId)
      .compaction("Notes were read.", kept)
      .assistant({ text: "Much." })
      .user("Say more.")
      .assistant({ text: "", stopReason: "error", errorMessage: "prompt is too long: 9 tokens > 8 maximum" });
    return building.contextEdit(building.leafId).assistant({ text: "More." }).entries;
  },

  "many short turns": () =>
    Array.from({ length: 300 }, (_, n) => n).reduce(
      (building, n) => building.turn(`Question ${n}.`, [read(`f${n}`)], prose(n, 200)),
      branch(),
    ).entries,

  "an empty answer and blank texts": () =>
    talk(branch())
      .user("Say nothing.")
      .assistant({ content: [] })
      .user("Say blank.")
      .assistant({ text: "  \n" })
      .user("Read an empty file.")
      .assistant({ calls: [read("empty")] })
      .result("")
      .assistant({ text: "It is empty." }).entries,
};

/** A few ordinary turns of some 1 000 tokens each, so that there is something to evict before and after a scene. */
function talk(building: BranchBuilder): BranchBuilder {
  for (let n = 0; n < 4; n += 1) {
    building.turn(`Read the notes, part ${n}.`, [read(`notes-${n}`), read(`more-${n}`)], prose(n, 2_000));
  }
  return building;
}

function read(path: string) {
  return { name: "read", args: { path } };
}

function usage(input: number): AssistantMessage["usage"] {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return { input, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: input + 10, cost };
}

/** What the newer Pi stores of a prompt and of changes to its tools. */
function system(changes: object): AgentMessage {
  return {
    role: "system",
    content: "",
    sections: { tools: "<tools>" },
    timestamp: 0,
    ...changes,
  } as AgentMessage;
}

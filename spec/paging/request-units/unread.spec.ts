import { expect } from "chai";
import type { AgentMessage } from "../../../lib/messages.ts";
import { RequestUnits } from "../../../lib/paging/request-units.ts";
import { type BranchBuilder, branch } from "../../support/branch-builder.ts";
import { labelOf } from "../../support/labels.ts";
import { type GroupingDraft, unitSource, unitSteps } from "../../support/unit-steps.ts";

const calls = [{ name: "read" }];
const exchange = (building: BranchBuilder, n: number) =>
  building.assistant({ text: `a${n}`, calls }).result(`r${n}`);
const start = () => exchange(branch().user("u1"), 1);

function unread(building: BranchBuilder, draft?: GroupingDraft): string | undefined {
  const source = unitSource(building, draft);
  const exchangeFound = RequestUnits.of(source).unread;
  const message: AgentMessage | undefined = exchangeFound && source.messages[exchangeFound.assistant];
  return message && labelOf(message);
}

describe("RequestUnits: unread results", () => {
  it("are those of the newest exchange with calls, and never leave", () => {
    expect(unread(exchange(start(), 2))).to.equal("a2");
    expect(unitSteps(exchange(start(), 2)).at(-1)).to.equal("u1 a2 r2");
  });

  it("stay unread behind steering, custom messages, runs and summaries", () => {
    for (const building of [
      start().user("steer"),
      start().custom("x"),
      start().bash("b", "out"),
      start().branchSummary("s", "x"),
      start().custom("x").user("steer").custom("y"),
    ]) {
      expect(unread(building)).to.equal("a1");
    }
  });

  it("count together with the messages that belong to their exchange, apart from what else is protected", () => {
    const building = branch().user("u1 #7").assistant({ text: "a1 #20", calls }).result("r1 #300");
    const units = RequestUnits.of(
      unitSource(building.custom("x #1000").user("s #30000").bash("b #5000", "out")),
    );
    expect(units).to.include({ protectedTokens: 30_007, unreadTokens: 6320 });
  });

  it("are read once the model has answered", () => {
    expect(unread(start().assistant({ text: "a2" }))).to.equal(undefined);
    expect(unread(start().assistant({ text: "a2" }).user("u2"))).to.equal(undefined);
  });

  it("are not protected once a new turn started", () => {
    expect(unread(start().bash("b", "out").user("u2"))).to.equal(undefined);
    expect(unread(start().assistant({ text: "a2", stopReason: "aborted" }).user("u2"))).to.equal(undefined);
  });

  it("stay unread when the answer to them failed and the run tries again", () => {
    const building = start().assistant({ text: "", stopReason: "error" });
    expect(unread(building)).to.equal("a1");
    expect(unread(building.contextEdit(building.leafId))).to.equal("a1");
  });

  for (const stopReason of ["aborted", "error"] as const) {
    it(`are never those of a response that ended as ${stopReason}`, () => {
      const building = branch().user("u1").assistant({ text: "a1", calls, stopReason }).results();
      expect(unread(building)).to.equal(undefined);
      expect(unitSteps(building)).to.deep.equal(["", "u1"]);
    });
  }

  it("are never those of an exchange that is still incomplete", () => {
    const building = start()
      .assistant({ text: "a2", calls: [...calls, ...calls] })
      .result("r2");
    expect(unread(building)).to.equal("a1");
  });

  it("are those before the first turn as well", () =>
    expect(unread(exchange(exchange(branch(), 1), 2))).to.equal("a2"));

  it("are none where the newest exchange is not the last model turn of the raw history", () => {
    const inject = (messages: AgentMessage[]) =>
      messages.filter((message) => !labelOf(message).endsWith("2"));
    expect(unread(exchange(start(), 2), { change: inject })).to.equal(undefined);
  });

  it("are those of the request's newest exchange where the branch lags", () => {
    for (const unstored of [0, 1, 2, 3])
      expect(unread(exchange(start(), 2), { unstored, branchLag: "tail" })).to.equal("a2");
  });

  it("are those of the request's newest exchange where the raw history is unavailable", () => {
    const building = branch().user("u0").assistant({ text: "a0" }).user("u1");
    const damaged = exchange(building, 1);
    const orphan = damaged.path.find((entry) => entry.id === "00000002");
    if (orphan?.type === "message") Object.assign(orphan.message, { role: "toolResult", toolCallId: "c9" });
    const drop = (messages: AgentMessage[]) => messages.toSpliced(1, 1);
    expect(unread(damaged, { change: drop })).to.equal("a1");
  });

  it("are no longer protected where a cut has excluded them already", () => {
    const building = exchange(start(), 2);
    const [id] = building.path.slice(-2).map((entry) => entry.id);
    const found = building.path.findLast(
      (entry) => entry.type === "message" && entry.message.role === "assistant",
    );
    const message = found?.type === "message" ? found.message : undefined;
    const callId =
      message?.role === "assistant" && message.content.find((block) => block.type === "toolCall");
    const toolCallIds = callId && callId.type === "toolCall" ? [callId.id] : [];
    expect(unread(building, { frontier: { historyId: id ?? "", toolCallIds, extent: "exchange" } })).to.equal(
      undefined,
    );
  });
});

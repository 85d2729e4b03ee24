import { expect } from "chai";
import fc from "fast-check";
import type { AgentMessage, SessionEntry } from "../../lib/messages.ts";
import { alignInOrder } from "../../lib/paging/alignment.ts";
import { ProjectedSession } from "../../lib/session/projected-session.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { labelOf } from "../support/labels.ts";
import { piMessages } from "../support/paging-session.ts";
import { fixedRuns } from "../support/property-runs.ts";

const calls = [
  { name: "read", id: "c1" },
  { name: "read", id: "c2" },
];

const talk = () =>
  branch().user("u1").assistant({ text: "a1", calls }).result("r1").result("r2").assistant({ text: "a2" });

/** Each outgoing message with the label of the projected message it was found to be, or "-". */
function aligned({ path }: BranchBuilder, change = (messages: AgentMessage[]) => messages): string {
  const session = new ProjectedSession();
  session.extend(path, path);
  const messages = change(piMessages(path));
  return alignInOrder(messages, session.messages)
    .map((found, index) => {
      const label = messages[index] ? labelOf(messages[index]) : "?";
      return `${label}=${found ? labelOf(found.message) : "-"}`;
    })
    .join(" ");
}

const note = (text: string, customType = "other", timestamp = 7): AgentMessage => {
  return { role: "custom", customType, content: text, display: false, timestamp };
};
const ALL = "u1=u1 a1=a1 r1=r1 r2=r2 a2=a2";

describe("alignInOrder", () => {
  it("finds every message of an unchanged request, though Pi hands over fresh clones", () =>
    expect(aligned(talk())).to.equal(ALL));

  it("finds a message whose stored time is no time", () => {
    const path = talk().path.map((entry) =>
      entry.type === "message" ? { ...entry, message: { ...entry.message, timestamp: Number.NaN } } : entry,
    );
    const session = new ProjectedSession();
    session.extend(path, path);
    const messages = session.messages.map(({ message }) => structuredClone(message));
    expect(alignInOrder(messages, session.messages)).to.deep.equal(session.messages);
  });

  it("finds none of an empty session, and nothing in an empty request", () => {
    expect(aligned(branch(), () => [note("x")])).to.equal("x=-");
    expect(aligned(talk(), () => [])).to.equal("");
  });

  for (const [place, index] of [
    ["in front", 0],
    ["in the middle", 2],
    ["at the end", 5],
  ] as const) {
    it(`leaves a message that another extension injected ${place} without an entry, and no other`, () => {
      const sent = aligned(talk(), (messages) => messages.toSpliced(index, 0, note("x")));
      expect(sent.split(" ").filter((pair) => pair !== "x=-")).to.deep.equal(ALL.split(" "));
      expect(sent.split(" ")[index]).to.equal("x=-");
    });

    it(`finds all others when another extension removed one ${place}`, () => {
      const at = Math.min(index, 4);
      expect(aligned(talk(), (messages) => messages.toSpliced(at, 1))).to.equal(
        ALL.split(" ").toSpliced(at, 1).join(" "),
      );
    });
  }

  it("finds all others between several injected and removed messages", () => {
    const sent = aligned(talk(), (messages) => [
      note("x"),
      ...messages.slice(1, 3),
      note("y"),
      ...messages.slice(3),
      note("z"),
    ]);
    expect(sent).to.equal("x=- a1=a1 r1=r1 y=- r2=r2 a2=a2 z=-");
  });

  it("gives a duplicated message its entry once", () => {
    const sent = aligned(talk(), (messages) => messages.flatMap((message) => [message, message]));
    expect(sent.split(" ").filter((pair) => !pair.endsWith("-"))).to.deep.equal(ALL.split(" "));
  });

  it("keeps the entries of the longest run in order when messages were moved", () => {
    const sent = aligned(talk(), ([u1, ...rest]) => (u1 ? [...rest, u1] : []));
    expect(sent).to.equal("a1=a1 r1=r1 r2=r2 a2=a2 u1=-");
  });

  it("is not misled by changed content", () => {
    const sent = aligned(talk(), (messages) =>
      messages.map((message) =>
        message.role === "toolResult" ? { ...message, content: [{ type: "text", text: "cut" }] } : message,
      ),
    );
    expect(sent).to.equal("u1=u1 a1=a1 cut=r1 cut=r2 a2=a2");
  });

  it("tells messages apart by role, time and call ids", () => {
    const later = <T extends AgentMessage>(message: T): T => ({ ...message, timestamp: 1 });
    const edit = (index: number, change: (message: AgentMessage) => AgentMessage) =>
      aligned(talk(), (messages) =>
        messages.map((message, at) => (at === index ? change(message) : message)),
      );
    expect(edit(0, later)).to.contain("u1=- a1=a1");
    expect(edit(0, (message) => note("u1", "other", message.timestamp))).to.contain("u1=- a1=a1");
    expect(edit(2, (message) => ({ ...message, toolCallId: "c9" }) as AgentMessage)).to.contain("r1=- r2=r2");
    const withCalls =
      (...ids: string[]) =>
      (message: AgentMessage) =>
        ({
          ...message,
          content: ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: {} })),
        }) as AgentMessage;
    expect(edit(1, withCalls("c1", "c2"))).to.contain("u1=u1 calls:c1,c2=a1 r1=r1");
    for (const ids of [["c1"], ["c1", "c2", "c3"], ["c1", "c9"], ["c2", "c1"]])
      expect(edit(1, withCalls(...ids)), `${ids}`).to.contain(`u1=u1 calls:${ids}=- r1=r1`);
  });

  it("finds a response whose content is damaged, if it has the same calls", () => {
    const damaged = (content: unknown) =>
      aligned(talk(), (messages) =>
        messages.map((message, at) => (at === 4 ? ({ ...message, content } as AgentMessage) : message)),
      );
    const text = { type: "text", text: "changed" };
    expect(damaged([null, text])).to.match(/changed=a2$/);
    expect(damaged([null, text, { type: "toolCall", id: "c1", name: "read", arguments: {} }])).to.match(
      /=-$/,
    );
    const path: SessionEntry[] = JSON.parse(JSON.stringify(talk().path));
    Object.assign(path[4]?.type === "message" ? path[4].message : {}, { content: null });
    const session = new ProjectedSession();
    session.extend(path, path);
    const messages = session.messages.map(({ message }) => structuredClone(message));
    expect(alignInOrder(messages, session.messages)).to.deep.equal(session.messages);
  });

  it("tells the parallel results of one moment apart by their call ids", () => {
    const building = branch().user("u1").assistant({ text: "a1", calls }).result("r1").result("r2");
    for (const entry of building.path) if (entry.type === "message") entry.message.timestamp = 5;
    const swapped = aligned(building, ([u1, a1, r1, r2]) => [u1, a1, r2, r1].flatMap((found) => found ?? []));
    expect(swapped.split(" ").filter((pair) => pair.endsWith("-"))).to.have.lengthOf(1);
    expect(aligned(building)).to.equal("u1=u1 a1=a1 r1=r1 r2=r2");
  });

  it("knows a custom message by type and time, or by type and text where the host keeps another time", () => {
    const building = branch()
      .user("u1")
      .custom("x", "mine")
      .custom([{ type: "text", text: "y" }], "mine");
    const edit = (fields: object) =>
      aligned(building, (messages) =>
        messages.map((message) => (message.role === "custom" ? { ...message, ...fields } : message)),
      );
    expect(edit({ timestamp: 1 })).to.equal("u1=u1 x=x y=y");
    expect(edit({ content: "z" })).to.equal("u1=u1 z=x z=y");
    expect(edit({ content: "z", timestamp: 1 })).to.equal("u1=u1 z=- z=-");
    expect(edit({ content: [{ type: "text", text: "y" }], timestamp: 1 })).to.equal("u1=u1 y=- y=y");
    expect(edit({ content: [], timestamp: 1 })).to.equal("u1=u1 (empty)=- (empty)=-");
    expect(edit({ customType: "yours" })).to.equal("u1=u1 x=- y=-");
  });

  it("compares the blocks of custom messages that are no text by their type", () => {
    const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
    const building = branch().custom([image], "mine");
    const edit = (content: object[]) =>
      aligned(building, (messages) =>
        messages.map((message) => ({ ...message, content, timestamp: 1 }) as AgentMessage),
      );
    expect(edit([{ ...image, data: "BBBB" }])).to.match(/=\(empty\)$/);
    expect(edit([{ type: "text", text: "" }])).to.match(/=-$/);
  });

  it("takes a custom message for another where one of its blocks is another", () => {
    const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
    const text = (value: string) => ({ type: "text" as const, text: value });
    const building = branch().custom([text("one"), text("two")], "mine");
    const edit = (content: unknown) =>
      aligned(building, (messages) =>
        messages.map((message) => ({ ...message, content, timestamp: 1 }) as AgentMessage),
      );
    expect(edit([text("one"), text("two")])).to.match(/=onetwo$/);
    for (const content of [
      [text("one"), text("other")],
      [text("other"), text("two")],
      [text("one"), image],
      [text("one"), null],
      [text("one")],
      [text("one"), text("two"), text("three")],
      "onetwo",
      null,
    ])
      expect(edit(content), JSON.stringify(content)).to.match(/=-$/);
  });

  it("passes over what a context edit withholds, and finds it where a host sends it all the same", () => {
    const building = branch().user("u1").assistant({ text: "a1", stopReason: "error" });
    const failed = structuredClone(building.messages[1]);
    building.contextEdit(building.leafId).assistant({ text: "a2" }).user("u2");
    expect(aligned(building)).to.equal("u1=u1 a2=a2 u2=u2");
    expect(aligned(building, (messages) => messages.toSpliced(1, 0, ...(failed ? [failed] : [])))).to.equal(
      "u1=u1 a1=a1 a2=a2 u2=u2",
    );
    expect(aligned(building, (messages) => [note("x"), ...messages, note("y")])).to.equal(
      "x=- u1=u1 a2=a2 u2=u2 y=-",
    );
  });

  it("finds as many messages as any alignment in order can", () => {
    const kinds = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 12 });
    fc.assert(
      fc.property(kinds, kinds, (outgoing, stored) => {
        const list = (numbers: number[]) =>
          numbers.map((timestamp): AgentMessage => ({ role: "user", content: `${timestamp}`, timestamp }));
        const projected = list(stored).map((message, index) => ({
          entryId: `${index}`,
          index,
          callIds: [],
          message,
          hidden: false,
        }));
        const found = alignInOrder(list(outgoing), projected);
        const order = found.flatMap((source) => (source ? [Number(source.entryId)] : []));
        expect(order).to.deep.equal([...new Set(order)].sort((a, b) => a - b));
        found.forEach((source, index) => {
          if (source) expect(source.message.timestamp).to.equal(outgoing[index]);
        });
        expect(order).to.have.lengthOf(longestCommon(outgoing, stored));
      }),
      fixedRuns(),
    );
  });
}).timeout(20_000);

/** Length of the longest common subsequence, by the textbook table. */
function longestCommon(left: readonly number[], right: readonly number[]): number {
  let row = new Array<number>(right.length + 1).fill(0);
  for (const value of left) {
    const next = [0];
    right.forEach((other, index) => {
      const best = Math.max(row[index + 1] ?? 0, next[index] ?? 0);
      next.push(value === other ? (row[index] ?? 0) + 1 : best);
    });
    row = next;
  }
  return row.at(-1) ?? 0;
}

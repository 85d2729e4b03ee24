import { expect } from "chai";
import { BranchProjection } from "../../lib/session/branch-projection.ts";
import { branch } from "../support/branch-builder.ts";

describe("BranchProjection of a branch that cannot be read", () => {
  const [first, second] = branch().user("one").user("two").path;
  if (!first || !second) throw new Error("two entries");
  const broken = new Proxy(second, {
    get: () => {
      throw new Error("damaged entry");
    },
  });

  it("fails at every update, not only at the first", () => {
    const projection = new BranchProjection();
    for (let n = 0; n < 3; n += 1) expect(() => projection.update([first, broken])).to.throw("damaged entry");
  });

  it("keeps nothing of it: what can be read later is read from the start", () => {
    const projection = new BranchProjection();
    expect(() => projection.update([first, broken])).to.throw();
    projection.update([first, second]);
    expect(projection.items.map(({ historyId }) => historyId)).to.deep.equal([first.id, second.id]);
    expect(projection.session.messages).to.have.length(2);
    expect(projection.item(first.id)).to.equal(projection.items[0]);
  });

  it("tells of no appended entries after it", () => {
    const projection = new BranchProjection();
    projection.update([first]);
    projection.update([first, second]);
    expect(() => projection.update([first, second, broken])).to.throw();
    expect(projection.appendedEntries).to.deep.equal([]);
  });

  it("is none of the damaged histories that selection goes on without: only broken pairs are", () => {
    const { path } = branch()
      .assistant({ calls: [{ name: "read" }] })
      .result();
    const result = path[1];
    if (result?.type !== "message") throw new Error("a result");
    Object.defineProperty(result.message, "toolCallId", {
      get: () => {
        throw new TypeError("damaged message");
      },
    });
    const projection = new BranchProjection();
    expect(() => projection.update(path)).to.throw(TypeError, "damaged message");
    expect(projection.error).to.equal(undefined);
  });
});

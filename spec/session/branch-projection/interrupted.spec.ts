import { expect } from "chai";
import { BranchProjection } from "../../../lib/session/branch-projection.ts";
import type { ModelTurnItem } from "../../../lib/session/history-item.ts";
import { type BranchBuilder, branch } from "../../support/branch-builder.ts";

const calls = [
  { name: "read", id: "c1" },
  { name: "read", id: "c2" },
];

function onlyTurn({ path }: BranchBuilder): ModelTurnItem {
  const projection = new BranchProjection();
  projection.update(path);
  const turns = projection.items.filter((item): item is ModelTurnItem => item.kind === "modelTurn");
  const [turn] = turns;
  if (turns.length !== 1 || !turn) throw new Error(`${turns.length} model turns`);
  return turn;
}

describe("BranchProjection: interrupted turns", () => {
  for (const stopReason of ["aborted", "error"] as const) {
    for (const answered of [0, 1, 2]) {
      it(`keeps a response that ended as ${stopReason} with its ${answered} actual results of 2, and marks it`, () => {
        const building = branch().user("u").assistant({ calls, stopReason });
        for (let n = 0; n < answered; n++) building.result(`r${n}`);
        const results = building.messages.slice(2);
        for (const after of [building, building.user("u2")]) {
          const turn = onlyTurn(after);
          expect(turn.interrupted).to.equal(true);
          expect(turn.assistant).to.equal(building.messages[1]);
          expect(turn.toolResults).to.deep.equal(results);
          turn.toolResults.forEach((result, index) => {
            expect(result).to.equal(results[index]);
          });
        }
      });
    }

    it(`keeps a text-only response that ended as ${stopReason}`, () => {
      const turn = onlyTurn(branch().user("u").assistant({ text: "I wa", stopReason }));
      expect(turn).to.deep.include({ interrupted: true, toolResults: [] });
    });

    it(`lets another model turn follow a response that ended as ${stopReason} before its results`, () => {
      const projection = new BranchProjection();
      projection.update(branch().user("u").assistant({ calls, stopReason }).assistant({ text: "a" }).path);
      expect(projection.items).to.have.lengthOf(3);
    });
  }

  for (const answered of [0, 1]) {
    it(`counts a normal response with ${answered} of 2 results as killed when a user message is next`, () => {
      const building = branch().user("u").assistant({ calls });
      for (let n = 0; n < answered; n++) building.result(`r${n}`);
      const turn = onlyTurn(building.custom("note").bash("ls", "a").user("u2"));
      expect(turn.interrupted).to.equal(true);
      expect(turn.toolResults).to.have.lengthOf(answered);
    });
  }

  it("places a killed turn where its response stands", () => {
    const projection = new BranchProjection();
    projection.update(branch().user("u").assistant({ calls }).custom("note").user("u2").path);
    expect(projection.items.map(({ kind }) => kind)).to.deep.equal(["user", "modelTurn", "context", "user"]);
  });

  it("never synthesizes a result", () => {
    expect(onlyTurn(branch().assistant({ calls }).user("u")).toolResults).to.deep.equal([]);
  });

  it("is not interrupted once every call has its result", () => {
    expect(onlyTurn(branch().assistant({ calls }).results().user("u")).interrupted).to.equal(false);
  });
});

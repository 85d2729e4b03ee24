import { expect } from "chai";
import type { AgentMessage } from "../../../lib/messages.ts";
import { type BranchBuilder, branch } from "../../support/branch-builder.ts";
import { labelOf } from "../../support/labels.ts";
import { unitSteps } from "../../support/unit-steps.ts";

const calls = [{ name: "read" }];
const exchange = (building: BranchBuilder, n: number) =>
  building.assistant({ text: `a${n}`, calls }).result(`r${n}`);

/** Injects a custom message of another extension behind the message with this label; "" is in front. */
const behind = (label: string) => (messages: AgentMessage[]) => {
  const index = messages.findIndex((message) => labelOf(message) === label);
  return messages.toSpliced(index + 1, 0, {
    role: "custom",
    customType: "other",
    content: "inj",
    display: false,
    timestamp: 7,
  });
};

const steps = (building: BranchBuilder, label: string) =>
  unitSteps(building, { change: behind(label) }).slice(1);
const talk = () => branch().user("u1").assistant({ text: "a1" }).user("u2");

describe("RequestUnits: outgoing-only messages", () => {
  it("keep their place among the kept messages", () =>
    expect(steps(exchange(talk(), 2), "u2")).to.deep.equal(["u1 a1 u2 inj a2 r2", "u2 inj a2 r2"]));

  it("stay before the first turn", () => {
    expect(steps(talk(), "")).to.deep.equal(["inj u1 a1 u2", "inj u2"]);
    const prefix = branch().assistant({ text: "a0" }).user("u1").assistant({ text: "a1" });
    expect(steps(prefix, "a0")).to.deep.equal(["a0 inj u1 a1", "inj u1 a1", "inj u1"]);
  });

  it("stay behind the last exchange", () => {
    expect(steps(exchange(exchange(talk(), 2), 3), "r3").at(-1)).to.equal("u2 a3 r3 inj");
    expect(steps(talk(), "a1")).to.deep.equal(["u1 a1 inj u2", "inj u2"]);
  });

  it("leave with the completed turn they stand inside or directly after", () => {
    const building = talk().assistant({ text: "a2" }).user("u3").assistant({ text: "a3" });
    for (const label of ["u1", "a1"]) {
      expect(steps(building, label)[1]).to.equal("u2 a2 u3 a3");
      expect(steps(building, label)[0]).to.contain(`${label} inj`);
    }
  });

  it("leave with the second of several turns, not before it", () => {
    const building = talk().assistant({ text: "a2" }).user("u3");
    expect(steps(building, "u2")).to.deep.equal(["u1 a1 u2 inj a2 u3", "u2 inj a2 u3", "u3"]);
  });

  it("leave with the exchange of the active turn they stand directly after", () => {
    const building = exchange(exchange(branch().user("u1"), 1), 2);
    expect(steps(building, "r1")).to.deep.equal(["u1 a1 r1 inj a2 r2", "u1 a2 r2"]);
  });

  it("inside an exchange move behind its results and leave with it", () => {
    const building = exchange(exchange(branch().user("u1"), 1), 2);
    expect(steps(building, "a1")).to.deep.equal(["u1 a1 r1 inj a2 r2", "u1 a2 r2"]);
  });

  it("stay directly after steering of the active turn, which stays", () => {
    const building = exchange(exchange(branch().user("u1"), 1).user("steer"), 2);
    expect(steps(building, "steer")).to.deep.equal(["u1 a1 r1 steer inj a2 r2", "u1 steer inj a2 r2"]);
  });

  it("stay directly after the envelope of the active turn, which stays", () => {
    const building = exchange(exchange(branch().user("u1"), 1), 2);
    expect(steps(building, "u1").at(-1)).to.equal("u1 inj a2 r2");
  });
});

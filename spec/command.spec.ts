import { expect } from "chai";
import { argumentCompletions, COMMAND_USAGE, parseCommand, stateText } from "../lib/command.ts";

describe("parseCommand", () => {
  for (const kind of ["on", "off", "status", "stats", "window"] as const) {
    it(`reads ${kind}`, () => expect(parseCommand(kind)).to.deep.equal({ kind }));
  }

  it("takes no argument as status", () => {
    expect(parseCommand("")).to.deep.equal({ kind: "status" });
    expect(parseCommand("  \t")).to.deep.equal({ kind: "status" });
  });

  it("trims", () => expect(parseCommand("  off \n")).to.deep.equal({ kind: "off" }));

  it("is case-sensitive", () => expect(parseCommand("ON")).to.deep.equal({ kind: "usage" }));

  it("answers anything else with the usage", () => {
    for (const args of ["onn", "o", "on off", "on 1", "usage", "constructor", "-h"]) {
      expect(parseCommand(args), args).to.deep.equal({ kind: "usage" });
    }
  });
});

describe("the texts of the command", () => {
  it("are those of the contract", () => {
    expect(COMMAND_USAGE).to.equal("Usage: /context-paging [on|off|status|stats|window]");
    expect(stateText("on")).to.equal("Context paging is on for this session.");
    expect(stateText("off")).to.equal("Context paging is off for this session.");
  });
});

describe("argumentCompletions", () => {
  const values = (prefix: string) => argumentCompletions(prefix)?.map(({ value }) => value);

  it("offers every argument before anything is typed", () => {
    expect(values("")).to.deep.equal(["on", "off", "status", "stats", "window"]);
  });

  it("offers what begins with what is typed, after leading spaces too", () => {
    expect(values("st")).to.deep.equal(["status", "stats"]);
    expect(values("o")).to.deep.equal(["on", "off"]);
    expect(values(" w")).to.deep.equal(["window"]);
  });

  it("is null when nothing begins so", () => {
    for (const prefix of ["x", "S", "on ", "tatus"])
      expect(argumentCompletions(prefix), prefix).to.equal(null);
  });

  it("gives each argument a label and a description, and offers only what is understood", () => {
    for (const { value, label, description } of argumentCompletions("") ?? []) {
      expect(label).to.equal(value);
      expect(description).to.match(/^\S.{10,}$/);
      expect(parseCommand(value)).to.deep.equal({ kind: value });
    }
  });
});

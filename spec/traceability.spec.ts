/** docs/traceability.md names each rule of the original design and the spec that proves it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { PACKAGE_DIR } from "./support/pi-hosts.ts";
import { faultyProofs, specTitles, type TracedRule, tracedRules } from "./support/traceability.ts";

/** The sections of the design, then those of what was added to it. */
const SECTIONS = [
  "Package seam",
  "Raw branch projection",
  "History navigation",
  "Exact output paging",
  "Settings and limits",
  "Context selection",
  "Stable cut state",
  "Provider-backed usage",
  "Read-only session stats",
  "Paging notices",
  "Lifecycle",
  "Failure behavior",
  "Storage and trust",
  "Contract 1: package",
  "Contract 2: settings",
  "Contract 3: history items",
  "Contract 4: recovery tools",
  "Contract 5: selection",
  "Contract 6: command and status",
  "Contract 7: overflow",
  "Contract 8: errors",
  "Contract 9: differences",
];

describe("docs/traceability.md", () => {
  let rules: readonly TracedRule[];

  before(() => {
    rules = tracedRules(readFileSync(join(PACKAGE_DIR, "docs/traceability.md"), "utf8"));
  });

  it("has rules of each section, in the order of the design", () => {
    expect([...new Set(rules.map(({ section }) => section))]).to.deep.equal(SECTIONS);
  });

  it("names each rule once", () => {
    const names = rules.map(({ section, rule }) => `${section}: ${rule}`);
    expect(names.filter((name, index) => names.indexOf(name) < index)).to.deep.equal([]);
  });

  it("names specs that exist", function () {
    this.timeout(60_000);
    expect(faultyProofs(rules, specTitles())).to.deep.equal([]);
  });
});

describe("the checker of docs/traceability.md", () => {
  const table = (proof: string) =>
    `# Title\n\n| Section | Rule | Proof |\n|---|---|---|\n| Lifecycle | One rule | ${proof} |\n`;
  const titles = new Map([["spec/a.spec.ts", new Set(["does it", "A does it", "takes on|off"])]]);
  const faults = (proof: string) => faultyProofs(tracedRules(table(proof)), titles);

  it("takes specs by their own title or with the titles of their suites", () => {
    expect(faults("spec/a.spec.ts > does it")).to.deep.equal([]);
    expect(faults("spec/a.spec.ts > A does it<br>spec/a.spec.ts > takes on\\|off")).to.deep.equal([]);
  });

  it("takes open issues and what is no promise", () => {
    expect(faults("open: issue 3")).to.deep.equal([]);
    expect(faults("no promise")).to.deep.equal([]);
  });

  it("finds files and titles that do not exist", () => {
    expect(faults("spec/b.spec.ts > does it")).to.deep.equal([
      "Lifecycle: One rule: there is no spec/b.spec.ts",
    ]);
    expect(faults("spec/a.spec.ts > does that<br>spec/a.spec.ts > does it")).to.deep.equal([
      'Lifecycle: One rule: spec/a.spec.ts has no spec "does that"',
    ]);
  });

  it("finds what is no proof", () => {
    for (const proof of ["later", "open", "open: issue x", "spec/a.spec.ts", "lib/a.ts > does it"])
      expect(faults(proof), proof).to.deep.equal([`Lifecycle: One rule: "${proof}" is no proof`]);
  });
});

/** README.md stays true to the code: messages, settings and tools are those of the extension. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { RECOVERY_TOOL_NAMES } from "../lib/session/recovery-tool-names.ts";
import { PagingSettings } from "../lib/settings.ts";
import { PACKAGE_DIR } from "./support/pi-hosts.ts";
import { codeBlocks } from "./support/readme-blocks.ts";
import { difference, printedFigures, tableFigures } from "./support/readme-figures.ts";

const README = readFileSync(join(PACKAGE_DIR, "README.md"), "utf8");

/** All sources as one text; what a template fills in is "...", and texts over several lines are joined. */
function sources(): string {
  const lib = join(PACKAGE_DIR, "lib");
  return readdirSync(lib, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(lib, path), "utf8"))
    .join("\n")
    .replaceAll(/["`] \+\n\s*["`]/g, "")
    .replaceAll(/\$\{[^}]*\}/g, "...");
}

/** From a heading to the next one. */
function section(heading: string): string {
  const [, text = ""] = README.split(`\n## ${heading}\n`);
  return text.split("\n## ")[0] ?? "";
}

function resolved(contextPaging: unknown): PagingSettings {
  return PagingSettings.resolve({ globalSettings: { contextPaging }, projectTrusted: false });
}

describe("README", () => {
  it("explains only messages that the extension has, in their own words", () => {
    const messages = [...section("Troubleshooting").matchAll(/^\| `([^`]+)`/gm)].map(
      ([, message = ""]) => message,
    );
    const known = sources();
    const unknown = messages
      .flatMap((message) => message.split("..."))
      .map((part) => part.trim())
      .filter((part) => part.length > 2 && !known.includes(part));
    expect(messages).to.have.length.above(8);
    expect(unknown).to.deep.equal([]);
  });

  it("explains all settings, with their defaults", () => {
    const rows = [...section("Settings").matchAll(/^\| `(\w+)` +\| [^|]+\| (.+?) +\|/gm)];
    const given = new Map(rows.map(([, key = "", preset = ""]) => [key, preset]));
    const all = { enabled: "", tokenBudget: "", trimToTokens: "", modelOverrides: "" };
    const { invalid } = resolved(all);
    expect(invalid.map(({ key }) => key.replace("contextPaging.", ""))).to.have.members([...given.keys()]);
    const { enabled } = resolved({});
    const { tokenBudget, trimToTokens } = resolved({}).limitsFor();
    expect(given.get("enabled")).to.equal(`\`${enabled}\``);
    expect(given.get("tokenBudget")).to.equal(`\`${tokenBudget}\``);
    expect(given.get("trimToTokens")).to.equal(`${(8 * trimToTokens) / tokenBudget}/8 of the budget`);
  });

  it("shows settings that are valid", () => {
    const [block] = codeBlocks(README).filter(({ language }) => language === "json");
    const globalSettings = JSON.parse(block?.text ?? "");
    const settings = PagingSettings.resolve({ globalSettings, projectTrusted: false });
    expect(settings.invalid).to.deep.equal([]);
    expect(settings.limitsFor().tokenBudget).to.not.equal(resolved({}).limitsFor().tokenBudget);
  });

  it("explains all tools", () => {
    const named = [...section("Tools for the model").matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    expect(named).to.have.members([...RECOVERY_TOOL_NAMES]);
  });
});

describe("the checker of README's figures", () => {
  const given = tableFigures(
    "|     | Paging on | Paging off |\n| --- | --- | --- |\n| Cuts | 1 009 | 0 |\n| Rate | 0.899 | 0.98 |\n",
  );
  const printed = (cuts: string) =>
    printedFigures(`${"cuts".padEnd(38)}${cuts}             0\nrate          0.9      0.984\n`);

  it("takes what is near, however thousands are written", () => {
    expect(given).to.have.length(2);
    expect(difference(given, printed("1,010"))).to.equal(undefined);
  });

  it("finds a figure that has changed, one that is gone, and a page without figures", () => {
    expect(difference(given, printed("1,100"))).to.equal("Cuts: README 1009 / 0, demo 1100 / 0");
    expect(difference(given, [])).to.contain("demo says nothing");
    expect(difference([], printed("1,010"))).to.equal("README gives no figures");
  });
});

/** README.md stays true to the code: each message it explains is one of ours, and each file it names is there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { PACKAGE_DIR } from "./support/pi-hosts.ts";

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

describe("README", () => {
  it("explains only messages that the extension has, in their own words", () => {
    const section = README.slice(
      README.indexOf("## Troubleshooting"),
      README.indexOf("## Your own strategy"),
    );
    const messages = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, message = ""]) => message);
    const known = sources();
    const unknown = messages
      .flatMap((message) => message.split("..."))
      .map((part) => part.trim())
      .filter((part) => part.length > 2 && !known.includes(part));
    expect(messages).to.have.length.above(8);
    expect(unknown).to.deep.equal([]);
  });

  it("names only files that are there", () => {
    const named = [...README.matchAll(/(?:\]\(|`)((?:docs|spec|examples|bench|lib)\/[^)`\s]*)/g)];
    const missing = named.map(([, path = ""]) => path).filter((path) => !existsSync(join(PACKAGE_DIR, path)));
    expect(named).to.have.length.above(4);
    expect(missing).to.deep.equal([]);
  });
});

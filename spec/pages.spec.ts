/** What the pages name is there: scripts and their options, slash commands, files, links, sections. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parseCommand } from "../lib/command.ts";
import {
  brokenLinks,
  headings,
  missingFiles,
  npmRuns,
  type Page,
  pages,
  slashCommands,
} from "./support/pages.ts";
import { HOSTS, PACKAGE_DIR } from "./support/pi-hosts.ts";

const OWN = "/context-paging";
const { scripts } = JSON.parse(readFileSync(join(PACKAGE_DIR, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** The slash commands that a Pi has without extensions. */
async function builtIn(library: string): Promise<string[]> {
  const file = join(library, "../core/slash-commands.js");
  const { BUILTIN_SLASH_COMMANDS } = (await import(file)) as {
    readonly BUILTIN_SLASH_COMMANDS: readonly { readonly name: string }[];
  };
  return BUILTIN_SLASH_COMMANDS.map(({ name }) => `/${name}`);
}

/** Options that the script does not explain in its head; of other programs' options nothing is known here. */
function unknownOptions(script: string, options: readonly string[]): string[] {
  const file = /\S+\.ts$/.exec(scripts[script] ?? "")?.[0];
  if (file === undefined) return [];
  const source = readFileSync(join(PACKAGE_DIR, file), "utf8");
  return options.filter((option) => !source.includes(` ${option}`));
}

/** Whether the action of `/context-paging` is one; several may be given, as in `on|off` and `[on|off]`. */
function isAction(command: string): boolean {
  const actions = command
    .slice(OWN.length)
    .replaceAll(/[[\] ]/g, "")
    .split("|");
  return actions.every((action) => parseCommand(action).kind !== "usage");
}

for (const page of pages()) {
  describe(page.path, () => {
    it("names only npm scripts and options that are there", () => {
      const runs = npmRuns(page);
      expect(runs.filter(({ script }) => scripts[script] === undefined)).to.deep.equal([]);
      expect(runs.flatMap(({ script, options }) => unknownOptions(script, options))).to.deep.equal([]);
    });

    it("names only slash commands that are there", async () => {
      const commands = slashCommands(page);
      const own = commands.filter((command) => command.startsWith(OWN));
      expect(own.filter((command) => !isAction(command))).to.deep.equal([]);
      const others = commands.filter((command) => !command.startsWith(OWN));
      for (const { library, name } of HOSTS) {
        const known = await builtIn(library);
        expect(
          others.filter((command) => !known.includes(command)),
          name,
        ).to.deep.equal([]);
      }
    });

    it("names only files that are there, and links to what is there", () => {
      expect(missingFiles(page)).to.deep.equal([]);
      expect(brokenLinks(page)).to.deep.equal([]);
    });
  });
}

describe("sections of ARCHITECTURE.md", () => {
  it("that the sources name are there", () => {
    const known = headings(readFileSync(join(PACKAGE_DIR, "ARCHITECTURE.md"), "utf8"));
    const lib = join(PACKAGE_DIR, "lib");
    const named = readdirSync(lib, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .flatMap((path) => sectionsNamed(readFileSync(join(lib, path), "utf8")));
    expect(named).to.have.length.above(8);
    expect(named.filter((section) => !known.includes(section))).to.deep.equal([]);
  });
});

describe("npm scripts", () => {
  it("are each named by README.md or CONTRIBUTING.md, or part of one that is", () => {
    const places = pages().filter(({ path }) => ["README.md", "CONTRIBUTING.md"].includes(path));
    places.push({ path: "package.json", text: Object.values(scripts).join("\n") });
    const known = ["test", ...places.flatMap(npmRuns).map(({ script }) => script)];
    const isHook = (script: string) => script.startsWith("pre") && scripts[script.slice(3)] !== undefined;
    const forgotten = Object.keys(scripts).filter((script) => !isHook(script) && !known.includes(script));
    expect(forgotten).to.deep.equal([]);
  });
});

describe("docs/decisions", () => {
  it("has records with numbers from 1 on, each with the number in its title", () => {
    const records = pages().filter(({ path }) => path.startsWith("docs/decisions/"));
    const numbers = records.map(({ path }) => Number(/(\d{4})-/.exec(path)?.[1])).toSorted((a, b) => a - b);
    expect(numbers).to.deep.equal(records.map((_, index) => index + 1));
    for (const { path, text } of records)
      expect(text, path).to.match(new RegExp(`^# ${Number(path.slice(15, 19))}\\. `));
  });
});

/** `Section "X" of ARCHITECTURE.md` and `ARCHITECTURE.md, "X"`, over line ends of a comment, too. */
function sectionsNamed(source: string): string[] {
  const text = source.replaceAll(/\n\s*\*\s*/g, " ");
  const places = [/ARCHITECTURE\.md, "([^"]+)"/g, /"([^"]+)" of ARCHITECTURE\.md/g];
  return places.flatMap((place) => [...text.matchAll(place)].map(([, section = ""]) => section));
}

describe("the checker of the pages", () => {
  const page = (text: string): Page => ({ path: "README.md", text });

  it("finds scripts, options and commands, inline and in blocks", () => {
    const text =
      "`npm run demo -- --svg`, `/tree`, `/context-paging on|off`\n```sh\nnpm run check   # all\n```\n";
    expect(npmRuns(page(text))).to.deep.equal([
      { script: "demo", options: ["--svg"] },
      { script: "check", options: [] },
    ]);
    expect(unknownOptions("demo", ["--svg", "--gif"])).to.deep.equal(["--gif"]);
    expect(slashCommands(page(text))).to.deep.equal(["/tree", "/context-paging on|off"]);
    expect(isAction("/context-paging on|off")).to.equal(true);
    expect(isAction("/context-paging on|of")).to.equal(false);
  });

  it("finds files and links that are not there", () => {
    const text =
      "# One, two\n`lib/nowhere.ts`, `lib/index.ts`, [a](#one-two), [b](#three), [c](no.md), [d](CHANGELOG.md#no)";
    expect(missingFiles(page(text))).to.deep.equal(["lib/nowhere.ts"]);
    expect(brokenLinks(page(text))).to.deep.equal(["#three", "no.md", "CHANGELOG.md#no"]);
  });
});

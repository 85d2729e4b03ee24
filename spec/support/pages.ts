/** The Markdown pages of this repository, and what they name: scripts, commands, files, links. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PACKAGE_DIR } from "./pi-hosts.ts";

export interface Page {
  /** From the package directory on. */
  readonly path: string;
  readonly text: string;
}

/** A path from the package directory on, with or without `./`; up to the first `*` of a pattern. */
const FILE = /(?:^|[\s`(]|\.\/)((?:bench|demo|docs|examples|lib|spec)\/[\w./-]*\w\/?)/gm;

export function pages(): Page[] {
  const decisions = readdirSync(join(PACKAGE_DIR, "docs/decisions")).map((name) => `docs/decisions/${name}`);
  return [
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "examples/fork/README.md",
    ...decisions,
  ].map((path) => ({ path, text: readFileSync(join(PACKAGE_DIR, path), "utf8") }));
}

/** What `npm run` is followed by, wherever it stands: the script's name, and the options for it. */
export function npmRuns({ text }: Page): { readonly script: string; readonly options: readonly string[] }[] {
  return [...text.matchAll(/npm run ([\w:-]+)(?: -- ([^`#\n]*))?/g)].map(([, script = "", args = ""]) => ({
    script,
    options: args.match(/--[\w-]+/g) ?? [],
  }));
}

/** Inline code that begins with a slash and a word, such as `/reload`: the whole of it. */
export function slashCommands({ text }: Page): string[] {
  return [...text.matchAll(/`(\/[a-z-]+(?: [^`]*)?)`/g)].map(([, command = ""]) => command);
}

/** Paths of this repository that are not there. */
export function missingFiles({ text }: Page): string[] {
  const named = [...text.matchAll(FILE)].map(([, file = ""]) => file);
  return named.filter((file) => !existsSync(join(PACKAGE_DIR, file)));
}

/** Targets of links that are neither on the web nor a file, or whose file has no such heading. */
export function brokenLinks(page: Page): string[] {
  const targets = [...page.text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => !/^https?:/.test(target) && !leadsSomewhere(page, target));
}

function leadsSomewhere({ path, text }: Page, target: string): boolean {
  const [file = "", anchor] = target.split("#");
  const linked = join(PACKAGE_DIR, dirname(path), file);
  if (file !== "" && !existsSync(linked)) return false;
  if (anchor === undefined) return true;
  const page = file === "" ? text : readFileSync(linked, "utf8");
  return headings(page).map(anchorOf).includes(anchor);
}

/** The headings of a page, as written. */
export function headings(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
}

/** As GitHub makes it: small letters, hyphens for spaces, no signs. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

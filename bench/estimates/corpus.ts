/**
 * Texts of the kinds that an agent reads: real ones where this repository and its installed packages hold any, made-up
 * ones elsewhere.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chineseText } from "./chinese.ts";
import type { Random } from "./random.ts";

export type TextKind = "prose" | "source" | "listing" | "json" | "hex" | "chinese" | "mixed";

export const TEXT_KINDS: readonly TextKind[] = [
  "prose",
  "source",
  "listing",
  "json",
  "hex",
  "chinese",
  "mixed",
];

const MODULES = join(import.meta.dirname, "../../node_modules");
const DOCS = join(MODULES, "@earendil-works/pi-coding-agent/docs");
/** Of pinned packages: this repository changes. */
const SOURCES = [
  "chai",
  "sinon/lib",
  "zod/src",
  "fast-check/lib",
  "@earendil-works/pi-coding-agent/dist/core",
];

/** A text of this kind, about this long. */
export function textOf(kind: TextKind, characters: number, random: Random): string {
  switch (kind) {
    case "prose":
      return slice(PROSE, characters, random);
    case "source":
      return slice(SOURCE, characters, random);
    case "listing":
      return lines(characters, () => listingLine(random));
    case "json":
      return random.next() < 0.5 ? slice(JSON_FILES, characters, random) : records(characters, random);
    case "hex":
      return lines(characters, () => hexLine(random));
    case "chinese":
      return chineseText(characters, random);
    case "mixed":
      return textOf(random.pick(TEXT_KINDS.slice(0, -1)), characters, random);
  }
}

function slice(corpus: string, characters: number, random: Random): string {
  const start = random.between(0, Math.max(0, corpus.length - characters));
  const line = corpus.indexOf("\n", start) + 1;
  return corpus.slice(line, line + characters);
}

function lines(characters: number, line: () => string): string {
  const made: string[] = [];
  for (let length = 0; length < characters; ) {
    const next = line();
    made.push(next);
    length += next.length + 1;
  }
  return made.join("\n");
}

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Documentation without its code blocks, tables and headings. */
const PROSE = filesBelow(DOCS, /\.md$/)
  .map((file) => readFileSync(file, "utf8").replaceAll(/^```[\s\S]*?^```/gm, ""))
  .flatMap((text) => text.split("\n").filter((line) => /^[A-Z][^|`<]{60,}$/.test(line)))
  .join("\n");

const SOURCE = SOURCES.flatMap((folder) =>
  filesBelow(join(MODULES, folder), /(?<!min)(?<!\.d)\.(ts|js|mjs)$/),
)
  .filter((file) => !/locales|golden/.test(file))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

/** Pinned as well: what else is installed must not change a text. */
const NAMED = [
  ...SOURCES,
  "@earendil-works/pi-coding-agent/docs",
  "@earendil-works/pi-coding-agent/examples",
];
const PACKAGES = ["chai", "sinon", "zod", "fast-check", "mocha", "c8", "knip", "typescript", "gpt-tokenizer"];

const JSON_FILES = PACKAGES.map((name) => readFileSync(join(MODULES, name, "package.json"), "utf8")).join(
  "\n",
);

const FILE_NAMES = NAMED.flatMap((folder) => filesBelow(join(MODULES, folder), /\.(md|js|json|ts|png|svg)$/))
  .filter((_, index) => index % 3 === 0)
  .map((file) => file.slice(MODULES.length + 1));

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function listingLine(random: Random): string {
  const name = random.pick(FILE_NAMES);
  if (random.next() < 0.3) return `./${name}`;
  const size = String(random.between(1, 10 ** random.between(2, 6))).padStart(8);
  const day = String(random.between(1, 28)).padStart(2);
  const time = `${String(random.between(0, 23)).padStart(2, "0")}:${String(random.between(0, 59)).padStart(2, "0")}`;
  const mode = random.pick(["-rw-r--r--", "-rwxr-xr-x", "drwxr-xr-x"]);
  return `${mode}  1 node node ${size} ${random.pick(MONTHS)} ${day} ${time} ${name.split("/").at(-1)}`;
}

function hexDigits(count: number, random: Random): string {
  return Array.from({ length: count }, () => random.between(0, 15).toString(16)).join("");
}

function uuid(random: Random): string {
  return [8, 4, 4, 4, 12].map((count) => hexDigits(count, random)).join("-");
}

function hexLine(random: Random): string {
  return random.next() < 0.5 ? uuid(random) : `${hexDigits(40, random)}  ${random.pick(FILE_NAMES)}`;
}

function records(characters: number, random: Random): string {
  const made: object[] = [];
  for (let length = 0; length < characters; length += 260) {
    made.push({
      id: uuid(random),
      name: random.pick(FILE_NAMES),
      createdAt: new Date(1.7e12 + random.between(0, 1e10)).toISOString(),
      size: random.between(1, 1e7),
      active: random.next() < 0.5,
      tags: [random.pick(MONTHS), random.pick(["alpha", "beta", "release"])],
    });
  }
  return JSON.stringify(made, null, random.next() < 0.5 ? 2 : 0);
}

/** Reads docs/traceability.md and holds it against the specs that exist. */
import { spawnSync } from "node:child_process";
import { join, relative } from "node:path";
import { PACKAGE_DIR } from "./pi-hosts.ts";

/** One rule and what proves it. */
export interface TracedRule {
  readonly section: string;
  readonly rule: string;
  readonly proofs: readonly Proof[];
}

export type Proof =
  /** A spec by its file and its title, or the titles of suites before it. */
  | { readonly kind: "spec"; readonly file: string; readonly title: string }
  /** Not built or not proved yet. */
  | { readonly kind: "open"; readonly issue: number }
  /** What the document leaves open on purpose. */
  | { readonly kind: "no promise" }
  | { readonly kind: "unreadable"; readonly text: string };

/** The rows of the table `section | rule | proof`; several proofs of a rule are set apart by `<br>`. */
export function tracedRules(markdown: string): TracedRule[] {
  return markdown.split("\n").flatMap((line) => {
    const [before, section, rule, proof, after] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    if (before !== "" || after !== "" || !section || !rule || !proof) return [];
    if (section === "Section" || /^-+$/.test(section)) return [];
    return [{ section, rule, proofs: proof.split("<br>").map((text) => proofOf(text.trim())) }];
  });
}

function proofOf(text: string): Proof {
  if (text === "no promise") return { kind: "no promise" };
  const issue = /^open: issue (\d+)$/.exec(text)?.[1];
  if (issue !== undefined) return { kind: "open", issue: Number(issue) };
  const [, file, title] = /^(\S+\.spec\.ts) > (.+)$/.exec(text) ?? [];
  return file && title
    ? { kind: "spec", file, title: title.replaceAll("\\|", "|") }
    : { kind: "unreadable", text };
}

/** Titles by spec file: each test's own title, and the same after the titles of its suites. */
export type SpecTitles = ReadonlyMap<string, ReadonlySet<string>>;

/** All specs there are, generated ones too: mocha loads every file and runs none. */
export function specTitles(): SpecTitles {
  const titles = new Map<string, Set<string>>();
  for (const config of [".mocharc.json", ".mocharc.host.json"]) {
    for (const { file, title, fullTitle } of listedTests(config)) {
      const path = relative(PACKAGE_DIR, file);
      const known = titles.get(path) ?? new Set();
      titles.set(path, known.add(title).add(fullTitle));
    }
  }
  return titles;
}

interface ListedTest {
  readonly file: string;
  readonly title: string;
  readonly fullTitle: string;
}

function listedTests(config: string): readonly ListedTest[] {
  const mocha = join(PACKAGE_DIR, "node_modules/mocha/bin/mocha.js");
  const args = [mocha, "--config", config, "--dry-run", "--reporter", "json"];
  const { NODE_V8_COVERAGE: _coverage, ...env } = process.env;
  const run = spawnSync(process.execPath, args, {
    cwd: PACKAGE_DIR,
    env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (run.status !== 0) throw new Error(`mocha could not list the specs of ${config}: ${run.stderr}`);
  const { tests, pending } = JSON.parse(run.stdout) as Record<"tests" | "pending", ListedTest[]>;
  // What is written down as skipped proves nothing.
  const skipped = new Set(pending.map(({ file, fullTitle }) => `${file} ${fullTitle}`));
  return tests.filter(({ file, fullTitle }) => !skipped.has(`${file} ${fullTitle}`));
}

/** What is wrong with the proofs, a line each. */
export function faultyProofs(rules: readonly TracedRule[], titles: SpecTitles): string[] {
  return rules.flatMap(({ section, rule, proofs }) => {
    const faults = proofs.map((proof) => faultOf(proof, titles)).filter((fault) => fault !== undefined);
    return faults.map((fault) => `${section}: ${rule}: ${fault}`);
  });
}

function faultOf(proof: Proof, titles: SpecTitles): string | undefined {
  if (proof.kind === "unreadable") return `"${proof.text}" is no proof`;
  if (proof.kind !== "spec") return undefined;
  const known = titles.get(proof.file);
  if (!known) return `there is no ${proof.file}`;
  return known.has(proof.title) ? undefined : `${proof.file} has no spec "${proof.title}"`;
}

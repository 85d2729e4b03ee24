/** What is asked and answered in the demo: a long session of reading, and at its end a question about its beginning. */
import { textOf } from "../bench/estimates/corpus.ts";
import { Random } from "../bench/estimates/random.ts";
import type { OutputPage } from "../lib/recovery/output-page-reader.ts";
import type { Reference } from "../lib/recovery/reference.ts";
import type { ModelStep, ScriptedStep } from "../spec/support/model-step.ts";
import { prose } from "../spec/support/prose.ts";
import { calling, type RecallSteps, recallOn } from "../spec/support/recalling-model.ts";
import type { Sandbox } from "../spec/support/sandbox.ts";
import { toolAgent } from "../spec/support/scripts.ts";
import type { WireBody } from "../spec/support/wire.ts";

/** Stands in the first file that is read, and nowhere else. */
export const NEEDLE = "The launch code of the depot is ZEBRA-4471, valid until the third of May.";
export const QUESTION = "RECALL: what is the launch code of the depot, word for word?";

const FILES = 24;
const READS = 3;
const CHARACTERS = { min: 2_000, max: 6_000 } as const;

/** The prompts of a session, the question last. */
export function promptsOf(count: number): string[] {
  const reading = Array.from(
    { length: count },
    (_, n) => `Prompt ${n + 1}: read the next files and compare.`,
  );
  return [...reading, QUESTION];
}

/** Writes what the agent reads: prose and listings, made up and the same bytes in every run, and the file with the needle. */
export function writeFiles(sandbox: Sandbox): void {
  const random = new Random(4_471);
  for (let n = 0; n < FILES; n++) {
    const characters = random.between(CHARACTERS.min, CHARACTERS.max);
    sandbox.write(fileName(n), n % 2 === 0 ? prose(n, characters) : textOf("listing", characters, random));
  }
  sandbox.write("depot.txt", `Notes about the depot.\n${NEEDLE}\nNothing else is known about it.\n`);
}

/** Reads three files a prompt, the first time the one with the needle too. */
const agent = toolAgent((n) => {
  const reads = Array.from({ length: READS }, (_, read) => fileName(n * 2 + read));
  return [...(n === 0 ? ["depot.txt"] : []), ...reads].map((path) => ({ name: "read", args: { path } }));
});

function fileName(n: number): string {
  return `file-${n % FILES}.txt`;
}

/** The model of a run with paging: it has lost the needle and gets it back with the recovery tools. */
export function pagedModel(): ScriptedStep {
  const search = calling({ name: "search_history", args: { query: "launch code of the depot" } });
  return recallOn("RECALL", [({ body }) => (holdsNeedle(body) ? KEPT : search), ...FOLLOW_AND_ANSWER], agent);
}

/** The model of a run without paging: it still sees everything. */
export function wholeModel(): ScriptedStep {
  return recallOn("RECALL", [({ body }) => ({ text: holdsNeedle(body) ? NEEDLE : "I do not know." })], agent);
}

/** Whether the request itself holds the needle. */
export function holdsNeedle(body: WireBody): boolean {
  return JSON.stringify(body).includes(NEEDLE);
}

const KEPT: ModelStep = { text: "Nothing to recall: the needle never left the window." };

/** Follows the best match into a page around it, and answers with the line that the page holds. */
const FOLLOW_AND_ANSWER: RecallSteps = [
  ({ replies }) => {
    const { references } = replies[0] as { readonly references: readonly Reference[] };
    const [best] = references;
    const offset = Math.max(0, (best?.match?.offset ?? 0) - 100);
    return calling({
      name: "read_context_output",
      args: { historyId: best?.historyId, ...best?.match, offset, limit: 400 },
    });
  },
  ({ replies }) => {
    const { text } = replies[0] as OutputPage;
    return { text: /The launch code[^\\]*/.exec(text)?.[0] ?? "The page does not hold it." };
  },
];

/** Random histories of a session, step by step as Pi and its user make them: also what hardly ever happens. */
import fc from "fast-check";
import type { AssistantMessage, ContentBlock, UserMessage } from "../../lib/messages.ts";
import type { BranchBuilder } from "./branch-builder.ts";
import { type Change, changes } from "./other-extension.ts";
import { PIXEL } from "./session-shapes.ts";

/** A step that adds to the session, or takes it elsewhere. `at` picks one of the entries there are. */
type Step =
  | { readonly kind: "user"; readonly content: UserMessage["content"] }
  | { readonly kind: "exchange"; readonly calls: readonly CallStep[]; readonly usage: unknown }
  | { readonly kind: "answer"; readonly text: string; readonly usage: unknown }
  | { readonly kind: "interrupted"; readonly how: "aborted" | "error" | "killed"; readonly results: number }
  | { readonly kind: "retried"; readonly text: string }
  | { readonly kind: "custom" | "bash" | "withheld" | "summary"; readonly text: string }
  | { readonly kind: "edit"; readonly at: number; readonly text: string | null }
  | { readonly kind: "compaction" | "move"; readonly at: number }
  | { readonly kind: "model"; readonly window: number | undefined }
  | { readonly kind: "switch" | "damage" }
  | { readonly kind: "request"; readonly changes: readonly Change[] };

interface CallStep {
  readonly content: unknown;
  readonly isError: boolean;
  /** A custom message stands before this call's result. */
  readonly isInterrupted: boolean;
}

export type HistoryStep = Step;
export type History = readonly Step[];

const text = fc.oneof(
  fc.integer({ min: 0, max: 300 }).map((words) => "word ".repeat(words)),
  fc.constantFrom("", " ", "漢字".repeat(200), "🙂".repeat(50), "\ud83d", "0f3a".repeat(100)),
);
const image: ContentBlock = { type: "image", mimeType: "image/png", data: PIXEL };
const userContent: fc.Arbitrary<UserMessage["content"]> = fc.oneof(
  text,
  text.map((said): ContentBlock[] => [{ type: "text", text: said }, image]),
  fc.constant<ContentBlock[]>([]),
);
/** Stored results hold more than the types allow. */
const resultContent: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: text.map((said) => [{ type: "text", text: said }]) },
  fc.constantFrom<unknown>([image], [], null, undefined, "text", [{}], [{ type: "text" }], [{ type: "new" }]),
);
const usage: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer({ min: 1, max: 6_000 }).map((totalTokens) => ({ totalTokens })),
  fc.constantFrom<unknown>({}, null, { totalTokens: 0 }, { totalTokens: Number.NaN }, { totalTokens: "9" }),
  fc.constantFrom<unknown>({ totalTokens: -5 }, { totalTokens: 1e300 }, { input: 10, output: 1 }),
);
const calls = (content: fc.Arbitrary<unknown>): fc.Arbitrary<readonly CallStep[]> =>
  fc.array(fc.record({ content, isError: fc.boolean(), isInterrupted: fc.nat(9).map((n) => n === 0) }), {
    minLength: 1,
    maxLength: 3,
  });
const exchange = (content: fc.Arbitrary<unknown>): fc.Arbitrary<Step> =>
  fc.record({ kind: fc.constant("exchange" as const), calls: calls(content), usage });
const model = (window: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  fc.record({ kind: fc.constant("model" as const), window: fc.option(window, { nil: undefined }) });
const request: Step = { kind: "request", changes: [] };
const at = fc.nat(200);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("user" as const), content: userContent }) },
  { weight: 9, arbitrary: exchange(resultContent) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("answer" as const), text, usage }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("interrupted" as const),
      how: fc.constantFrom("aborted" as const, "error" as const, "killed" as const),
      results: fc.nat(2),
    }),
  },
  fc.record({ kind: fc.constant("retried" as const), text }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("custom", "bash", "withheld", "summary"), text }),
  },
  fc.record({ kind: fc.constant("edit" as const), at, text: fc.option(text) }),
  fc.record({ kind: fc.constantFrom("compaction" as const, "move" as const), at }),
  model(fc.integer({ min: 1, max: 20_000 })),
  fc.record({ kind: fc.constant("switch" as const) }),
  { weight: 9, arbitrary: fc.constant(request) },
  { weight: 2, arbitrary: changes.map((made): Step => ({ kind: "request", changes: made })) },
);

/** Unread results that may be too large even for the model: chance alone hardly ever makes them. */
const largeResults = fc
  .integer({ min: 200, max: 2_000 })
  .map((words) => [{ type: "text", text: "word ".repeat(words) }]);
const largeUnread: fc.Arbitrary<History> = fc
  .tuple(model(fc.integer({ min: 300, max: 3_000 })), exchange(largeResults))
  .map((steps) => [...steps, request]);

/** A history of up to some 40 steps after a first prompt. */
export const histories: fc.Arbitrary<History> = fc
  .array(
    fc.oneof(
      { weight: 60, arbitrary: step.map((one): History => [one]) },
      { weight: 3, arbitrary: largeUnread },
      { weight: 1, arbitrary: fc.constant<History>([{ kind: "damage" }]) },
    ),
    { minLength: 3, maxLength: 40, size: "max" },
  )
  .map((parts) => parts.flat());

/** Budgets from 1 up; most let a few exchanges in. */
export const budgets: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 200, max: 4_000 }) },
  fc.integer({ min: 1, max: 200 }),
);

/** Adds what a step adds. Steps that are not about stored entries add nothing. */
export function addTo(building: BranchBuilder, step: Step): void {
  switch (step.kind) {
    case "user":
      building.user(step.content);
      return;
    case "exchange":
      addExchange(building, step.calls, step.usage);
      return;
    case "answer":
      building.assistant({ text: step.text, usage: usageOf(step.usage) });
      return;
    case "interrupted":
      addInterrupted(building, step.how, step.results);
      return;
    case "retried":
      building.assistant({ text: step.text, stopReason: "error" });
      building.contextEdit(building.leafId);
      return;
    case "damage":
      // A result without its call: in the stored history, but in no request.
      building.result({ callId: "nobody", text: "an answer to nothing" });
      building.contextEdit(building.leafId);
      return;
    case "custom":
      building.custom(step.text);
      return;
    case "bash":
    case "withheld":
      building.bash("run", step.text, step.kind === "bash" ? "sent" : "withheld");
      return;
    case "summary":
      building.branchSummary(step.text, "x");
      return;
    case "edit":
      building.contextEdit(entryAt(building, step.at), step.text);
      return;
    case "compaction":
      building.compaction("What happened.", entryAt(building, step.at));
      return;
    case "move":
      building.goTo(entryAt(building, step.at));
      return;
    default:
  }
}

function addExchange(building: BranchBuilder, calls: readonly CallStep[], measured: unknown): void {
  // Few ids, so that they come back in later turns.
  const drafts = calls.map((_, n) => ({ name: "read", id: `c${n}` }));
  building.assistant({ text: "I look.", calls: drafts, usage: usageOf(measured) });
  calls.forEach(({ content, isError, isInterrupted }, n) => {
    if (isInterrupted) building.custom("Meanwhile.");
    building.result({ callId: `c${n}`, content: content as ContentBlock[], isError });
  });
}

/** Aborted and failed runs may lack results, and so does a run that was killed: only the user goes on from there. */
function addInterrupted(building: BranchBuilder, how: "aborted" | "error" | "killed", results: number): void {
  const calls = [
    { name: "read", id: "c0" },
    { name: "read", id: "c1" },
    { name: "read", id: "c2" },
  ];
  building.assistant({ text: "I look.", calls, ...(how === "killed" ? {} : { stopReason: how }) });
  for (let n = 0; n < results; n++) building.result({ callId: `c${n}`, text: "done" });
  if (how === "killed") building.user("Go on.");
}

function entryAt(building: BranchBuilder, at: number): string {
  const { path } = building;
  return path[at % path.length]?.id ?? building.leafId;
}

function usageOf(measured: unknown): Partial<AssistantMessage["usage"]> {
  return measured as Partial<AssistantMessage["usage"]>;
}

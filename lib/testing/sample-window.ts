import type { UnitView, WindowView } from "../strategies/window-view.ts";

/** A window to show to a strategy. Everything has a default. */
export interface SampleOptions {
  /** Kinds default to `turn`, tokens to 100, keys to true. */
  readonly units?: readonly Partial<UnitView>[];
  readonly start?: number;
  readonly budgetTokens?: number;
  /** What cannot leave: resident input, the active request, unread results. */
  readonly protectedTokens?: number;
  /** The notice when the first `boundary` units have left, in tokens; 20 by default, nothing at 0. */
  readonly noticeTokensAt?: (boundary: number) => number;
}

/** A frozen view: a strategy that tries to change it throws. */
export function sampleWindow(options: SampleOptions = {}): WindowView {
  const { start = 0, budgetTokens = 1_000, protectedTokens = 100, noticeTokensAt = () => 20 } = options;
  const units = (options.units ?? []).map(
    (unit): UnitView => Object.freeze({ kind: "turn", tokens: 100, keyed: true, ...unit }),
  );
  return Object.freeze({
    units: Object.freeze(units),
    start,
    budgetTokens,
    tokensAt: (boundary: number) => {
      const staying = units.slice(boundary).reduce((sum, unit) => sum + unit.tokens, 0);
      return protectedTokens + staying + (boundary === 0 ? 0 : noticeTokensAt(boundary));
    },
  });
}

/** Windows of every shape that the suites go through, each with a name for the message of a failure. */
export function sampleWindows(): readonly (readonly [name: string, view: WindowView])[] {
  const turns = (count: number, unit: Partial<UnitView> = {}) => Array.from({ length: count }, () => unit);
  const keyed = turns(20);
  return [
    ["nothing that can leave", sampleWindow({ protectedTokens: 2_000 })],
    ["nothing that must leave", sampleWindow({ units: turns(3) })],
    ["twice the budget", sampleWindow({ units: keyed })],
    ["a remembered cut", sampleWindow({ units: keyed, start: 7 })],
    ["a remembered cut behind everything", sampleWindow({ units: keyed, start: 20, protectedTokens: 2_000 })],
    ["protected content above the budget", sampleWindow({ units: keyed, protectedTokens: 1_001 })],
    [
      "protected content that leaves no room for a notice",
      sampleWindow({ units: keyed, protectedTokens: 981 }),
    ],
    ["one unit above the budget", sampleWindow({ units: [{ tokens: 5_000 }] })],
    ["units without tokens", sampleWindow({ units: turns(5, { tokens: 0 }), protectedTokens: 1_001 })],
    ["no keys", sampleWindow({ units: turns(20, { keyed: false }) })],
    ["keyless at the end", sampleWindow({ units: [...turns(5), ...turns(15, { keyed: false })] })],
    ["keyless at the front", sampleWindow({ units: [...turns(15, { keyed: false }), ...turns(5)] })],
    [
      "a long active turn",
      sampleWindow({ units: [...turns(3), ...turns(17, { kind: "exchange", tokens: 80 })] }),
    ],
    [
      "a completed partial turn",
      sampleWindow({
        units: [{ kind: "partial" }, { kind: "remainder", tokens: 400 }, ...turns(10)],
        start: 1,
      }),
    ],
    [
      "a notice that grows",
      sampleWindow({
        units: turns(20, { tokens: 50 }),
        protectedTokens: 700,
        noticeTokensAt: (boundary) => (boundary > 18 ? 290 : 20),
      }),
    ],
    ...Array.from({ length: 200 }, (_, seed) => [`random ${seed}`, randomWindow(seed)] as const),
  ];
}

const KINDS: readonly UnitView["kind"][] = ["prefix", "turn", "exchange"];

/** The same window for the same seed. */
function randomWindow(seed: number): WindowView {
  const below = randomNumbers(seed);
  const units = Array.from({ length: below(30) }, () => ({
    kind: KINDS[below(KINDS.length)] ?? "turn",
    tokens: below(300),
    keyed: below(3) > 0,
  }));
  const start = below(units.length + 1);
  // A cut that is remembered has a key.
  const remembered = units[start - 1];
  if (remembered) remembered.keyed = true;
  const notices = Array.from({ length: units.length + 1 }, () => 20 + below(40));
  return sampleWindow({
    units,
    start,
    budgetTokens: 1 + below(2_000),
    protectedTokens: below(1_500),
    noticeTokensAt: (boundary) => notices[boundary] ?? 20,
  });
}

/** Whole numbers from 0 to below the limit, from a linear congruential generator. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

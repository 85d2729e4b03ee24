/** The conformance suites find what they are for: each broken strategy fails the one rule that it breaks. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import {
  type EvictionStrategy,
  type EvictionView,
  type FallbackStrategy,
  FifoEviction,
  KeyedBoundarySnap,
  type SnapOutcome,
  type SnapStrategy,
  type SnapView,
  StatelessFifoFallback,
} from "../lib/strategies/index.ts";
import {
  evictionConformance,
  fallbackConformance,
  sampleWindow,
  snapConformance,
  type TestRunner,
} from "../lib/testing.ts";
import { PACKAGE_DIR } from "./support/pi-hosts.ts";

/** Runs a suite at once and returns the titles of the rules that failed, each once. */
function failures(suite: (runner: TestRunner) => void): string[] {
  const failed = new Set<string>();
  const it = (title: string, body: () => void) => {
    try {
      body();
    } catch {
      failed.add(title.split(":")[0] ?? title);
    }
  };
  suite({ describe: (_title, body) => body(), it });
  return [...failed];
}

const eviction = (make: () => EvictionStrategy) => failures((runner) => evictionConformance(runner, make));
const snap = (make: () => SnapStrategy) => failures((runner) => snapConformance(runner, make));
const fallback = (make: () => FallbackStrategy) => failures((runner) => fallbackConformance(runner, make));

/** Fifo with another answer. */
function evicting(answer: (fifo: number, view: EvictionView) => number): () => EvictionStrategy {
  return () =>
    new (class extends FifoEviction {
      override evict(view: EvictionView): number {
        return answer(super.evict(view), view);
      }
    })();
}

/** The default snap with another answer. */
function snapping(answer: (outcome: SnapOutcome, view: SnapView) => SnapOutcome): () => SnapStrategy {
  return () =>
    new (class extends KeyedBoundarySnap {
      override snap(view: SnapView): SnapOutcome {
        return answer(super.snap(view), view);
      }
    })();
}

const BOUNDS = "stays within the bounds";
const BACK = "never moves back behind the remembered cut";
const FITS = "fits the budget wherever that is possible";
const EVERYTHING = "takes everything where nothing fits, so that the policy can see it";
const STATELESS = "is stateless";
const NAMED = "has a name for the cut log";

describe("evictionConformance", () => {
  it("passes the default", () => expect(eviction(() => new FifoEviction())).to.deep.equal([]));

  it("finds fractions and more than there is", () => {
    expect(eviction(evicting((fifo) => fifo + 0.5))).to.include(BOUNDS);
    expect(eviction(evicting((fifo) => fifo + 1))).to.include(BOUNDS);
  });

  it("finds a cut that moves back", () => {
    const back = evicting((fifo, { start }) => (start > 0 && fifo === start ? start - 1 : fifo));
    expect(eviction(back)).to.include(BACK);
  });

  it("finds a request that does not fit", () => {
    expect(eviction(evicting((_fifo, { start }) => start))).to.have.members([FITS, EVERYTHING]);
  });

  it("finds an over-budget request that is not shown", () => {
    const hiding = evicting((fifo, view) =>
      view.tokensAt(fifo) > view.budgetTokens && view.start === 0 ? Math.max(0, fifo - 1) : fifo,
    );
    expect(eviction(hiding)).to.deep.equal([EVERYTHING]);
  });

  it("finds memory", () => {
    let calls = 0;
    const counting = evicting((fifo, { units }) => {
      calls += 1;
      return calls % 2 === 0 ? units.length : fifo;
    });
    expect(eviction(counting)).to.deep.equal([STATELESS]);
  });

  it("finds a view that is changed", () => {
    const changing = evicting((fifo, view) => {
      (view.units as unknown[]).pop();
      return fifo;
    });
    expect(eviction(changing)).to.include(BOUNDS);
  });

  it("finds a strategy without a name", () => {
    const nameless = () =>
      new (class extends FifoEviction {
        override readonly name = " ";
      })();
    expect(eviction(nameless)).to.deep.equal([NAMED]);
  });
});

describe("snapConformance", () => {
  it("passes the default", () => expect(snap(() => new KeyedBoundarySnap())).to.deep.equal([]));

  it("finds a place outside of what may be cut", () => {
    const further = snapping((outcome, { boundary }) =>
      outcome.kind === "no-key" ? outcome : { ...outcome, boundary: boundary + 1 },
    );
    expect(snap(further)).to.include("stays between the remembered cut and the boundary that eviction chose");
  });

  it("finds a place without a key", () => {
    const keyless = snapping((outcome, { boundary }) =>
      outcome.kind === "no-key" ? outcome : { ...outcome, boundary },
    );
    expect(snap(keyless)).to.include("ends behind a unit with a key");
  });

  it("finds a request over the budget that is called keyed", () => {
    const hopeful = snapping((outcome) =>
      outcome.kind === "over-budget" ? { ...outcome, kind: "keyed" } : outcome,
    );
    expect(snap(hopeful)).to.deep.equal(["fits the budget, or says that it does not"]);
  });

  it("finds a place where nothing has a key", () => {
    const inventing = snapping((outcome, { boundary }) =>
      outcome.kind === "no-key" ? { kind: "keyed", boundary } : outcome,
    );
    expect(snap(inventing)).to.include("says so where no excluded unit has a key");
  });

  it("finds memory", () => {
    let calls = 0;
    const moody = snapping((outcome) => {
      calls += 1;
      return calls % 7 === 0 ? { kind: "no-key" } : outcome;
    });
    expect(snap(moody)).to.deep.equal([STATELESS]);
  });
});

describe("fallbackConformance", () => {
  it("passes the default", () => expect(fallback(() => new StatelessFifoFallback())).to.deep.equal([]));

  it("finds an answer that holds for one cause only", () => {
    const partial = () =>
      new (class extends StatelessFifoFallback {
        override fallBack(view: Parameters<StatelessFifoFallback["fallBack"]>[0]): number {
          return view.cause === "keyless-no-key" ? view.start : super.fallBack(view);
        }
      })();
    expect(fallback(partial)).to.have.members([FITS, EVERYTHING]);
  });
});

describe("sampleWindow", () => {
  it("prices what is protected, what stays and the notice", () => {
    const window = sampleWindow({ units: [{ tokens: 10 }, {}], protectedTokens: 5 });
    expect([0, 1, 2].map((boundary) => window.tokensAt(boundary))).to.deep.equal([115, 125, 25]);
  });

  it("cannot be changed", () => {
    const window = sampleWindow({ units: [{}] });
    expect(
      Object.isFrozen(window) && Object.isFrozen(window.units) && Object.isFrozen(window.units[0]),
    ).to.equal(true);
  });
});

describe("the entry for forks", () => {
  it("imports no test library: nothing but Node's own assert", () => {
    const texts = ["boundary-suite", "eviction-conformance", "fallback-conformance", "snap-conformance"].map(
      (name) => readFileSync(join(PACKAGE_DIR, `lib/testing/${name}.ts`), "utf8"),
    );
    const packages = texts.join("\n").matchAll(/from "([^."][^"]*)"/g);
    expect(new Set([...packages].map(([, name]) => name))).to.deep.equal(new Set(["node:assert/strict"]));
  });
});

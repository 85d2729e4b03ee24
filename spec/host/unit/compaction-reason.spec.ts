/** Why Pi is about to compact: one host says so, the other leaves only traces. */
import type { ExtensionContext, SessionBeforeCompactEvent } from "@earendil-works/pi-coding-agent";
import { expect } from "chai";
import { CurrentPiHost } from "../../../lib/host/current-pi-host.ts";
import { LegacyPiHost } from "../../../lib/host/legacy-pi-host.ts";
import { branch } from "../../support/branch-builder.ts";
import { FakePi } from "../../support/fake-pi.ts";
import { OVERFLOW } from "../../support/paging-scene.ts";

const event = (fields: object = {}) =>
  ({
    type: "session_before_compact",
    branchEntries: branch().user("hi").assistant({ text: "hello" }).path,
    preparation: { tokensBefore: 1_000 },
    ...fields,
  }) as unknown as SessionBeforeCompactEvent;
const context = (contextWindow?: number) =>
  ({ model: contextWindow === undefined ? undefined : { contextWindow } }) as unknown as ExtensionContext;

describe("CurrentPiHost.compactionReason", () => {
  it("is what the event says", () => {
    const host = new CurrentPiHost(new FakePi().api);
    for (const reason of ["manual", "threshold", "overflow"])
      expect(host.compactionReason(event({ reason }))).to.equal(reason);
  });
});

describe("LegacyPiHost.compactionReason", () => {
  const host = new LegacyPiHost(new FakePi({ host: "legacy" }).api);
  const ask = (fields: object = {}, contextWindow = 100_000) =>
    host.compactionReason(event(fields), context(contextWindow));
  const overflowed = { branchEntries: branch().user("hi").assistant(OVERFLOW).path };

  // The names of Pi's own methods, as they show in a call stack.
  class AgentSession {
    compact(fields?: object): string {
      return deep(30, () => ask(fields, 0));
    }

    _runAutoCompaction(fields?: object): string {
      return deep(30, () => ask(fields));
    }
  }
  const pi = new AgentSession();

  it("is what the event says, should it say so", () => {
    expect(ask({ reason: "threshold", customInstructions: "short" })).to.equal("threshold");
  });

  it("is manual with instructions, empty ones too", () => {
    expect(ask({ customInstructions: "short" }, 0)).to.equal("manual");
    expect(ask({ customInstructions: "" }, 0)).to.equal("manual");
  });

  it("is manual when AgentSession.compact calls, however deep and however full the window is", () => {
    expect(pi.compact()).to.equal("manual");
    expect(pi.compact(overflowed)).to.equal("manual");
  });

  it("is automatic when _runAutoCompaction calls: overflow after a refusal, else threshold", () => {
    expect(pi._runAutoCompaction()).to.equal("threshold");
    expect(pi._runAutoCompaction(overflowed)).to.equal("overflow");
  });

  it("without a known caller is overflow after a refusal, else told by the room that is left", () => {
    expect(ask(overflowed)).to.equal("overflow");
    expect(ask({ preparation: { tokensBefore: 83_616 } })).to.equal("manual");
    expect(ask({ preparation: { tokensBefore: 83_617 } })).to.equal("threshold");
  });

  it("leaves the length of stack traces as it was", () => {
    const before = Error.stackTraceLimit;
    Error.stackTraceLimit = 7;
    try {
      ask();
      expect(Error.stackTraceLimit).to.equal(7);
    } finally {
      Error.stackTraceLimit = before;
    }
  });
});

/** Calls `run` below that many frames. */
function deep<T>(frames: number, run: () => T): T {
  return frames === 0 ? run() : deep(frames - 1, run);
}

import { expect } from "chai";
import fc from "fast-check";
import { BranchProjection } from "../../../lib/session/branch-projection.ts";
import { type BranchBuilder, branch } from "../../support/branch-builder.ts";
import { piMessages } from "../../support/paging-session.ts";
import { projectionState } from "../../support/projection-state.ts";
import { seededRuns } from "../../support/property-runs.ts";

/** Anything that can be appended, in any order: most of the branches are damaged somewhere. */
const action = fc.record({
  kind: fc.constantFrom(
    "user",
    "assistant",
    "aborted",
    "calls",
    "calls",
    "result",
    "result",
    "results",
    "custom",
    "bash",
    "summary",
    "compaction",
    "edit",
    "replace",
    "back",
  ),
  pick: fc.nat(30),
});

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

function act(building: BranchBuilder, { kind, pick }: Action): void {
  const any = building.entries[pick % Math.max(1, building.entries.length)]?.id ?? "none";
  const calls = Array.from({ length: 1 + (pick % 3) }, (_, n) => ({
    name: "read",
    id: `c${(pick + n) % 5}`,
  }));
  switch (kind) {
    case "user":
      building.user(`u${pick}`);
      return;
    case "assistant":
      building.assistant({ text: "a" });
      return;
    case "aborted":
      building.assistant({ calls, stopReason: pick % 2 ? "aborted" : "error" });
      return;
    case "calls":
      building.assistant({ calls });
      return;
    case "result":
      building.result(pick % 5 ? "r" : { callId: `c${pick % 7}` });
      return;
    case "results":
      building.results("r");
      return;
    case "custom":
      building.custom("x");
      return;
    case "bash":
      building.bash("b", "out", pick % 2 ? "sent" : "withheld");
      return;
    case "summary":
      building.branchSummary("s", any);
      return;
    case "compaction":
      building.compaction("sum", any);
      return;
    case "edit":
      building.contextEdit(any);
      return;
    case "replace":
      building.contextEdit(any, "replaced");
      return;
    case "back":
      if (building.entries.length > 0) building.goTo(any);
  }
}

describe("BranchProjection: any session, damaged or not", () => {
  for (const { title, ...parameters } of seededRuns(120)) {
    it(`answers after each step, also to another branch, as a fresh one and as Pi itself does (${title})`, () => {
      fc.assert(
        fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
          const building = branch();
          const followed = new BranchProjection();
          for (const next of actions) {
            act(building, next);
            const fresh = new BranchProjection();
            fresh.update(building.path);
            followed.update(building.path);
            expect(projectionState(followed, building.path)).to.deep.equal(
              projectionState(fresh, building.path),
            );
            const visible = followed.session.messages.filter(({ hidden }) => !hidden);
            expect(visible.map(({ message }) => message)).to.deep.equal(piMessages(building.path));
          }
        }),
        parameters,
      );
    }).timeout(30_000);
  }
});

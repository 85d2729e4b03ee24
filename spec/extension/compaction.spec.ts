/** Compaction while paging is on and off: section "Lifecycle". */
import { expect } from "chai";
import type { CompactionEntry } from "../../lib/messages.ts";
import { PagingScene } from "../support/paging-scene.ts";

const attempt = (scene: PagingScene, reason: string) =>
  scene.emit("session_before_compact", { reason, branchEntries: scene.session.path });

/** Appends the entry of a compaction that keeps the newest entries, or every entry beside its summary. */
function compact(scene: PagingScene, keptEntries: number | "all" = 1): CompactionEntry {
  const firstKept = scene.entry(keptEntries === "all" ? 0 : -keptEntries);
  scene.session.compaction("What was said so far.", firstKept.id);
  const entry = scene.entry(-1);
  if (entry.type !== "compaction") throw new Error("not a compaction");
  return entry;
}

const told = (scene: PagingScene, compactionEntry: CompactionEntry) =>
  scene.emit("session_compact", { compactionEntry, fromExtension: false, reason: "manual" });

describe("compaction", () => {
  for (const reason of ["threshold", "overflow"]) {
    it(`for the ${reason} is cancelled while paging is on, and only then`, async () => {
      const scene = await PagingScene.open();
      expect(await attempt(scene, reason)).to.deep.equal({ cancel: true });
      await scene.command("off");
      expect(await attempt(scene, reason)).to.equal(undefined);
      await scene.command("on");
      expect(await attempt(scene, reason)).to.deep.equal({ cancel: true });
    });

    it(`for the ${reason} that is cancelled resets neither cut nor accounting`, async () => {
      const scene = await PagingScene.withCut();
      await attempt(scene, reason);
      expect(await scene.hasForgottenCut()).to.equal(false);
      await attempt(scene, reason);
      expect(await scene.hasForgottenMeasures()).to.equal(false);
    });
  }

  it("by hand is never cancelled", async () => {
    const scene = await PagingScene.open();
    expect(await attempt(scene, "manual")).to.equal(undefined);
    await scene.command("off");
    expect(await attempt(scene, "manual")).to.equal(undefined);
  });

  it("by hand clears accounting when it is tried, but its cut survives until it succeeds", async () => {
    const scene = await PagingScene.withCut();
    await attempt(scene, "manual");
    expect(await scene.hasForgottenCut()).to.equal(false);
    await attempt(scene, "manual");
    expect(await scene.hasForgottenMeasures()).to.equal(true);
  });

  it("that succeeded resets both, told by the event", async () => {
    const scene = await PagingScene.withCut();
    await told(scene, compact(scene, "all"));
    expect(await scene.hasForgottenMeasures()).to.equal(true);
    await scene.cut();
    await told(scene, compact(scene, "all"));
    expect(await scene.hasForgottenCut()).to.equal(true);
  });

  it("that succeeded resets both, told by its saved entry alone", async () => {
    const scene = await PagingScene.withCut();
    compact(scene, "all");
    await scene.emit("turn_end");
    expect(await scene.hasForgottenMeasures()).to.equal(true);
    await scene.cut();
    compact(scene, "all");
    expect(await scene.hasForgottenCut()).to.equal(true);
  });

  it("is one reset: the saved entry after the event leaves a new cut alone", async () => {
    const scene = await PagingScene.withCut();
    const before = scene.session.leafId;
    const entry = compact(scene);
    const path = scene.session.path;
    // The event comes first; the branch shows the entry only after the next request.
    await told(scene, entry);
    scene.session.goTo(before);
    await scene.cut();
    const grown = scene.session.path;
    scene.pi.branch = [...grown, ...path.slice(-1)];
    await scene.pi.emit("turn_end", { message: scene.session.messages.at(-1) });
    scene.pi.branch = grown;
    expect(await scene.hasForgottenCut()).to.equal(false);
  });

  it("is one reset: the event after the saved entry leaves a new cut alone", async () => {
    const scene = await PagingScene.withCut();
    const entry = compact(scene);
    await scene.cut();
    await told(scene, entry);
    expect(await scene.hasForgottenCut()).to.equal(false);
    await told(scene, entry);
    expect(await scene.hasForgottenMeasures()).to.equal(false);
  });

  for (const first of ["event", "saved entry"] as const) {
    it(`ends a forced advance that is due, told by the ${first} first`, async () => {
      const scene = await PagingScene.withCut();
      await scene.overflow("shown");
      // Half of the budget is kept: more than a forced advance would leave.
      const entry = compact(scene, 30);
      if (first === "event") await told(scene, entry);
      await scene.emit("turn_end");
      await scene.prompt();
      expect(await scene.request()).to.include({ isAborted: false, notice: undefined });
    });
  }

  it("before the start of a session resets nothing", async () => {
    const scene = await PagingScene.open();
    scene.turns(1);
    compact(scene);
    await scene.emit("session_start", { reason: "resume" });
    await scene.cut();
    await scene.emit("turn_end");
    expect(await scene.hasForgottenCut()).to.equal(false);
  });
});

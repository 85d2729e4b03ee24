/** What ends the cut, and what ends only the accounting: section "Lifecycle". */
import { expect } from "chai";
import { OVERFLOW, PagingScene } from "../support/paging-scene.ts";

describe("cut and accounting over Pi's lifecycle", () => {
  let scene: PagingScene;

  beforeEach(async () => {
    scene = await PagingScene.withCut();
  });

  /** Plays something on a scene with a cut, and on another one to see the accounting too. */
  const afterwards = async (play: (scene: PagingScene) => unknown) => {
    await play(scene);
    const other = await PagingScene.withCut();
    await play(other);
    return {
      cut: (await scene.hasForgottenCut()) ? "reset" : "kept",
      accounting: (await other.hasForgottenMeasures()) ? "reset" : "kept",
    };
  };
  const KEPT = { cut: "kept", accounting: "kept" };
  const RESET = { cut: "reset", accounting: "reset" };
  const ACCOUNTING_ONLY = { cut: "kept", accounting: "reset" };

  it("keeps both from request to request", async () => {
    expect(await afterwards(() => {})).to.deep.equal(KEPT);
  });

  for (const reason of ["startup", "reload", "new", "resume", "fork"]) {
    it(`session_start (${reason}) resets both`, async () => {
      expect(await afterwards((on) => on.emit("session_start", { reason }))).to.deep.equal(RESET);
    });
  }

  it("session_tree resets both", async () => {
    expect(await afterwards((on) => on.emit("session_tree"))).to.deep.equal(RESET);
  });

  for (const contextWindow of [64_000, 256_000]) {
    it(`model_select resets both, to a window of ${contextWindow}`, async () => {
      const select = (on: PagingScene) => {
        on.pi.model = { provider: "p", id: "other", api: "openai-completions", contextWindow };
        return on.emit("model_select", { model: on.pi.model });
      };
      expect(await afterwards(select)).to.deep.equal(RESET);
    });
  }

  it("a saved context_edit resets both", async () => {
    const edit = async (on: PagingScene) => {
      on.session.contextEdit(on.entry(-2).id, "edited");
      await on.turnEnd();
    };
    expect(await afterwards(edit)).to.deep.equal(RESET);
  });

  it("a saved context_edit that hides a good response resets both", async () => {
    const edit = async (on: PagingScene) => {
      on.session.contextEdit(on.entry(-2).id);
      await on.turnEnd();
    };
    expect(await afterwards(edit)).to.deep.equal(RESET);
  });

  for (const stopReason of ["error", "aborted"] as const) {
    it(`Pi's retry edit of a response that ended with "${stopReason}" clears accounting only`, async () => {
      const retry = async (on: PagingScene) => {
        on.session.assistant({ text: "So", stopReason }).contextEdit(on.session.leafId);
        await on.turnEnd();
      };
      expect(await afterwards(retry)).to.deep.equal(ACCOUNTING_ONLY);
    });
  }

  it("the retry edits of its tool results clear accounting only, too", async () => {
    const retry = async (on: PagingScene) => {
      const calls = [{ name: "read" }, { name: "read" }];
      on.session.assistant({ calls, stopReason: "error" }).results("text");
      for (const attempt of [on.entry(-3), on.entry(-2), on.entry(-1)]) on.session.contextEdit(attempt.id);
      await on.turnEnd();
    };
    expect(await afterwards(retry)).to.deep.equal(ACCOUNTING_ONLY);
  });

  it("an edit that rewrites a failed response is no retry edit", async () => {
    const edit = async (on: PagingScene) => {
      on.session.assistant({ text: "So", stopReason: "error" }).contextEdit(on.session.leafId, "Edited.");
      await on.turnEnd();
    };
    expect(await afterwards(edit)).to.deep.equal(RESET);
  });

  it("an edit that came before the start of the session resets nothing", async () => {
    scene.session.contextEdit(scene.entry(-2).id, "edited");
    await scene.emit("session_start", { reason: "resume" });
    await scene.cut();
    await scene.turnEnd();
    expect(await scene.hasForgottenCut()).to.equal(false);
  });

  it("entries of other kinds reset nothing", async () => {
    const append = async (on: PagingScene) => {
      on.session.model("p", "m").state("other", {}).custom("A note of another extension.");
      await on.turnEnd();
    };
    expect(await afterwards(append)).to.deep.equal(KEPT);
  });

  it("attempts to branch, fork or switch that are canceled reset nothing", async () => {
    const attempt = async (on: PagingScene) => {
      for (const event of ["session_before_tree", "session_before_fork", "session_before_switch"])
        expect(await on.emit(event), event).to.equal(undefined);
    };
    expect(await afterwards(attempt)).to.deep.equal(KEPT);
  });

  it("a failed selection commits no advance and keeps the cut", async () => {
    const { noticeTime } = await scene.request();
    scene.turns(16).prompt();
    const orphan = {
      ...scene.messages.find(({ role }) => role === "toolResult"),
      toolCallId: "no-such-call",
    };
    const failed = await scene.request([...scene.messages, orphan as (typeof scene.messages)[number]]);
    expect(failed.isAborted).to.equal(true);
    scene.session.goTo(scene.session.path.at(-66)?.id ?? "");
    expect((await scene.request()).noticeTime).to.equal(noticeTime);
  });

  it("missing raw keys end the cut without an abort, and the next advance makes a fresh one", async () => {
    const [root] = scene.session.path;
    if (root) scene.session.goTo(root.id);
    const fresh = await scene.turns(16).prompt().request();
    expect(fresh).to.include({ isAborted: false });
    const { noticeTime } = await scene.request();
    expect(await scene.request()).to.deep.include({ noticeTime, isAborted: false });
  });

  it("no cut outlives the extension: another instance starts with the whole session", async () => {
    const restarted = await PagingScene.open({ paging: { tokenBudget: 30_000 } });
    for (const entry of scene.session.path) restarted.session.entry(entry);
    expect((await restarted.request()).isUnchanged).to.equal(true);
    expect(scene.pi.otherCalls, "calls that could store something").to.deep.equal([]);
  });

  it("accounting holds what the provider measured: forgotten, local estimates count again", async () => {
    const isCut = async (event?: string) => {
      const on = await PagingScene.open();
      on.turns(8).prompt();
      await on.request();
      on.answer(2_990);
      await on.turnEnd();
      if (event) await on.emit(event);
      return !(await on.turns(1).prompt().request()).isUnchanged;
    };
    expect(await isCut(), "measured").to.equal(true);
    for (const event of ["session_start", "session_tree", "model_select"])
      expect(await isCut(event), event).to.equal(false);
  });

  it("the overflow mark survives the retry edit", async () => {
    const before = await scene.request();
    await scene.overflow("hidden", OVERFLOW);
    const after = await scene.request();
    expect(after.noticeTime).to.not.equal(before.noticeTime);
    expect(after.messages.length).to.be.lessThan(before.messages.length);
  });
});

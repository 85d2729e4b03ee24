/** Reported faults, group G: sessions, branches and lifecycle. */
import { expect } from "chai";
import { branch } from "../support/branch-builder.ts";
import { itemsOf, projectionOf } from "../support/history.ts";
import { PagingScene } from "../support/paging-scene.ts";
import { prose } from "../support/prose.ts";
import { turns } from "../support/talk.ts";

interface Found {
  readonly references: readonly { readonly historyId: string; readonly preview: string }[];
  readonly total: number;
}

/** The row of the stats with this label. */
async function row(scene: PagingScene, label: string): Promise<string> {
  const [text = ""] = await scene.command("stats");
  const line = text.split("\n").find((candidate) => candidate.trim().startsWith(label));
  return line?.trim().slice(label.length).trim() ?? "";
}

describe("D33 recall from the wrong branch, and state after fork or tree", () => {
  /** A session with a branch that was left, which holds needle-A, and the active one, which holds needle-B. */
  async function forked(): Promise<PagingScene> {
    const scene = await PagingScene.open();
    const fork = scene.turns(2).session.leafId;
    scene.session.user("needle-A in a branch that was left").assistant({ text: "seen A" });
    const { references } = await scene.tool<Found>("search_history", { query: "needle-A" });
    expect(references[0]?.preview).to.contain("needle-A");
    scene.session.goTo(fork);
    await scene.emit("session_tree");
    scene.session.user("needle-B").assistant({ text: "seen B" });
    return scene;
  }

  it("search, browse and load see the active branch only", async () => {
    const scene = await forked();
    const { references } = await scene.tool<Found>("search_history", { query: "needle-A", limit: 10 });
    for (const { preview } of references) expect(preview).to.not.contain("needle-A");
    const browsed = await scene.tool<Found>("browse_history", { direction: "backward", count: 10 });
    expect(browsed.references.map(({ preview }) => preview).slice(-2)).to.deep.equal(["needle-B", "seen B"]);
    expect(JSON.stringify(browsed)).to.not.contain("needle-A");
    const left = scene.session.entries.find((entry) => JSON.stringify(entry).includes("needle-A"))?.id;
    const refused = await scene
      .tool("load_history", { historyIds: [left] })
      .catch((error: Error) => error.message);
    expect(refused).to.match(/^UNKNOWN_HISTORY_ID: /);
  });

  it("a fork has the history that it took over, in its tools and stats, and the stats say so", async () => {
    const parent = await PagingScene.open();
    parent.turns(4).session.user("needle of the parent, after the fork");
    const child = await PagingScene.resumed(branch().adopt(parent.session.path.slice(0, 8)));
    child.pi.parentSession = "parent.jsonl";
    const { references } = await child.tool<Found>("search_history", { query: "needle of the parent" });
    expect(JSON.stringify(references)).to.not.contain("needle");
    expect((await child.command("stats"))[0]).to.contain("Saved history, with what the fork took over");
    expect((await parent.command("stats"))[0]).to.not.contain("fork");
    const tokens = async (scene: PagingScene) =>
      Number((await row(scene, "History tokens")).replace(/\D/g, ""));
    expect(await tokens(child)).to.be.within(0.4 * (await tokens(parent)), 0.6 * (await tokens(parent)));
  });

  it("/tree back to before the cut: the cut and what was measured are those of the new branch", async () => {
    const scene = await PagingScene.withCut();
    const cut = await scene.request();
    expect(cut.isUnchanged).to.equal(false);
    scene.session.goTo(scene.session.path[11]?.id ?? "").user("again");
    await scene.emit("session_tree");
    expect(await scene.request()).to.include({ isUnchanged: true, isAborted: false });
    expect((await scene.request()).messages).to.have.length(13);
    const other = await PagingScene.withCut();
    const { noticeTime } = await other.request();
    other.session.goTo(other.entry(-5).id).user("from behind the cut, too");
    await other.emit("session_tree");
    expect((await other.request()).noticeTime, "a cut of its own").to.not.equal(noticeTime);
    expect((await other.request()).isAborted).to.equal(false);
  });

  it("/new and /resume in one process: nothing of one session is in the other", async () => {
    const scene = await PagingScene.withCut();
    const first = scene.session.path;
    const { noticeTime } = await scene.request();
    scene.session.goTo("");
    scene.pi.sessionId = "session-2";
    await scene.emit("session_start", { reason: "new" });
    scene.session.user("needle-new");
    expect(await scene.request()).to.include({ isUnchanged: true });
    expect((await scene.tool<Found>("search_history", { query: "Prompt" })).references).to.deep.equal([]);
    scene.session.goTo(first.at(-1)?.id ?? "");
    scene.pi.sessionId = "session-1";
    await scene.emit("session_start", { reason: "resume" });
    const resumed = await scene.request();
    expect(resumed.isUnchanged).to.equal(false);
    expect(resumed.noticeTime, "a cut of its own").to.not.equal(noticeTime);
    expect(
      (await scene.tool<Found>("search_history", { query: "needle-new" })).references
        .map(({ preview }) => preview)
        .join(),
    ).to.not.contain("needle-new");
  });
});

describe("D34 ids that are not unique, lines that are not JSON", () => {
  // Pi itself reads the file. What it hands over may hold ids twice, in any order, with parents that do not exist.
  it("duplicates of the first two entries: every request is legal and within the budget, load says that the id is ambiguous", async () => {
    const building = turns(branch(), 1, 2);
    for (let n = 3; n <= 20; n++) building.turn(`u${n}`, [{ name: "read" }], prose(n, 900));
    const [first, second] = building.path;
    const path = [...building.path, ...(first && second ? [first, second] : [])];
    const scene = await PagingScene.open();
    scene.session.adopt(path);
    const messages = path.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
    scene.pi.branch = path;
    for (let n = 0; n < 3; n++) {
      const result = (await scene.pi.emit("context", { messages: structuredClone(messages) })) as {
        messages: object[];
      };
      expect(result.messages.length).to.be.below(messages.length);
      expect(scene.report.tokensAfter).to.be.at.most(3_000);
    }
    expect(scene.pi.aborts).to.equal(0);
    const refused = await scene.pi.tool("load_history", { historyIds: ["00000001"] }).then(
      () => "loaded",
      (error: Error) => error.message,
    );
    expect(refused).to.match(/^UNKNOWN_HISTORY_ID: 2 items of this session share the historyId "00000001"/);
    const page = scene.pi.tool("read_context_output", { historyId: "00000001", source: "user" });
    const unread = await page.then(
      () => "read",
      (error: Error) => error.message,
    );
    expect(unread).to.match(/^UNKNOWN_HISTORY_ID: .*or several with this id/);
  });

  it("a parent that does not exist and a cycle of parents: the walk is bounded by the list that Pi gives", () => {
    const building = turns(branch(), 1, 3);
    const lost = building.path.map((entry, index) =>
      index === 2 ? { ...entry, parentId: "nowhere" } : entry,
    );
    const cycle = building.path.map((entry, index) =>
      index === 0 ? { ...entry, parentId: building.leafId } : entry,
    );
    for (const path of [lost, cycle]) expect(itemsOf(path)).to.have.length(6);
  });

  it("entries of an unknown type are skipped, not errors", async () => {
    const building = branch()
      .user("u1")
      .assistant({ calls: [{ name: "read" }] })
      .entry({ type: "hologram", data: { role: "user" } } as never)
      .results("r")
      .message({ role: "hologram", content: "x", timestamp: 1 } as never)
      .user("u2");
    expect(projectionOf(building.path).error).to.equal(undefined);
    expect(itemsOf(building.path).map(({ kind }) => kind)).to.deep.equal(["user", "modelTurn", "user"]);
    const scene = await PagingScene.resumed(building);
    expect(await scene.request()).to.include({ isAborted: false });
    expect(await scene.cut()).to.include({ isAborted: false, isUnchanged: false });
  });
});

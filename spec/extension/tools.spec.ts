/** The recovery tools as the extension registers them: sections "Package seam", "Lifecycle", "Failure behavior". */
import { expect } from "chai";
import { RECOVERY_TOOL_NAMES } from "../../lib/session/recovery-tool-names.ts";
import { PagingScene } from "../support/paging-scene.ts";

interface Found {
  readonly references: readonly { readonly historyId: string; readonly inWindow: boolean }[];
}

const CALLS: Readonly<Record<string, object>> = {
  search_history: { query: "Prompt" },
  browse_history: { direction: "forward" },
  load_history: { historyIds: ["00000001"] },
  read_context_output: { historyId: "00000001", source: "user" },
};

/** What each tool answers, or how it refuses. */
async function answers(scene: PagingScene): Promise<string[]> {
  const asked = Object.entries(CALLS).map(([name, input]) =>
    scene.tool(name, input).then(JSON.stringify, (error: Error) => error.message),
  );
  return Promise.all(asked);
}

const unreadable = {
  get globalSettings(): unknown {
    throw new Error("unreadable");
  },
  projectTrusted: false,
};

const search = (scene: PagingScene, query: string) => scene.tool<Found>("search_history", { query });

describe("recovery tools of the extension", () => {
  it("are registered at the start of a session, once, and are the four of recovery", async () => {
    const scene = new PagingScene();
    expect(scene.pi.registeredTools).to.deep.equal([]);
    for (const reason of ["startup", "new", "resume"]) await scene.emit("session_start", { reason });
    const names = scene.pi.registeredTools.map(({ name }) => name);
    expect(names)
      .to.have.length(4)
      .and.to.have.members([...RECOVERY_TOOL_NAMES]);
  });

  it("are not registered under a name that another extension owns, which is told once", async () => {
    const scene = new PagingScene();
    scene.pi.tools = [{ name: "load_history", description: "Another one", parameters: {} }];
    for (const reason of ["startup", "new", "resume"]) await scene.emit("session_start", { reason });
    expect(scene.pi.registeredTools.map(({ name }) => name)).to.have.members(
      [...RECOVERY_TOOL_NAMES].filter((name) => name !== "load_history"),
    );
    expect(scene.pi.told).to.have.length(1);
    expect(scene.pi.told[0]).to.match(/^warning: Another extension owns load_history: /);
  });

  it("refuse while paging is off, also where the settings cannot be read, and work again when it is on", async () => {
    const scene = await PagingScene.open();
    scene.turns(2);
    const working = await answers(scene);
    for (const answer of working) expect(answer).to.match(/^\{/);
    await scene.command("off");
    for (const answer of await answers(scene)) expect(answer).to.match(/^CONTEXT_PAGING_DISABLED: /);
    await scene.command("on");
    expect(await answers(scene)).to.deep.equal(working);
    const unread = new PagingScene({ settings: unreadable });
    expect(await unread.emit("session_start").catch(String)).to.equal("Error: unreadable");
    for (const answer of await answers(unread.turns(2)))
      expect(answer).to.match(/^CONTEXT_PAGING_DISABLED: /);
  });

  it("see the branch that is active after /tree, and nothing of the one that was left", async () => {
    const scene = await PagingScene.open();
    const fork = scene.turns(1).session.leafId;
    scene.session.user("needle-A").assistant({ text: "left" });
    expect((await search(scene, '"needle-A"')).references).to.have.length(1);
    scene.session.goTo(fork).user("needle-B");
    await scene.emit("session_tree");
    expect((await search(scene, '"needle-B"')).references.map(({ historyId }) => historyId)).to.deep.equal([
      scene.session.leafId,
    ]);
    const { references } = await scene.tool<Found>("browse_history", { direction: "backward", count: 10 });
    expect(references.map(({ historyId }) => historyId)).to.not.include("00000005");
  });

  it("are answered alike before and after a cut, but for what the window holds", async () => {
    const scene = await PagingScene.open();
    scene.turns(16).prompt();
    const before = await answers(scene);
    expect((await scene.request()).isUnchanged).to.equal(false);
    // What a search ranks first depends on the window; what the others find does not.
    expect((await answers(scene)).slice(1)).to.deep.equal(before.slice(1));
    const { references } = await scene.tool<Found>("browse_history", { direction: "backward" });
    expect(references.map(({ inWindow }) => inWindow)).to.deep.equal([true, true, true, true, true]);
  });

  it("read stored texts once, however often the branch grows", async () => {
    const scene = await PagingScene.open();
    let reads = 0;
    const [message] = scene.session.user("once").messages;
    Object.defineProperty(message, "content", {
      enumerable: true,
      get: () => {
        reads += 1;
        return "once";
      },
    });
    await search(scene, "zebra");
    const first = reads;
    for (let n = 1; n <= 5; n += 1) await search(scene.turns(1), "zebra");
    expect(reads - first).to.be.below(first);
  });
});

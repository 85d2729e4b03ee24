/** What happens to a request when something fails: section "Failure behavior". */
import { expect } from "chai";
import type { AgentMessage } from "../../lib/messages.ts";
import { EvictionStrategy } from "../../lib/strategies/index.ts";
import { PagingScene } from "../support/paging-scene.ts";

class BrokenEviction extends EvictionStrategy {
  override readonly name = "broken";

  protected override place(): number {
    throw new TypeError("no place to cut");
  }
}

describe("context selection error", () => {
  const orphan = (scene: PagingScene) => scene.messages.slice(2);

  it("aborts the request, keeps its messages and is told with what to do", async () => {
    const scene = await PagingScene.open();
    scene.turns(2).prompt();
    const incoming = orphan(scene);
    const sent = await scene.request(incoming);
    expect(sent).to.include({ isAborted: true, isUnchanged: true });
    expect(sent.messages).to.deep.equal(incoming);
    expect(scene.pi.told).to.have.length(1);
    expect(scene.pi.told[0])
      .to.match(/^error: The request breaks the pairing/)
      .and.contain("/context-paging off");
  });

  it("a request that is too large even without its history names the whole estimate, with or without a turn", async () => {
    const scene = await PagingScene.open();
    scene.session.user("word ".repeat(4_000));
    expect(await scene.request()).to.include({ isAborted: true, isUnchanged: true });
    const injected = { role: "user", content: "word ".repeat(4_000), timestamp: 1 } as const;
    const other = await PagingScene.open();
    expect(await other.request([injected])).to.include({ isAborted: true });
    for (const { pi } of [scene, other])
      expect(pi.told[0]).to.match(/^error: Resident and retained request estimate of 5\d{3} tokens exceeds/);
  });

  it("too much resident input is one: nothing goes out", async () => {
    const scene = await PagingScene.open();
    scene.pi.systemPrompt = "word ".repeat(4_000);
    const sent = await scene.prompt().request();
    expect(sent).to.include({ isAborted: true, isUnchanged: true });
    expect(scene.pi.told[0]).to.match(/^error: Resident input estimate of \d+ tokens exceeds/);
  });

  it("an error without a code aborts just the same", async () => {
    const scene = await PagingScene.open({ strategies: { eviction: new BrokenEviction() } });
    expect(await scene.cut()).to.include({ isAborted: true, isUnchanged: true });
    expect(scene.pi.told).to.deep.equal(["error: no place to cut"]);
  });

  it("so does one of Pi itself, when the request is read", async () => {
    const scene = await PagingScene.open();
    Object.defineProperty(scene.pi, "systemPrompt", {
      get: () => {
        throw "stale";
      },
    });
    expect(await scene.prompt().request()).to.include({ isAborted: true, isUnchanged: true });
    expect(scene.pi.told).to.deep.equal(["error: stale"]);
  });

  it("aborts although it cannot be told", async () => {
    const scene = await PagingScene.open();
    scene.pi.ui.notifications.push = () => {
      throw new Error("no screen");
    };
    scene.turns(2).prompt();
    const failure: unknown = await scene.request(orphan(scene)).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect(scene.pi.aborts).to.equal(1);
  });

  it("is over with the next request that can be selected", async () => {
    const scene = await PagingScene.open();
    scene.turns(2).prompt();
    await scene.request(orphan(scene));
    expect(await scene.request()).to.include({ isAborted: false, isUnchanged: true });
  });

  it("changes no message of a request, whether it fails or is cut", async () => {
    const scene = await PagingScene.open();
    scene.turns(16).prompt();
    for (const messages of [scene.messages, orphan(scene)]) {
      const before = structuredClone(messages);
      await scene.emit("context", { messages });
      expect(messages).to.deep.equal(before);
    }
    expect(scene.session.messages).to.deep.equal(scene.messages);
  });
});

describe("history error", () => {
  /** A stored result without its call; the request itself is sound. */
  async function damaged(): Promise<{ scene: PagingScene; sound: AgentMessage[] }> {
    const scene = await PagingScene.open();
    scene.session.result("nobody asked");
    scene.turns(16).prompt();
    return { scene, sound: scene.messages.slice(1) };
  }

  it("does not stop selection: each request is cut for itself, within the budget", async () => {
    const { scene, sound } = await damaged();
    const first = await scene.request(sound);
    expect(first).to.include({ isAborted: false, isUnchanged: false });
    expect(first.messages.length).to.be.lessThan(sound.length);
    expect(scene.pi.told).to.deep.equal([]);
    expect((await scene.request(sound)).noticeTime).to.not.equal(first.noticeTime);
  });

  it("does not stop a session from starting", async () => {
    const { scene } = await damaged();
    await scene.emit("session_start", { reason: "resume" });
    expect(scene.pi.statuses).to.deep.equal(["paging on", "paging on"]);
  });

  it("is none of the settings: a branch that cannot be read leaves paging on and fails closed", async () => {
    const scene = await PagingScene.open();
    const broken = new Proxy(scene.prompt().entry(-1), {
      get: () => {
        throw new Error("damaged entry");
      },
    });
    scene.pi.branch = [broken];
    const start = scene.pi.emit("session_start", { reason: "resume" }).catch((error: unknown) => error);
    expect(await start).to.be.instanceOf(Error);
    expect(scene.pi.statuses).to.deep.equal(["paging on", "paging on"]);
    await scene.pi.emit("context", { messages: [] });
    await scene.pi.emit("context", { messages: [] });
    expect(scene.pi.aborts).to.equal(2);
  });
});

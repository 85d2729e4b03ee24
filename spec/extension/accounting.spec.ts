/** What the extension gives the calibrator, and what it does with measured prices: "Provider-backed usage". */
import { expect } from "chai";
import type { AgentMessage } from "../../lib/messages.ts";
import { PagingScene } from "../support/paging-scene.ts";

/** An answer to the newest request, measured at `total`, told to the extension. */
async function answer(scene: PagingScene, total: number): Promise<void> {
  scene.answer(total);
  await scene.turnEnd();
}

const withOrphan = (scene: PagingScene): AgentMessage[] => {
  const result = scene.messages.find(({ role }) => role === "toolResult");
  return [...scene.messages, { ...result, toolCallId: "no-such-call" } as AgentMessage];
};

describe("accounting of the extension", () => {
  it("records no request whose selection failed", async () => {
    /** Whether 2 990 tokens, measured after a request of eight turns, count in the next one. */
    const isMeasured = async (incoming: (scene: PagingScene) => AgentMessage[]) => {
      const scene = await PagingScene.open();
      await scene.turns(8).prompt().request(incoming(scene));
      await answer(scene, 2_990);
      return !(await scene.turns(1).prompt().request()).isUnchanged;
    };
    expect(await isMeasured((scene) => scene.messages), "selected").to.equal(true);
    expect(await isMeasured(withOrphan), "failed").to.equal(false);
  });

  it("measures requests that were selected alone, too", async () => {
    /** How many messages of a branch without provenance are sent, with an answer before or without. */
    const sent = async (total: number | undefined) => {
      const scene = await PagingScene.open();
      scene.session.result("nobody asked");
      scene.turns(16).prompt();
      await scene.request(scene.messages.slice(1));
      if (total !== undefined) await answer(scene, total);
      else scene.session.assistant({ text: "Done." });
      return (await scene.prompt().request(scene.messages.slice(1))).messages.length;
    };
    expect(await sent(4_500)).to.be.lessThan((await sent(undefined)) - 5);
  });

  it("still knows what was measured of history that a cut excludes", async () => {
    /** Tokens of the whole session, by the report of the request that follows a cut. */
    const reported = async (total: number) => {
      const scene = await PagingScene.open();
      await scene.turns(8).prompt().request();
      await answer(scene, total);
      await scene.turns(10).prompt().request();
      await scene.request();
      return scene.report;
    };
    const [plain, doubled] = [await reported(0), await reported(2_990)];
    expect(doubled.unitsRemoved).to.be.greaterThan(8);
    expect(doubled.tokensBefore - plain.tokensBefore).to.be.greaterThan(1_000);
  });

  it("lets the checks refuse what was measured as too large", async () => {
    const refusal = async (total: number) => {
      const scene = await PagingScene.open();
      scene.pi.systemPrompt = "word ".repeat(1_500);
      await scene.prompt().request();
      await answer(scene, total);
      return { ...(await scene.prompt().request()), told: scene.pi.told };
    };
    expect(await refusal(2_000)).to.include({ isAborted: false });
    const refused = await refusal(6_000);
    expect(refused.isAborted).to.equal(true);
    expect(refused.told[0]).to.match(/^error: Resident input estimate of [56]\d{3} tokens exceeds/);
  });

  it("keeps the cut where nothing measured can be used", async () => {
    const scene = await PagingScene.withCut();
    const { noticeTime } = await scene.request();
    scene.pi.usageWindow = 200_000;
    for (const [total, status] of [
      [0, 0],
      [1_700, null],
      [1_700, 99_000],
      [Number.NaN, 1_700],
    ] as const) {
      scene.pi.usageTokens = status;
      await answer(scene, total);
      expect((await scene.prompt().request()).noticeTime, `${total} ${status}`).to.equal(noticeTime);
    }
  });
});

/** One request from Pi's event to what goes back: sections "Lifecycle", "Settings and limits", "Context selection". */
import { expect } from "chai";
import { PagingScene, SCENE_SETTINGS } from "../support/paging-scene.ts";

describe("context event", () => {
  it("answers undefined while nothing has to leave", async () => {
    const scene = await PagingScene.open();
    expect((await scene.turns(3).prompt().request()).isUnchanged).to.equal(true);
  });

  it("answers with the notice and the very messages that are kept", async () => {
    const scene = await PagingScene.open();
    const messages = scene.turns(16).prompt().messages;
    const { messages: sent } = (await scene.emit("context", { messages })) as { messages: unknown[] };
    expect(sent.length).to.be.within(2, messages.length);
    for (const [index, message] of sent.slice(1).entries())
      expect(message).to.equal(messages[messages.length - sent.length + 1 + index]);
  });

  it("lets everything pass before a session has started", async () => {
    const scene = new PagingScene();
    expect((await scene.cut()).isUnchanged).to.equal(true);
  });

  it("is cut by the smaller of budget and model window", async () => {
    const scene = await PagingScene.open();
    scene.turns(10).prompt();
    expect((await scene.request()).isUnchanged).to.equal(true);
    scene.pi.model = {
      provider: "p",
      id: "m",
      api: "openai-completions",
      contextWindow: 2_000,
      maxTokens: 500,
    };
    expect((await scene.request()).notice).to.contain("1500-token window");
  });

  it("counts system prompt and active tools, not the other tools", async () => {
    const scene = await PagingScene.open();
    scene.turns(12).prompt();
    const big = { name: "big", description: "word ".repeat(1_000), parameters: {} };
    scene.pi.tools = [big];
    expect((await scene.request()).isUnchanged).to.equal(true);
    scene.pi.activeTools = ["big"];
    expect((await scene.request()).notice).to.be.a("string");
  });

  it("is selected anew with each request: tools that went away make room", async () => {
    const scene = await PagingScene.open({ paging: { ...SCENE_SETTINGS, tokenBudget: 2_000 } });
    scene.pi.tools = [{ name: "big", description: "word ".repeat(1_700), parameters: {} }];
    scene.pi.activeTools = ["big"];
    expect((await scene.prompt().request()).isAborted).to.equal(true);
    scene.pi.activeTools = [];
    expect(await scene.request()).to.include({ isAborted: false, isUnchanged: true });
  });
});

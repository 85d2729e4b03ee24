/** What both host ports make of Pi: plain data in, plain texts out. */
import type { ContextEvent, ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { expect } from "chai";
import { CurrentPiHost } from "../../../lib/host/current-pi-host.ts";
import { hostOf } from "../../../lib/host/host-of.ts";
import { LegacyPiHost } from "../../../lib/host/legacy-pi-host.ts";
import { agentDir, configDirName } from "../../../lib/host/pi.ts";
import { branch } from "../../support/branch-builder.ts";
import { FakePi, type FakePiOptions } from "../../support/fake-pi.ts";
import { OVERFLOW } from "../../support/paging-scene.ts";
import { stderrOf } from "../../support/stderr.ts";

/** Runs something with the `pi` and a live `ctx` of a fake Pi. */
async function on<T>(fake: FakePi, use: (pi: ExtensionAPI, ctx: ExtensionContext) => T): Promise<T> {
  const pi = fake.api;
  const forget = pi.on("agent_start", (_event, ctx) => use(pi, ctx) as undefined);
  const result = await fake.emit("agent_start");
  forget();
  return result as T;
}

describe("hostOf", () => {
  it("tells the hosts by what their context offers", async () => {
    expect(await on(new FakePi(), hostOf)).to.be.instanceOf(CurrentPiHost);
    expect(await on(new FakePi({ host: "legacy" }), hostOf)).to.be.instanceOf(LegacyPiHost);
  });
});

for (const host of ["current", "legacy"] as const) {
  describe(`PiHost: ${host}`, () => {
    const open = (options: FakePiOptions = {}) => new FakePi({ ...options, host });
    const request = (fake: FakePi, messages: ContextEvent["messages"] = []) =>
      on(fake, (pi, ctx) => hostOf(pi, ctx).request({ type: "context", messages }, ctx));

    describe("request", () => {
      it("hands over messages, branch, prompt and model as they are", async () => {
        const fake = open();
        const session = branch().user("hi");
        fake.branch = session.path;
        const messages = session.messages;
        const made = await request(fake, messages);
        expect(made.messages).to.equal(messages);
        expect(made.branch).to.deep.equal(session.path);
        expect(made.resident.systemPrompt).to.equal("You are a helpful agent.");
        expect(made.model).to.deep.equal({ provider: "p", id: "m", api: "openai-completions" });
      });

      it("takes a session without a model", async () => {
        const fake = open();
        fake.model = undefined;
        expect(await request(fake)).to.include({ model: undefined, window: undefined });
      });

      it("has active tools only as resident input, in Pi's order", async () => {
        const fake = open();
        fake.tools = ["read", "bash", "edit"].map((name) => ({ name, description: name, parameters: {} }));
        fake.activeTools = ["edit", "read", "gone"];
        const { resident } = await request(fake);
        expect(resident.tools.map((tool) => tool.name)).to.deep.equal(["read", "edit"]);
      });

      it("has Pi's status total, and Pi's own price of a message", async () => {
        const fake = open();
        expect((await request(fake)).status).to.equal(undefined);
        fake.usageWindow = 8_000;
        expect((await request(fake)).status?.tokens).to.equal(null);
        fake.usageTokens = 1_234;
        const { status } = await request(fake);
        expect(status?.tokens).to.equal(1_234);
        const [message] = branch().user("x".repeat(400)).messages;
        expect(message && status?.priceOf(message)).to.equal(100);
      });

      it("says what the host does with the newest messages and with foreign thinking", async () => {
        const { branchLag, foreignThinking } = await request(open());
        expect({ branchLag, foreignThinking }).to.deep.equal(
          host === "current"
            ? { branchLag: "none", foreignThinking: "dropped" }
            : { branchLag: "tail", foreignThinking: "text" },
        );
      });
    });

    describe("window", () => {
      const windowOf = async (usageWindow: number | undefined, own: object = {}) => {
        const fake = open();
        fake.usageWindow = usageWindow;
        fake.model = { provider: "p", id: "m", api: "openai-completions", ...own };
        return (await request(fake)).window;
      };

      it("is that of Pi's usage status where it is positive, else the model's own", async () => {
        const own = { contextWindow: 8_000 };
        expect(await windowOf(4_000, own)).to.deep.equal({ contextWindow: 4_000 });
        for (const usage of [undefined, 0, -1, Number.NaN, Number.POSITIVE_INFINITY])
          expect(await windowOf(usage, own), `${usage}`).to.deep.equal({ contextWindow: 8_000 });
      });

      it("is absent where neither is a positive finite number", async () => {
        for (const contextWindow of [undefined, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, "8000"])
          expect(await windowOf(0, { contextWindow }), `${contextWindow}`).to.equal(undefined);
      });

      it("comes with the longest answer where that is known", async () => {
        expect(await windowOf(undefined, { contextWindow: 8_000, maxTokens: 500 })).to.deep.equal({
          contextWindow: 8_000,
          maxTokens: 500,
        });
        for (const maxTokens of [0, -5, Number.NaN])
          expect(await windowOf(4_000, { maxTokens }), `${maxTokens}`).to.deep.equal({
            contextWindow: 4_000,
          });
      });
    });

    describe("texts", () => {
      const tell = (fake: FakePi, ...text: [string, ("info" | "warning" | "error")?]) =>
        on(fake, (pi, ctx) => hostOf(pi, ctx).tell(ctx, ...text));
      const publish = (fake: FakePi, text: string | undefined) =>
        on(fake, (pi, ctx) => hostOf(pi, ctx).publishStatus(ctx, text));

      it("are notifications, exactly as given, where there is a user interface", async () => {
        const fake = open();
        await tell(fake, "two\nlines");
        await tell(fake, "careful", "warning");
        await tell(fake, "bad", "error");
        expect(fake.told).to.deep.equal(["info: two\nlines", "warning: careful", "error: bad"]);
      });

      it("are one line each on stderr where there is none", async () => {
        const fake = open({ ui: "none" });
        const lines = await stderrOf(async () => {
          await tell(fake, "two\nlines");
          await tell(fake, "bad", "error");
        });
        expect(lines).to.deep.equal(["context-paging: two lines", "context-paging: bad"]);
        expect(fake.told).to.deep.equal([]);
      });

      it("statuses are published under one key, as they are, and only with a user interface", async () => {
        const fake = open();
        await publish(fake, "paging on");
        await publish(fake, undefined);
        expect(fake.ui.statuses).to.deep.equal([
          { key: "context-paging", text: "paging on" },
          { key: "context-paging", text: undefined },
        ]);
        const headless = open({ ui: "none" });
        expect(await stderrOf(() => publish(headless, "paging on"))).to.deep.equal([]);
        expect(headless.ui.statuses).to.deep.equal([]);
      });
    });

    describe("isOverflow", () => {
      const isOverflow = async (draft: object) => {
        const [message] = branch().assistant(draft).messages;
        if (message?.role !== "assistant") throw new Error("no response");
        return on(open(), (pi, ctx) => hostOf(pi, ctx).isOverflow(message));
      };

      it("knows the refusals of providers from other failures", async () => {
        expect(await isOverflow(OVERFLOW)).to.equal(true);
        expect(await isOverflow({ stopReason: "error", errorMessage: "429 too many requests" })).to.equal(
          false,
        );
        expect(await isOverflow({ text: "Done." })).to.equal(false);
      });
    });

    it("asks before settling only where Pi does", async () => {
      expect(await on(open(), (pi, ctx) => hostOf(pi, ctx).asksBeforeSettling)).to.equal(host === "current");
    });

    it("keeps no context from one event to the next", async () => {
      const fake = open();
      const first = await on(fake, (pi, ctx) => ({ port: hostOf(pi, ctx), pi }));
      fake.model = { provider: "p", id: "next", api: "openai-completions" };
      const { model } = await on(fake, (_pi, ctx) =>
        first.port.request({ type: "context", messages: [] }, ctx),
      );
      expect(model?.id).to.equal("next");
    });
  });
}

describe("Pi's folders", () => {
  it("are where Pi says", () => {
    const before = process.env.PI_CODING_AGENT_DIR;
    process.env.PI_CODING_AGENT_DIR = "/some/agent";
    try {
      expect(agentDir()).to.equal("/some/agent");
    } finally {
      if (before === undefined) delete process.env.PI_CODING_AGENT_DIR;
      else process.env.PI_CODING_AGENT_DIR = before;
    }
    expect(configDirName()).to.equal(".pi");
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_DIR, type PiHost } from "../../spec/support/pi-hosts.ts";
import { prose } from "../../spec/support/prose.ts";
import type { RpcSession } from "../../spec/support/rpc-session.ts";
import { Stage } from "../../spec/support/stage.ts";
import type { WireApi } from "../../spec/support/wire.ts";
import type { SoakModel } from "./soak-model.ts";

export const BUDGET_TOKENS = 12_000;
export const OTHER_MODEL = "mock-small";
const OTHER_WINDOW = 10_000;

/** What a request of this model may hold. */
export function budgetOf(model: string): number {
  return model === OTHER_MODEL ? Math.min(BUDGET_TOKENS, OTHER_WINDOW) : BUDGET_TOKENS;
}

/**
 * What RPC mode lacks. `soak-tree` moves to the n-th newest message, whatever it is, and may summarize; `soak-memory`
 * collects garbage and tells what remains.
 */
const HELPER = `
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export default (pi) => {
  pi.registerCommand("soak-tree", {
    description: "Moves to an earlier message",
    handler: async (args, ctx) => {
      const [back, summarize] = args.split(" ");
      const messages = ctx.sessionManager.getBranch().filter((entry) => entry.type === "message");
      const target = messages.at(-Math.min(Number(back), messages.length));
      if (target) await ctx.navigateTree(target.id, { summarize: summarize === "yes" });
      ctx.ui.notify("soak: moved");
    },
  });
  pi.registerCommand("soak-memory", {
    description: "Collects garbage and tells what remains",
    handler: async (_args, ctx) => {
      setFlagsFromString("--expose-gc");
      const collect = runInNewContext("gc");
      for (let n = 0; n < 3; n += 1) collect();
      const { rss, heapUsed } = process.memoryUsage();
      ctx.ui.notify(JSON.stringify({ rss, heapUsed }));
    },
  });
};
`;

/** A strict mock provider and a sandbox with two models, two files to read and the helper commands. */
export async function openSoakStage(model: SoakModel, api: WireApi): Promise<Stage> {
  const stage = await Stage.open({
    api,
    rules: "strict",
    script: (body) => model.step(body),
    paging: { tokenBudget: BUDGET_TOKENS },
    moreModels: { [OTHER_MODEL]: { contextWindow: OTHER_WINDOW, maxTokens: 1_024 } },
    settings: {
      retry: { enabled: true, maxRetries: 3, baseDelayMs: 1 },
      compaction: { enabled: true, reserveTokens: 2_048, keepRecentTokens: 3_000 },
    },
  });
  stage.sandbox.write("notes.txt", prose(1, 3_000));
  stage.sandbox.write("more.txt", prose(2, 1_500));
  writeFileSync(join(stage.sandbox.root, "soak-helper.ts"), HELPER);
  return stage;
}

/** A Pi with the extension and the helper commands. */
export function openSoakPi(stage: Stage, host: PiHost, sessionFile?: string): RpcSession {
  const resumed = sessionFile === undefined ? [] : ["--session", sessionFile];
  const extensions = ["-e", PACKAGE_DIR, "-e", join(stage.sandbox.root, "soak-helper.ts")];
  return stage.rpc(host, { args: [...extensions, ...resumed] });
}

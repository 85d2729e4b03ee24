/**
 * Paging leaves no trace in what Pi stores: a scripted run gives the same session file without the extension, with a
 * budget that is never reached and with one that is reached again and again.
 */
import { expect } from "chai";
import type { ScriptedCall } from "../support/model-step.ts";
import { HOSTS, PACKAGE_DIR, type PiHost } from "../support/pi-hosts.ts";
import { prose } from "../support/prose.ts";
import { requestStability } from "../support/request-stability.ts";
import { MODEL_ID, PROVIDERS } from "../support/sandbox.ts";
import { answerTo } from "../support/scripts.ts";
import { type LineShape, sessionShape } from "../support/session-shape.ts";
import { Stage } from "../support/stage.ts";
import { endsWithResults, lastUserText, WIRE_APIS, type WireApi } from "../support/wire.ts";

const PROMPTS = Array.from({ length: 12 }, (_, n) => `Prompt ${n}: work on it.`);
const CALLS: readonly ScriptedCall[] = [
  { name: "read", args: { path: "notes.txt" } },
  { name: "bash", args: { command: "cat notes.txt; exit 3" } },
  { name: "read", args: { path: "missing.txt" } },
];

for (const host of HOSTS) {
  for (const api of WIRE_APIS) {
    it(`session file: ${host.name} Pi, ${api}, the same with and without paging`, async () => {
      const without = await storedBy(host, api, undefined);
      const never = await storedBy(host, api, 300_000);
      const often = await storedBy(host, api, 9_000);
      expect(without.cuts + never.cuts, "cuts without need").to.equal(0);
      expect(often.cuts, "cuts").to.be.above(2);
      expect(roles(without.shape).filter((role) => role === "user")).to.have.length(PROMPTS.length);
      expect(roles(without.shape).filter((role) => role === "toolResult")).to.have.length(3 * PROMPTS.length);
      expectSame(never.shape, without.shape);
      expectSame(often.shape, without.shape);
    });
  }
}

interface Stored {
  readonly shape: LineShape[];
  readonly cuts: number;
}

/** One run; no budget means without the extension. */
async function storedBy(host: PiHost, api: WireApi, tokenBudget: number | undefined): Promise<Stored> {
  let failed = "";
  const stage = await Stage.open({
    api,
    rules: "strict",
    script: (body) => {
      const prompt = lastUserText(body);
      if (endsWithResults(body)) return { text: answerTo(prompt) };
      // Each sixth prompt meets a provider that has too much to do, once.
      if (PROMPTS.indexOf(prompt) % 6 === 1 && failed !== prompt) {
        failed = prompt;
        return {
          status: 529,
          error: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
        };
      }
      return { text: "I look it up.", thinking: "Where was it?", calls: CALLS };
    },
    ...(tokenBudget === undefined ? {} : { paging: { tokenBudget } }),
    settings: { retry: { enabled: true, maxRetries: 3, baseDelayMs: 1 } },
    model: { contextWindow: 400_000 },
    moreModels: { other: { contextWindow: 300_000 } },
  });
  stage.sandbox.write("notes.txt", prose(1, 3_000));
  try {
    const session = stage.rpc(host, { args: tokenBudget === undefined ? [] : ["-e", PACKAGE_DIR] });
    for (const [n, prompt] of PROMPTS.entries()) {
      if (n % 4 === 2) await session.setModel(PROVIDERS[api], n % 8 === 2 ? "other" : MODEL_ID);
      await session.prompt(prompt);
      expect(await session.call("get_last_assistant_text")).to.deep.equal({ text: answerTo(prompt) });
      if (n % 5 === 3) await session.bash("echo my own run");
    }
    const { sessionFile } = (await session.call("get_state")) as { sessionFile: string };
    await session.stop();
    return {
      shape: sessionShape(sessionFile, stage.sandbox.cwd),
      cuts: requestStability(stage.mock.bodies).cuts.length,
    };
  } finally {
    await stage.close();
  }
}

/** Line by line: a report of the first difference that can be read. */
function expectSame(shape: readonly LineShape[], without: readonly LineShape[]): void {
  without.forEach((line, n) => {
    expect(shape[n], `line ${n + 1}`).to.deep.equal(line);
  });
  expect(shape).to.have.length(without.length);
}

function roles(shape: readonly LineShape[]): unknown[] {
  return shape.map(({ content }) => (content as { message?: { role?: unknown } }).message?.role);
}

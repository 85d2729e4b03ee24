/**
 * Paging leaves no trace in what Pi stores: a scripted run, with aborts, steering, `/compact` and a move in the tree, gives
 * the same session file without the extension, with a budget that is never reached and with one that is reached again and
 * again.
 */
import { expect } from "chai";
import { HOSTS, PACKAGE_DIR, type PiHost } from "../support/pi-hosts.ts";
import { prose } from "../support/prose.ts";
import { liveSameRun, OTHER_MODEL, PROMPTS, SameModel } from "../support/same-run.ts";
import { PROVIDERS } from "../support/sandbox.ts";
import { type LineShape, sessionShape } from "../support/session-shape.ts";
import { Stage } from "../support/stage.ts";
import { writeTreeCommand } from "../support/tree-command.ts";
import { openingText, WIRE_APIS, type WireApi } from "../support/wire.ts";

for (const host of HOSTS) {
  for (const api of WIRE_APIS) {
    it(`session file: ${host.name} Pi, ${api}, the same with and without paging`, async () => {
      const without = await storedBy(host, api, undefined);
      const never = await storedBy(host, api, 300_000);
      const often = await storedBy(host, api, 9_000);
      expect(without.cuts + never.cuts, "cuts without need").to.equal(0);
      expect(often.cuts, "cuts").to.be.above(2);
      expectEventful(without.shape);
      expectSame(never.shape, without.shape);
      expectSame(often.shape, without.shape);
    });
  }
}

interface Stored {
  readonly shape: LineShape[];
  readonly cuts: number;
}

interface StoredMessage {
  readonly role: string;
  readonly stopReason?: string;
}

/** One run; no budget means without the extension. */
async function storedBy(host: PiHost, api: WireApi, tokenBudget: number | undefined): Promise<Stored> {
  const model = new SameModel();
  const stage = await Stage.open({
    api,
    rules: "strict",
    script: (body) => model.step(body),
    ...(tokenBudget === undefined ? {} : { paging: { tokenBudget } }),
    settings: {
      retry: { enabled: true, maxRetries: 3, baseDelayMs: 1 },
      compaction: { enabled: true, keepRecentTokens: 6_000 },
    },
    model: { contextWindow: 400_000 },
    moreModels: { [OTHER_MODEL]: { contextWindow: 300_000 } },
  });
  stage.sandbox.write("notes.txt", prose(1, 3_000));
  try {
    const extensions = ["-e", writeTreeCommand(stage.sandbox)];
    if (tokenBudget !== undefined) extensions.push("-e", PACKAGE_DIR);
    const session = stage.rpc(host, { args: extensions });
    await liveSameRun(session, PROVIDERS[api]);
    const { sessionFile } = (await session.call("get_state")) as { sessionFile: string };
    await session.stop();
    return {
      shape: sessionShape(sessionFile, stage.sandbox.cwd),
      cuts: new Set(stage.mock.bodies.map(openingText).filter(isNotice)).size,
    };
  } finally {
    await stage.close();
  }
}

function isNotice(text: string): boolean {
  return text.includes("[context-paging]");
}

/** Line by line: a report of the first difference that can be read. */
function expectSame(shape: readonly LineShape[], without: readonly LineShape[]): void {
  without.forEach((line, n) => {
    expect(shape[n], `line ${n + 1}`).to.deep.equal(line);
  });
  expect(shape).to.have.length(without.length);
}

/** The run did all that it is there for. */
function expectEventful(shape: readonly LineShape[]): void {
  const messages = shape.map(({ content }) => (content as { message?: StoredMessage }).message);
  const prompts = messages.filter((message) => message?.role === "user");
  expect(prompts, "prompts and steering").to.have.length(PROMPTS.length + 1);
  expect(messages.filter((message) => message?.stopReason === "aborted")).to.have.length(1);
  expect(shape.filter(({ type }) => type === "compaction")).to.have.length(1);
  expect(
    shape.filter(({ parent }, n) => parent >= 0 && parent !== n),
    "moves in the tree",
  ).to.have.length(1);
}

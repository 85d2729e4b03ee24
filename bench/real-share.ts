/**
 * A session of 30 000 entries in the real current Pi, in RPC mode: how much of the time between a prompt and its request
 * is this extension's. Measured inside Pi by an extension before and one after it (`bench/real-share/clock.ts`). Prints
 * a line for each prompt and a JSON line.
 */
import { join } from "node:path";
import { branch } from "../spec/support/branch-builder.ts";
import { CURRENT, PACKAGE_DIR } from "../spec/support/pi-hosts.ts";
import { writeSessionFile } from "../spec/support/session-files.ts";
import { Stage } from "../spec/support/stage.ts";

const ENTRIES = 30_000;
const PROMPTS = 8;
const RESULT =
  "export function handle(request: Request): Response { return respond(request, 200); }\n".repeat(24);

interface Share {
  readonly extensionMs: number;
  readonly wholeMs: number;
}

function longSession() {
  const session = branch().user("Do the task.");
  for (let turn = 1; session.entries.length < ENTRIES; turn++) {
    for (let step = 0; step < 20; step++)
      session.assistant({ text: "Next.", calls: [{ name: "read" }] }).result(RESULT);
    session.assistant({ text: "Done." }).user(`Go on with step ${turn}.`);
  }
  return session.assistant({ text: "All done." });
}

function shareOf(notes: readonly string[]): Share {
  const at = (what: string) =>
    Number(
      notes
        .findLast((note) => note.startsWith(`clock ${what} `))
        ?.split(" ")
        .at(-1),
    );
  return {
    extensionMs: at("after context") - at("before context"),
    wholeMs: at("after request") - at("before input"),
  };
}

const stage = await Stage.open({
  model: { contextWindow: 200_000, maxTokens: 16_384 },
  script: () => ({ text: "Answered." }),
});
try {
  const file = writeSessionFile(stage.sandbox, longSession().entries);
  const extensions = [
    join(PACKAGE_DIR, "bench/real-share/before.ts"),
    PACKAGE_DIR,
    join(PACKAGE_DIR, "bench/real-share/after.ts"),
  ];
  const rpc = stage.rpc(CURRENT, {
    args: ["--session", file, ...extensions.flatMap((path) => ["-e", path])],
    timeoutMs: 120_000,
  });
  const shares: Share[] = [];
  for (let prompt = 0; prompt < PROMPTS; prompt++) {
    await rpc.prompt(`Prompt ${prompt}`);
    const share = shareOf(rpc.notifications.map(({ text }) => text));
    shares.push(share);
    console.log(
      `prompt ${prompt}: extension ${share.extensionMs.toFixed(1)} ms of ${share.wholeMs.toFixed(1)} ms ` +
        `(${((100 * share.extensionMs) / share.wholeMs).toFixed(1)} %)`,
    );
  }
  console.log(JSON.stringify({ bench: "real-share", node: process.version, entries: ENTRIES, shares }));
} finally {
  await stage.close();
}

/**
 * The whole text of `/context-paging stats`, as it was looked through once, for generated sessions and, where they are
 * present, for stored ones. `UPDATE_GOLDEN=1` writes the texts anew: then read the difference.
 */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { expect } from "chai";
import type { SessionEntry } from "../../lib/messages.ts";
import { PagingScene } from "../support/paging-scene.ts";
import { PACKAGE_DIR } from "../support/pi-hosts.ts";
import { storedSessions } from "../support/stored-sessions.ts";
import { USAGE_SHAPES } from "../support/usage-shapes.ts";

const GOLDEN = join(PACKAGE_DIR, "spec/stats/golden");
const LONG_AGO = new Date(Date.UTC(2001, 1, 3));

describe("golden stats of generated sessions", () => {
  for (const [name, { entries, parentSession }] of Object.entries(USAGE_SHAPES)) {
    it(name, () =>
      inFile((file) => {
        const header = {
          type: "session",
          version: 3,
          id: "s",
          timestamp: "2026-01-05T09:00:00.000Z",
          cwd: "/",
        };
        const lines = [{ ...header, ...(parentSession && { parentSession }) }, ...entries];
        writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
        return expectGolden(name, file);
      }),
    );
  }
});

describe("golden stats of stored sessions", () => {
  const sessions = storedSessions();
  if (sessions.length === 0) it.skip("no stored sessions beside this repository");
  for (const { name, file: source } of sessions) {
    it(name, () =>
      inFile((file) => {
        copyFileSync(source, file);
        return expectGolden(name.replaceAll("/", "-").replace(".jsonl", ""), file);
      }),
    );
  }
});

async function inFile(use: (file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pi-paging-stats-"));
  try {
    await use(join(folder, "session.jsonl"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Stats of the file as Pi itself reads it. The file's bytes and time must not change, and colours only add colour. */
async function expectGolden(name: string, file: string): Promise<void> {
  const scene = await openedScene(file);
  const bytes = readFileSync(file);
  utimesSync(file, LONG_AGO, LONG_AGO);
  const plain = await stats(scene, "rpc");
  const coloured = await stats(scene, "tui");
  await scene.command("window");
  expect(statSync(file).mtimeMs).to.equal(LONG_AGO.getTime());
  expect(readFileSync(file).equals(bytes)).to.equal(true);
  expect(coloured.replaceAll(/<\/?accent>/g, "")).to.equal(plain);
  expect(coloured.match(/<accent>/g), "coloured headings").to.have.length(3);
  const golden = join(GOLDEN, `${name}.txt`);
  if (process.env.UPDATE_GOLDEN) writeFileSync(golden, `${plain}\n`);
  expect(existsSync(golden), `${name}.txt exists`).to.equal(true);
  expect(`${plain}\n`).to.equal(readFileSync(golden, "utf8"));
}

async function openedScene(file: string): Promise<PagingScene> {
  const manager = SessionManager.open(file);
  const scene = await PagingScene.open({ paging: { tokenBudget: 40_000 } });
  scene.pi.model = { provider: "p", id: "m", api: "x", contextWindow: 200_000, maxTokens: 8_000 };
  scene.pi.entries = manager.getEntries();
  scene.session.adopt(manager.getBranch() as SessionEntry[]);
  scene.pi.sessionFile = manager.getSessionFile();
  scene.pi.parentSession = manager.getHeader()?.parentSession;
  return scene;
}

async function stats(scene: PagingScene, mode: "rpc" | "tui"): Promise<string> {
  scene.pi.mode = mode;
  const [text = ""] = await scene.command("stats");
  return text.replace("info: ", "");
}

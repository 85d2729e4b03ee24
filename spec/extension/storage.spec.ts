/** What is stored and with whose rights: section "Storage and trust". What is read of settings: settings.spec.ts. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { PagingScene } from "../support/paging-scene.ts";
import { PACKAGE_DIR } from "../support/pi-hosts.ts";

describe("storage", () => {
  it("there is no second ledger: a whole session leaves no entry and no file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "paging-storage-"));
    const before = process.env.PI_CODING_AGENT_DIR;
    process.env.PI_CODING_AGENT_DIR = folder;
    try {
      mkdirSync(join(folder, "project"));
      const settings = JSON.stringify({ contextPaging: { tokenBudget: 3_000 } });
      writeFileSync(join(folder, "settings.json"), settings);
      const scene = new PagingScene({ paging: "files" });
      scene.pi.cwd = join(folder, "project");
      await scene.emit("session_start");
      await scene.cut();
      const entries = scene.session.entries;
      for (const args of ["off", "on"]) await scene.command(args);
      await scene.request();
      await scene.turnEnd();
      await scene.emit("session_shutdown");
      expect(scene.pi.otherCalls).to.deep.equal([]);
      expect(scene.session.entries).to.deep.equal(entries);
      expect(readdirSync(folder, { recursive: true }).sort()).to.deep.equal(["project", "settings.json"]);
      expect(readFileSync(join(folder, "settings.json"), "utf8")).to.equal(settings);
    } finally {
      if (before === undefined) delete process.env.PI_CODING_AGENT_DIR;
      else process.env.PI_CODING_AGENT_DIR = before;
      rmSync(folder, { recursive: true });
    }
  });

  it("ids are those of stored entries: the notice names the newest entry that left", async () => {
    const scene = await PagingScene.open();
    const { notice, messages } = await scene.cut();
    const [, named] = notice?.match(/historyId "([^"]+)"/) ?? [];
    const left = scene.messages.length - (messages.length - 1);
    const path = scene.session.path;
    // The item that left last is an answer without calls, or a response whose result left with it.
    expect(named).to.equal(path[left - 1]?.id);
    expect(named).to.match(/^[0-9a-f]{8}$/);
  });

  it("runs with Pi's own permissions: it starts no process, opens no connection and reads files only", () => {
    const files = readdirSync(join(PACKAGE_DIR, "lib"), { recursive: true, encoding: "utf8" });
    const texts = files
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(join(PACKAGE_DIR, "lib", file), "utf8"));
    const imports = texts.flatMap((text) => [...text.matchAll(/import [^;]*? from "(node:[^"]+)";/g)]);
    expect(new Set(imports.map(([statement]) => statement))).to.deep.equal(
      new Set([
        'import { readFileSync } from "node:fs";',
        'import { statSync } from "node:fs";',
        'import { join } from "node:path";',
        'import assert from "node:assert/strict";',
      ]),
    );
    expect(texts.join("\n")).to.not.match(/\bfetch\(|\beval\(|new Function|process\.env/);
  });
});

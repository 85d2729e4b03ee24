/** What the package offers and asks for: section "Package seam", contract of the package. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import * as seam from "../../lib/index.ts";
import { FakePi } from "../support/fake-pi.ts";
import { PagingScene } from "../support/paging-scene.ts";
import { PACKAGE_DIR } from "../support/pi-hosts.ts";

const manifest = JSON.parse(readFileSync(join(PACKAGE_DIR, "package.json"), "utf8"));

describe("package", () => {
  it("is loaded by Pi through the manifest, as TypeScript source", () => {
    expect(manifest.pi).to.deep.equal({ extensions: ["./lib/index.ts"] });
    expect(manifest.keywords).to.include("pi-package");
    expect(manifest.type).to.equal("module");
  });

  it("exports the factory, and for forks the extension class, the strategies and their suites", () => {
    expect(manifest.exports).to.deep.equal({
      ".": "./lib/index.ts",
      "./extension": "./lib/extension.ts",
      "./strategies": "./lib/strategies/index.ts",
      "./testing": "./lib/testing.ts",
      "./package.json": "./package.json",
    });
  });

  it("has Pi and typebox as optional peers of any version, and nothing of them as a dependency", () => {
    const peers = Object.keys(manifest.peerDependencies);
    expect(peers).to.include("@mariozechner/pi-coding-agent").and.include("typebox");
    for (const peer of peers) {
      expect(manifest.peerDependencies[peer]).to.equal("*");
      expect(manifest.peerDependenciesMeta[peer]).to.deep.equal({ optional: true });
      expect(manifest.dependencies ?? {}).to.not.have.property(peer);
    }
  });
});

describe("factory", () => {
  it("is the only export of the entry module", () => {
    expect(Object.keys(seam)).to.deep.equal(["default"]);
  });

  it("registers the command and event handlers, and calls nothing else of Pi", () => {
    const pi = new FakePi();
    seam.default(pi.api);
    expect([...pi.commands.keys()]).to.deep.equal(["context-paging"]);
    expect(pi.events).to.include.members(["session_start", "session_shutdown", "context", "turn_end"]);
    expect(pi.otherCalls).to.deep.equal([]);
  });

  it("makes an instance of its own for each Pi", async () => {
    const settings = { globalSettings: {}, projectTrusted: false };
    const [one, other] = [new FakePi(), new FakePi()];
    for (const pi of [one, other]) {
      seam.default(pi.api, { settings });
      await pi.emit("session_start");
    }
    await one.command("context-paging", "off");
    await other.command("context-paging", "status");
    expect(other.told).to.deep.equal(["info: Context paging is on for this session."]);
  });

  it("takes whole settings objects instead of reading files", async () => {
    const pi = new FakePi();
    const settings = {
      globalSettings: { theme: "dark", contextPaging: { enabled: true } },
      projectSettings: { contextPaging: { enabled: false } },
      projectTrusted: true,
    };
    seam.default(pi.api, { settings });
    await pi.emit("session_start");
    expect(pi.statuses).to.deep.equal(["paging off"]);
  });

  it("stays within the supported interface through a whole session", async () => {
    const scene = await PagingScene.withCut();
    await scene.overflow("hidden");
    await scene.request();
    await scene.turnEnd();
    await scene.emit("session_tree");
    await scene.emit("session_shutdown");
    expect(scene.pi.otherCalls).to.deep.equal([]);
    expect(new Set(scene.pi.ui.statuses.map(({ key }) => key))).to.deep.equal(new Set(["context-paging"]));
  });
});

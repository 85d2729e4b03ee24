/** The package installed the way users install it: a copy without this repository around it. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { HOSTS, PACKAGE_DIR } from "../support/pi-hosts.ts";
import { runPi } from "../support/pi-process.ts";
import { answerTo, echoAgent } from "../support/scripts.ts";
import { Stage } from "../support/stage.ts";

for (const host of HOSTS) {
  it(`install: the ${host.name} Pi installs a copy of the package, lists it and loads it`, async () => {
    const stage = await Stage.open({ script: echoAgent });
    try {
      const copy = join(stage.sandbox.root, "pi-context-paging");
      for (const part of ["lib", "package.json"]) {
        cpSync(join(PACKAGE_DIR, part), join(copy, part), { recursive: true });
      }
      const installed = await runPi(host, stage.sandbox, ["install", copy]);
      expect(installed.code, installed.stderr).to.equal(0);

      const listed = await runPi(host, stage.sandbox, ["list"]);
      expect(listed.stdout).to.contain("pi-context-paging");

      const run = await runPi(host, stage.sandbox, ["-p", "/context-paging status", "Are you there?"]);
      expect(run.stderr).to.equal("context-paging: Context paging is on for this session.\n");
      expect(run.stdout.trim()).to.equal(answerTo("Are you there?"));

      const removed = await runPi(host, stage.sandbox, ["remove", copy]);
      expect(removed.code, removed.stderr).to.equal(0);
      const without = await runPi(host, stage.sandbox, ["-p", "Are you there?"]);
      expect(without.stderr).to.equal("");
    } finally {
      await stage.close();
    }
  });
}

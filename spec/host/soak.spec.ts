/** The short form of `npm run soak`: every incident of a rough life at least once, in one session of each Pi. */
import { expect } from "chai";
import { INCIDENTS } from "../../bench/soak/incidents.ts";
import { soak } from "../../bench/soak/soak-run.ts";
import { HOSTS } from "../support/pi-hosts.ts";

for (const host of HOSTS) {
  it(`soak: ${host.name} Pi, 60 requests`, async () => {
    const report = await soak(host, { api: "anthropic-messages", requests: 60, seed: 7, limitMs: 60_000 });
    expect(report.misses).to.deep.equal([]);
    expect(Object.keys(report.incidents)).to.have.members(INCIDENTS);
    expect(report.cuts).to.be.above(2);
    expect(report.summaries, "summaries").to.be.above(0);
    expect(Object.keys(report.byModel), "models").to.have.length(2);
  });
}

/**
 * A long rough run in one RPC session on each real Pi, against a strict mock provider. Prints a table and a JSON line;
 * exits 1 on a miss.
 *
 *   npm run soak -- [--requests 1000] [--host current|legacy] [--api openai-completions] [--seed 1] [--minutes 10]
 */
import { parseArgs } from "node:util";
import { HOSTS } from "../spec/support/pi-hosts.ts";
import { WIRE_APIS } from "../spec/support/wire.ts";
import { type SoakReport, soakTable } from "./soak/soak-report.ts";
import { soak } from "./soak/soak-run.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000" },
    host: { type: "string" },
    api: { type: "string", default: WIRE_APIS[0] ?? "" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "10" },
  },
});
const hosts = HOSTS.filter(({ name }) => values.host === undefined || values.host === name);
if (hosts.length === 0) throw new Error(`--host is current or legacy, not ${values.host}`);
const api = WIRE_APIS.find((name) => name === values.api);
if (api === undefined) throw new Error(`--api is ${WIRE_APIS.join(" or ")}, not ${values.api}`);

const reports: SoakReport[] = [];
for (const host of hosts) {
  reports.push(
    await soak(host, {
      api,
      requests: Number(values.requests),
      seed: Number(values.seed),
      limitMs: Number(values.minutes) * 60_000,
    }),
  );
}
console.log(soakTable(reports));
for (const { host, misses } of reports) for (const miss of misses) console.log(`MISS ${host}: ${miss}`);
console.log(JSON.stringify(reports));
process.exitCode = reports.some(({ misses }) => misses.length > 0) ? 1 : 0;

/** Programs that the mode of a file binds, also where the specs run as root, which may write everything. */
import { spawnSync } from "node:child_process";

const isRoot = process.getuid?.() === 0;

/** What stands in front of a program's command line: as root, `setpriv` takes away the right to pass modes over. */
export const MODE_BOUND: readonly string[] = isRoot
  ? ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override", "--"]
  : [];

/** Why modes cannot bind here; nothing where they can. */
export function modeObstacle(): string | undefined {
  if (process.platform === "win32") return "this system has no modes";
  const [program, ...args] = [...MODE_BOUND, process.execPath, "--version"];
  const { status } = spawnSync(program ?? "", args);
  return status === 0 ? undefined : "root may write everything, and there is no `setpriv` to take that away";
}

import type { SessionEntry } from "../../lib/messages.ts";
import { branch } from "./branch-builder.ts";
import { prose } from "./prose.ts";

/**
 * A stored result without its call, which a compaction has taken out of every request: the raw history cannot be
 * projected, the requests are sound. Then that many turns of some 1 600 tokens each.
 */
export function damagedSession(turns: number): SessionEntry[] {
  const session = branch()
    .user("An old question.")
    .result("an answer to nothing")
    .assistant({ text: "Done." });
  session.user("Another question.");
  session.compaction("They talked.", session.leafId).assistant({ text: "Done." });
  for (let n = 0; n < turns; n += 1) session.turn(`Stored ${n}.`, [{ name: "read" }], prose(n, 6_000));
  return session.entries;
}

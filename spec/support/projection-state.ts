import type { SessionEntry } from "../../lib/messages.ts";
import type { BranchProjection } from "../../lib/session/branch-projection.ts";

/** Everything that a projection answers for a branch, to be compared with what another one answers. */
export function projectionState(projection: BranchProjection, path: readonly SessionEntry[]): object {
  return {
    error: projection.error && { code: projection.error.code, entryId: projection.error.entryId },
    items: projection.error ? [] : [...projection.items],
    found: path.map((entry) => projection.item(entry.id)),
    lastModelTurn: projection.lastModelTurn,
    session: [...projection.session.messages],
  };
}

import type { AgentMessage } from "../../lib/messages.ts";
import type { Frontier } from "../../lib/paging/frontier.ts";
import { Provenance } from "../../lib/paging/provenance.ts";
import { RequestUnits } from "../../lib/paging/request-units.ts";
import type { UnitSource } from "../../lib/paging/unit.ts";
import { BranchProjection } from "../../lib/session/branch-projection.ts";
import type { BranchBuilder } from "./branch-builder.ts";
import { labelOf } from "./labels.ts";
import { piMessages, priceOf } from "./paging-session.ts";

export interface GroupingDraft {
  readonly change?: (messages: AgentMessage[]) => AgentMessage[];
  readonly frontier?: Frontier;
  readonly branchLag?: "none" | "tail";
  readonly unstored?: number;
}

/** What grouping is told of a branch's next request. */
export function unitSource({ path }: BranchBuilder, draft: GroupingDraft = {}): UnitSource {
  const { change, frontier, branchLag = "none", unstored = 0 } = draft;
  const projection = new BranchProjection();
  projection.update(path.slice(0, path.length - unstored));
  const messages = change ? change(piMessages(path)) : piMessages(path);
  return {
    messages,
    provenance: Provenance.trace(messages, projection.session.messages, branchLag),
    messageTokens: messages.map(priceOf),
    history: projection.error ? undefined : projection,
    branchLag,
    frontier,
  };
}

/** By number of leading units that have left: labels of what stays. The kinds of the units stand in front. */
export function unitSteps(building: BranchBuilder, draft?: GroupingDraft): string[] {
  const source = unitSource(building, draft);
  const { units, keptFrom } = grouped(source);
  const steps = [units.map(({ kind }) => kind).join(" ")];
  for (let boundary = 0; boundary <= units.length; boundary++) {
    const kept = keptFrom(boundary).map((position) => source.messages[position]);
    steps.push(kept.map((message) => (message ? labelOf(message) : "?")).join(" "));
  }
  return steps;
}

function grouped(source: UnitSource): Pick<RequestUnits, "units" | "keptFrom"> {
  const requestUnits = RequestUnits.of(source);
  return { units: requestUnits.units, keptFrom: (boundary) => requestUnits.keptFrom(boundary) };
}

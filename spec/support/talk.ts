/** Conversation with labels: u1 a1, u2 a2 and so on for turns, a1 r1 for exchanges. */
import type { BranchBuilder } from "./branch-builder.ts";

/** Completed turns without tools: 200 tokens each. */
export function turns(building: BranchBuilder, from: number, to: number): BranchBuilder {
  for (let n = from; n <= to; n++) building.user(`u${n}`).assistant({ text: `a${n}` });
  return building;
}

/** Responses with one call and its result each: 200 tokens. `mark` is a price, as in "#900". */
export function exchanges(building: BranchBuilder, from: number, to: number, mark = ""): BranchBuilder {
  for (let n = from; n <= to; n++) {
    building.assistant({ text: `a${n}`, calls: [{ name: "read", id: `c${n}` }] }).result(`r${n} ${mark}`);
  }
  return building;
}

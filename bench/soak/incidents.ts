/** What can happen to one prompt of a soak run. */
export const INCIDENTS = [
  "parallel calls",
  "failing tools",
  "provider error",
  "overflow",
  "abort in a tool",
  "abort in an answer",
  "steering",
  "own run",
  "recovery tools",
  "compaction",
  "tree",
  "tree with summary",
  "other model",
  "first model",
  "paging off",
  "fork",
  "resume",
] as const;

export type Incident = (typeof INCIDENTS)[number];

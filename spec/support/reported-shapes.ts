/** The session shapes of reported faults, small and with prices; D numbers are those of the fault collection. */
import { type BranchBuilder, branch } from "./branch-builder.ts";
import { exchanges, turns } from "./talk.ts";

const c1 = { name: "read", id: "c1" };
const c2 = { name: "read", id: "c2" };
const c3 = { name: "bash", id: "c3" };

const aborted = (stopReason: "aborted" | "error", answered: number) => () => {
  const building = branch()
    .user("u1 #9")
    .assistant({ text: "a1 #31", calls: [c1, c2], stopReason });
  for (let n = 1; n <= answered; n++) building.result(`r${n} #40`);
  return building.user("u2 #8").assistant({ text: "a2 #20" }).user("u3 #7");
};

/** Shapes that give a legal request, or a coded error for want of room. */
export const LEGAL_SHAPES: Readonly<Record<string, () => BranchBuilder>> = {
  "D01 aborted, no result": aborted("aborted", 0),
  "D01 aborted, one of two results": aborted("aborted", 1),
  "D01 aborted, both results": aborted("aborted", 2),
  "D01 failed, one of two results": aborted("error", 1),
  "D02 parallel calls": () =>
    branch()
      .user("u1 #10")
      .assistant({ text: "a1 #20", calls: [c1, c2, c3] })
      .results("r #30")
      .assistant({ text: "a2 #10" })
      .user("u2 #15"),
  "D04 a custom message inside a batch": () =>
    branch()
      .user("u1 #10")
      .assistant({ text: "a1 #20", calls: [c1, c2] })
      .result("r1 #30")
      .custom("cm #12")
      .result("r2 #30")
      .assistant({ text: "a2 #10" })
      .user("u2 #9"),
  "D05 steering behind the results": () =>
    branch()
      .user("u1 #10")
      .assistant({ text: "a1 #20", calls: [c1, c2] })
      .result("r1 #30")
      .result({ text: "skipped #5", isError: true })
      .user("steer #8")
      .assistant({ text: "a2 #10" }),
  "D06 ids that come back": () => {
    const building = branch().user("u1 #10");
    for (const text of ["one #30", "two #40", "three #50"])
      building.assistant({ text: "a #10", calls: [{ name: "read", id: "x:0" }] }).result(text);
    return building;
  },
  "D07 recovery tools in a batch": () =>
    branch()
      .user("u1 #10")
      .assistant({
        text: "a1 #20",
        calls: ["read", "search_history", "bash", "load_history"].map((name) => ({ name })),
      })
      .results("r #20")
      .assistant({ text: "a2 #10" })
      .user("u2 #9"),
  "D27 one long turn": () => exchanges(branch().user("task #10"), 1, 8, "#20"),
  "D30 an open tool loop": () => exchanges(turns(branch(), 1, 1).user("u2 #10"), 7, 8, "#60"),
  "a killed run": () =>
    exchanges(branch().user("u0 #9"), 0, 0, "#20")
      .assistant({ text: "done #5" })
      .user("u1 #10")
      .assistant({ text: "a1 #20", calls: [c1, c2] })
      .result("r1 #30")
      .custom("cm #6")
      .user("u2 #10"),
  "custom-started turns, runs and summaries": () => {
    const building = branch().bash("b #9", "out").branchSummary("s #12", "x").custom("job #10");
    exchanges(building, 1, 2, "#30").assistant({ text: "done #5" }).custom("note #6").bash("b2 #9", "out");
    return exchanges(building.user("u2 #10").custom("hint #4"), 3, 4, "#25").custom("x #6");
  },
  "a compaction": () => {
    const building = exchanges(branch().user("gone"), 1, 1);
    const kept = building.assistant({ text: "done #5" }).user("kept #10").leafId;
    exchanges(building, 2, 3, "#30").assistant({ text: "a #5" }).compaction("sum #15", kept);
    return exchanges(building.user("u2 #10"), 4, 5, "#20");
  },
};

/** Shapes that are a structure error whatever the room, with the entry that breaks the rule. */
export const DAMAGED_SHAPES: Readonly<Record<string, [building: () => BranchBuilder, entryId: string]>> = {
  "D03 a compaction that keeps a result without its call": [
    () => {
      const building = branch()
        .user("u1")
        .assistant({ text: "a1", calls: [c1] });
      building.compaction("one", "00000001").result({ callId: "c1", text: "r1" });
      const result = building.leafId;
      return building
        .assistant({ text: "a2", calls: [c2] })
        .results()
        .compaction("two", result);
    },
    "00000004",
  ],
  "D05 a user message inside a batch": [
    () =>
      branch()
        .user("u1")
        .assistant({ text: "a1", calls: [c1, c2] })
        .user("steer")
        .result({ callId: "c1" })
        .result({ callId: "c2" })
        .assistant({ text: "a2" }),
    "00000004",
  ],
  "D08 results whose response is missing": [
    () => turns(branch().user("u1").result({ callId: "c9" }).result({ callId: "c9b" }), 2, 2),
    "00000002",
  ],
  "D08 results as the first entries": [
    () => turns(branch().result({ callId: "c9" }).result({ callId: "c9b" }), 1, 2),
    "00000001",
  ],
};

import { expect } from "chai";
import { HistoryProjectionError } from "../lib/errors.ts";

describe("HistoryProjectionError", () => {
  it("carries its code and the entry id", () => {
    const error = new HistoryProjectionError("ORPHAN_TOOL_RESULT", "e1", "text");
    expect(error).to.include({ code: "ORPHAN_TOOL_RESULT", entryId: "e1", message: "text" });
  });
});

import { expect } from "chai";
import { type TurnMetadata, turnMetadata } from "../../lib/session/turn-metadata.ts";
import { type BranchBuilder, branch } from "../support/branch-builder.ts";
import { itemsOf } from "../support/history.ts";

function metadataOf(building: BranchBuilder): TurnMetadata | undefined {
  const item = itemsOf(building.entries)[0];
  return item?.kind === "modelTurn" ? turnMetadata(item) : undefined;
}

describe("turnMetadata", () => {
  it("names each tool once, in order of the first call", () => {
    const calls = ["bash", "read", "bash"].map((name) => ({ name }));
    expect(metadataOf(branch().assistant({ calls }).results())?.tools).to.deep.equal(["bash", "read"]);
  });

  it("finds path, file, files, filepath and file_path at any depth and in any case", () => {
    const args = {
      path: "a.ts",
      edits: [{ File: "b.ts" }, { deep: { FILES: ["c.ts", { file_path: "d.ts" }, "a.ts"] } }],
      filePath: "e.ts",
      pattern: "no.ts",
      PATH: 7,
      file: "",
    };
    const metadata = metadataOf(
      branch()
        .assistant({ calls: [{ name: "edit", args }] })
        .results(),
    );
    expect(metadata?.files).to.deep.equal(["a.ts", "b.ts", "c.ts", "d.ts", "e.ts"]);
  });

  it("a turn failed when it was interrupted or a result is an error", () => {
    const calls = [{ name: "read" }, { name: "read" }];
    const failed = (building: BranchBuilder) => metadataOf(building)?.failed;
    expect(failed(branch().assistant({ calls }).results())).to.equal(false);
    expect(failed(branch().assistant({ calls }).result().result({ isError: true }))).to.equal(true);
    expect(failed(branch().assistant({ calls, stopReason: "aborted" }))).to.equal(true);
    expect(failed(branch().assistant({ text: "x", stopReason: "error" }))).to.equal(true);
  });
});

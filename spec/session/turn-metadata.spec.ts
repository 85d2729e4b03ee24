import { expect } from "chai";
import { BranchProjection } from "../../lib/session/branch-projection.ts";
import { type TurnMetadata, turnMetadata } from "../../lib/session/turn-metadata.ts";
import { type BranchBuilder, branch, type CallDraft } from "../support/branch-builder.ts";

function metadataOf(building: BranchBuilder): TurnMetadata {
  const projection = new BranchProjection();
  projection.update(building.path);
  const turn = projection.items.find((item) => item.kind === "modelTurn");
  if (turn?.kind !== "modelTurn") throw new Error("no model turn");
  return turnMetadata(turn);
}

const of = (...calls: CallDraft[]) => metadataOf(branch().assistant({ calls }).results());
const filesOf = (args: NonNullable<CallDraft["args"]>) => of({ name: "any", args }).files;

describe("turnMetadata", () => {
  it("names each tool once, in order of the first call", () =>
    expect(of({ name: "read" }, { name: "bash" }, { name: "read" }).tools).to.deep.equal(["read", "bash"]));

  it("finds file paths under path, file, files, filepath and file_path", () => {
    const args = { path: "a", file: "b", files: ["c", "d"], filepath: "e", file_path: "f" };
    expect(filesOf(args)).to.deep.equal(["a", "b", "c", "d", "e", "f"]);
  });

  it("finds them in any case and at any depth", () => {
    const args = {
      Path: "a",
      edits: [{ FILE_PATH: "b" }, { deep: { filePath: "c", files: [{ path: "d" }] } }],
    };
    expect(filesOf(args)).to.deep.equal(["a", "b", "c", "d"]);
  });

  it("names each path once, over all calls", () => {
    const args = { path: "a" };
    expect(of({ name: "read", args }, { name: "edit", args }).files).to.deep.equal(["a"]);
  });

  it("takes nothing else for a path", () =>
    expect(filesOf({ path: "", file: 7, files: [null, {}], command: "cat a", paths: ["b"] })).to.deep.equal(
      [],
    ));

  it("is of a failed turn when it was interrupted or holds an error", () => {
    const calls = [{ name: "read" }];
    expect(of(...calls).failed).to.equal(false);
    expect(metadataOf(branch().assistant({ calls }).result({ isError: true })).failed).to.equal(true);
    expect(metadataOf(branch().assistant({ calls, stopReason: "aborted" })).failed).to.equal(true);
    expect(metadataOf(branch().assistant({ calls }).user("u")).failed).to.equal(true);
  });

  it("has no tools and no files for a text", () =>
    expect(metadataOf(branch().assistant({ text: "a" }))).to.deep.equal({
      tools: [],
      files: [],
      failed: false,
    }));
});

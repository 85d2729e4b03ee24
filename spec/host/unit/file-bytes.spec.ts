import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { fileBytes } from "../../../lib/host/file-bytes.ts";

describe("fileBytes", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "pi-paging-bytes-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is the actual saved byte count", () => {
    const file = join(folder, "session.jsonl");
    writeFileSync(file, "é\n");
    expect(fileBytes(file)).to.equal(3);
  });

  it("is unknown where no file is kept, and where it is absent or cannot be reached", () => {
    writeFileSync(join(folder, "file"), "");
    expect(fileBytes(undefined)).to.equal(undefined);
    expect(fileBytes(join(folder, "absent"))).to.equal(undefined);
    expect(fileBytes(join(folder, "file", "below"))).to.equal(undefined);
  });
});

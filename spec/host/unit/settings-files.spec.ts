import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { SettingsFileError } from "../../../lib/errors.ts";
import { readSettingsFiles } from "../../../lib/host/settings-files.ts";

describe("readSettingsFiles", () => {
  let folder: string;
  let globalFile: string;
  let projectFile: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "paging-settings-"));
    mkdirSync(join(folder, "agent"));
    mkdirSync(join(folder, "project", ".pi"), { recursive: true });
    globalFile = join(folder, "agent", "settings.json");
    projectFile = join(folder, "project", ".pi", "settings.json");
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const read = (trust: "trusted" | "untrusted" = "trusted") =>
    readSettingsFiles({
      agentDir: join(folder, "agent"),
      cwd: join(folder, "project"),
      configDir: ".pi",
      projectTrusted: trust === "trusted",
    });

  const failure = (): SettingsFileError => {
    try {
      read();
    } catch (error) {
      if (error instanceof SettingsFileError) return error;
      throw error;
    }
    return expect.fail("nothing was thrown");
  };

  it("gives both whole files of a trusted project", () => {
    writeFileSync(globalFile, '{"theme": "dark", "contextPaging": {"tokenBudget": "x"}}');
    writeFileSync(projectFile, '{"contextPaging": {"enabled": false}}');
    expect(read()).to.deep.equal({
      globalSettings: { theme: "dark", contextPaging: { tokenBudget: "x" } },
      projectSettings: { contextPaging: { enabled: false } },
      projectTrusted: true,
    });
  });

  it("does not touch the file of an untrusted project", () => {
    writeFileSync(projectFile, "{ broken");
    expect(read("untrusted")).to.deep.equal({ globalSettings: {}, projectTrusted: false });
  });

  it("takes a file or folder that does not exist as empty settings", () => {
    const empty = { globalSettings: {}, projectSettings: {}, projectTrusted: true };
    expect(read()).to.deep.equal(empty);
    rmSync(join(folder, "agent"), { recursive: true });
    rmSync(join(folder, "project", ".pi"), { recursive: true });
    writeFileSync(join(folder, "project", ".pi"), "a file where the folder should be");
    expect(read()).to.deep.equal(empty);
  });

  it("takes an empty file as empty settings, as Pi does", () => {
    writeFileSync(globalFile, "");
    expect(read().globalSettings).to.deep.equal({});
  });

  it("accepts a byte-order mark", () => {
    writeFileSync(globalFile, '\uFEFF{"a": 1}');
    expect(read().globalSettings).to.deep.equal({ a: 1 });
  });

  it("writes nothing", () => {
    writeFileSync(globalFile, "{ broken");
    failure();
    expect(readFileSync(globalFile, "utf8")).to.equal("{ broken");
    rmSync(globalFile);
    read();
    expect(readdirSync(folder, { recursive: true }).sort()).to.deep.equal([
      "agent",
      "project",
      "project/.pi",
    ]);
  });

  it("fails on a file that is not JSON, and says so in one line without controls", () => {
    for (const broken of ['{"a": 1,}', "{", "  ", '{"a":\n x\n}', "\u0000"]) {
      writeFileSync(globalFile, broken);
      const { code, path, message, cause } = failure();
      expect({ code, path }).to.deep.equal({ code: "SETTINGS_FILE_UNREADABLE", path: globalFile });
      expect(message)
        .to.contain(`The settings file ${globalFile} is not valid JSON (`)
        .and.not.match(/\p{Cc}/u);
      expect(cause).to.be.instanceOf(SyntaxError);
    }
  });

  it("fails on JSON that is not an object, and says what was found", () => {
    for (const value of ["[]", "null", "5", '"text"', "true"]) {
      writeFileSync(projectFile, value);
      const error = failure();
      expect(error.path).to.equal(projectFile);
      expect(error.message).to.contain(`${projectFile} holds ${value} instead of a JSON object`);
      expect(error).not.to.have.property("cause");
    }
  });

  it("fails on a folder in place of the file", () => {
    mkdirSync(globalFile);
    expect(failure().message).to.contain(`${globalFile} cannot be read (EISDIR`);
  });

  it("fails on a link that leads nowhere but to itself", () => {
    symlinkSync(globalFile, globalFile);
    expect(failure().message).to.contain(`${globalFile} cannot be read (ELOOP`);
  });

  it("fails on a file that may not be read", function () {
    if (process.getuid?.() === 0) this.skip(); // root may read everything
    writeFileSync(globalFile, "{}");
    chmodSync(globalFile, 0);
    expect(failure().message).to.contain(`${globalFile} cannot be read (EACCES`);
  });

  it("says that paging is off until when, and what to do", () => {
    writeFileSync(globalFile, "{");
    expect(failure().message)
      .to.contain("Context paging is off until the next session start.")
      .and.contain("Correct the file or its permissions, then use /reload.");
  });
});

import type { ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { expect } from "chai";
import { RecoveryRefusedError } from "../../lib/errors.ts";
import type { OpenHistory } from "../../lib/recovery/open-history.ts";
import { OutputPageReader } from "../../lib/recovery/output-page-reader.ts";
import { recoveryTools } from "../../lib/recovery/recovery-tools.ts";
import { RECOVERY_TOOL_NAMES } from "../../lib/session/recovery-tool-names.ts";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import { branch } from "../support/branch-builder.ts";
import { navigatorOf, projectionOf, WIDE } from "../support/history.ts";
import { PIXEL } from "../support/session-shapes.ts";

const row = () => ({ render: () => [], invalidate: () => undefined });
const image = { type: "image" as const, mimeType: "image/png", data: PIXEL };
const built = branch().user([{ type: "text", text: "needle" }, image]);

function open(): OpenHistory {
  return {
    navigator: navigatorOf(built.entries),
    pages: new OutputPageReader(new TokenEstimator()),
    history: projectionOf(built.entries),
    scope: WIDE,
  };
}

const tools = recoveryTools({ open, row });
const INPUTS: Readonly<Record<string, Record<string, unknown>>> = {
  search_history: { query: "needle" },
  browse_history: { direction: "forward" },
  load_history: { historyIds: ["00000001"] },
  read_context_output: { historyId: "00000001", source: "user" },
};

async function run(tool: ToolDefinition, input: unknown, signal?: AbortSignal) {
  const params = tool.prepareArguments?.(input) ?? input;
  return tool.execute("call", params as never, signal, undefined, {} as ExtensionContext as never);
}

async function failure(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "no error";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe("recoveryTools", () => {
  it("are the four names whose own results are never given back", () => {
    expect(tools.map(({ name }) => name)).to.have.members([...RECOVERY_TOOL_NAMES]);
  });

  it("have strict object schemas, a prompt line, and change nothing", () => {
    for (const { name, parameters, promptSnippet, annotations, description } of tools) {
      expect(parameters, name).to.include({ type: "object", additionalProperties: false });
      expect(parameters, name).to.have.property("required").that.is.an("array").with.length.above(0);
      expect(promptSnippet, name).to.match(/^[^\n]+$/);
      expect(annotations, name).to.deep.equal({ readOnlyHint: true });
      expect(description.length, name).to.be.below(400);
    }
  });

  it("a reply is one JSON text block, with the same object as details", async () => {
    for (const tool of tools) {
      const { content, details } = await run(tool, INPUTS[tool.name]);
      const [text, ...images] = content;
      expect(text?.type === "text" && JSON.parse(text.text), tool.name).to.deep.equal(details);
      expect(images, tool.name).to.deep.equal(tool.name === "load_history" ? [image] : []);
    }
  });

  it("search with load brings the images too", async () => {
    const [search] = tools;
    const { content, details } = search
      ? await run(search, { query: "needle", load: true })
      : { content: [], details: {} };
    expect(content.slice(1)).to.deep.equal([image]);
    expect(details).to.have.all.keys("references", "total", "items");
  });

  it("errors are thrown as text with their code", async () => {
    const refused = recoveryTools({
      row,
      open: () => {
        throw new RecoveryRefusedError("Context paging is off.");
      },
    });
    for (const tool of refused) {
      expect(await failure(() => run(tool, INPUTS[tool.name]))).to.equal(
        "CONTEXT_PAGING_DISABLED: Context paging is off.",
      );
    }
    const [, , load, read] = tools;
    expect(load && (await failure(() => run(load, { historyIds: ["x"] })))).to.match(
      /^UNKNOWN_HISTORY_ID: This branch/,
    );
    expect(read && (await failure(() => run(read, { historyId: "x", source: "user" })))).to.match(
      /^UNKNOWN_HISTORY_ID: /,
    );
  });

  it("bad input gets its code before the host looks at it; null means left out", async () => {
    const [search, browse] = tools;
    const inputs = [
      {},
      { query: 1 },
      { query: "x", more: 1 },
      "text",
      { query: "x", limit: 0 },
      { query: "x", tools: [1] },
    ];
    for (const input of inputs) {
      expect(await failure(async () => search?.prepareArguments?.(input)), JSON.stringify(input)).to.match(
        /^INVALID_HISTORY_NAVIGATOR_INPUT: /,
      );
    }
    const reply = browse && (await run(browse, { direction: "forward", historyId: null, sequence: null }));
    expect(reply?.details).to.have.property("references").with.length(1);
  });

  it("a call that is stopped before it begins opens no history", async () => {
    const closed = recoveryTools({
      row,
      open: () => {
        throw new Error("opened");
      },
    });
    for (const tool of closed) {
      const error = await failure(() => run(tool, INPUTS[tool.name], AbortSignal.abort()));
      expect(error, tool.name).to.match(/^RECOVERY_ABORTED: This call was stopped/);
    }
  });

  for (const [name, input] of Object.entries({
    search_history: { query: "needle" },
    load_history: { historyIds: ["00000001", "00000002", "00000003"] },
  })) {
    it(`${name} that is stopped while it works ends soon, and the next one answers as ever`, async () => {
      const { entries, slow } = slowHistory(100);
      const history = projectionOf(entries);
      const opened = { ...open(), navigator: navigatorOf(entries), history };
      const tool = recoveryTools({ row, open: () => opened }).find((one) => one.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      const stop = new AbortController();
      const stopped = failure(() => run(tool, input, stop.signal));
      setImmediate(() => stop.abort());
      expect(await stopped).to.match(/^RECOVERY_ABORTED: /);
      expect(slow.reads, "items read before it ended").to.be.below(20);
      slow.waitMs = 0;
      const { details } = await run(tool, input);
      const fresh = recoveryTools({ row, open: () => ({ ...opened, navigator: navigatorOf(entries) }) });
      const again = fresh.find((one) => one.name === name);
      expect(again && (await run(again, input)).details).to.deep.equal(details);
    });
  }
});

/** Items that take their time to be read, as large ones do. */
function slowHistory(count: number) {
  const slow = { reads: 0, waitMs: 4 };
  const building = branch();
  for (let n = 0; n < count; n++) building.user(`needle ${n}`);
  for (const [n, message] of building.messages.entries()) {
    const get = () => {
      slow.reads++;
      for (const end = performance.now() + slow.waitMs; performance.now() < end; );
      return `needle ${n}`;
    };
    Object.defineProperty(message, "content", { get, enumerable: true });
  }
  return { entries: building.entries, slow };
}

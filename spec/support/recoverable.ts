/** That all of a session is found and given back by the tools. */
import { expect } from "chai";
import type { SessionEntry } from "../../lib/messages.ts";
import type { OutputPage } from "../../lib/recovery/output-page-reader.ts";
import { type AddressedOutput, joinedPages, outputsOf } from "./addressed-outputs.ts";
import type { BranchBuilder } from "./branch-builder.ts";
import { projectionOf } from "./history.ts";
import type { HistoryPlayer } from "./history-player.ts";

/** What the tools say of a branch whose calls and results do not pair. */
const DAMAGED = /^(ORPHAN|DUPLICATE|MISMATCHED|INCOMPLETE)_TOOL_RESULTS?:/;
const TOO_LARGE = /^HISTORY_ITEMS_TOO_LARGE/;

/** Every item is found by browsing, and given back as it is stored: at once, or in pages where it is too large. */
export async function checkRecoverable(player: HistoryPlayer, building: BranchBuilder): Promise<void> {
  const tools = new Tools(player, building);
  const listed = await tools.listed();
  if (listed === undefined) return;
  const tooLarge: string[] = [];
  for (const entry of building.path) {
    if (!mustBeFound(entry, building)) continue;
    expect(listed.has(entry.id), entry.id).to.equal(true);
    const { items, error } = await tools.reply("load_history", { historyIds: [entry.id] });
    if (error === undefined) expect(items?.[0]).to.deep.include(storedItem(entry));
    else expect(error).to.match(TOO_LARGE);
    if (error !== undefined) tooLarge.push(entry.id);
  }
  for (const output of shortestOutputs(tooLarge, building)) await tools.expectPages(output);
}

/** What the shortest of these items holds. One item is enough: small budgets make small pages, and each is a call. */
function shortestOutputs(historyIds: readonly string[], building: BranchBuilder): AddressedOutput[] {
  const history = projectionOf(building.path);
  const lengthOf = (outputs: AddressedOutput[]) => JSON.stringify(outputs).length;
  const all = historyIds.flatMap((id) => history.item(id) ?? []).map(outputsOf);
  return all.toSorted((a, b) => lengthOf(a) - lengthOf(b))[0] ?? [];
}

interface Reply extends Partial<OutputPage> {
  readonly references?: readonly { readonly historyId: string }[];
  readonly items?: readonly object[];
  readonly error?: string;
}

/** The tools as the model calls them. */
class Tools {
  readonly #player: HistoryPlayer;
  readonly #building: BranchBuilder;

  constructor(player: HistoryPlayer, building: BranchBuilder) {
    this.#player = player;
    this.#building = building;
  }

  async reply(name: string, input: object): Promise<Reply> {
    await this.#player.emit("none", this.#building);
    try {
      return (await this.#player.pi.tool(name, input)).details as Reply;
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The ids of all that browsing finds; none where the branch is damaged. */
  async listed(): Promise<ReadonlySet<string> | undefined> {
    const listed = new Set<string>();
    const from = { direction: "forward", count: 10 };
    let reply = await this.reply("browse_history", from);
    if (reply.error !== undefined) {
      expect(reply.error).to.match(DAMAGED);
      return undefined;
    }
    while (reply.references?.length) {
      for (const { historyId } of reply.references) listed.add(historyId);
      const historyId = reply.references.at(-1)?.historyId;
      reply = await this.reply("browse_history", { ...from, historyId });
    }
    return listed;
  }

  /** An output, page by page, is word for word what is stored. */
  async expectPages({ input, value }: AddressedOutput): Promise<void> {
    const pages = joinedPages(async (offset) => {
      const page = await this.reply("read_context_output", { ...input, limit: 32_000, offset });
      expect(page.error, JSON.stringify(input)).to.equal(undefined);
      return page as OutputPage;
    });
    expect(await pages).to.equal(JSON.stringify(value));
  }
}

/** A newest exchange that lacks results is no item yet. */
function mustBeFound(entry: SessionEntry, { path, messages }: BranchBuilder): boolean {
  if (entry.type !== "message") return entry.type === "custom_message";
  const { message } = entry;
  if (message.role === "bashExecution") return !message.excludeFromContext;
  const isNewest =
    message.role === "assistant" && messages.findLast(({ role }) => role === "assistant") === message;
  return message.role === "user" || (message.role === "assistant" && !isNewest && path.includes(entry));
}

/** What of an item can be told from its entry alone; an image is given back beside the text. */
function storedItem(entry: SessionEntry): object {
  const historyId = entry.id;
  if (entry.type !== "message") return { historyId };
  if (entry.message.role === "assistant") return { historyId, assistant: entry.message };
  return JSON.stringify(entry.message).includes('"image"')
    ? { historyId }
    : { historyId, message: entry.message };
}

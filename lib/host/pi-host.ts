import type {
  ContextEvent,
  ExtensionAPI,
  ExtensionContext,
  SessionBeforeCompactEvent,
  ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import type { AssistantMessage } from "../messages.ts";
import type { ModelWindow } from "../paging/limits.ts";
import type { PagingRequest, RequestModel } from "../paging/paging-request.ts";
import type { SelectionReport } from "../paging/selection-report.ts";
import { type Paint, PLAIN } from "../paint.ts";
import type { SettingsSources } from "../settings.ts";
import type { SavedSession } from "../stats/saved-session.ts";
import { BranchReader } from "./branch-reader.ts";
import { fileBytes } from "./file-bytes.ts";
import { agentDir, configDirName, isContextOverflow, statusPriceOf } from "./pi.ts";
import { readSettingsFiles } from "./settings-files.ts";

/** Why Pi wants to compact. */
export type CompactionReason = "manual" | "threshold" | "overflow";

/**
 * Pi as the rest of the extension sees it: plain data in, plain texts out. What differs between the hosts is in the
 * subclasses. Nothing of a `ctx` is kept: Pi replaces it with the session.
 */
export abstract class PiHost {
  readonly #pi: ExtensionAPI;
  readonly #ownTools = new Set<string>();
  readonly #branches = new BranchReader();

  constructor(pi: ExtensionAPI) {
    this.#pi = pi;
  }

  /** Whether the branch may lack the newest messages of a request. */
  abstract readonly branchLag: PagingRequest["branchLag"];
  /** What the host does with another model's thinking. */
  abstract readonly foreignThinking: PagingRequest["foreignThinking"];
  /** Whether Pi asks, before a run ends, if the run should go on. */
  abstract readonly asksBeforeSettling: boolean;

  /** Why this compaction is about to happen. Must be asked first in the handler: one host only leaves a trace. */
  abstract compactionReason(event: SessionBeforeCompactEvent, ctx: ExtensionContext): CompactionReason;
  protected abstract isProjectTrusted(ctx: ExtensionContext): boolean;

  /** The request behind a `context` event, in plain data. */
  request(event: ContextEvent, ctx: ExtensionContext): PagingRequest {
    const usage = contextUsage(ctx);
    return {
      messages: event.messages,
      resident: { systemPrompt: ctx.getSystemPrompt(), tools: this.#activeTools() },
      model: this.model(ctx),
      window: modelWindow(ctx, usage?.contextWindow),
      status: usage && { tokens: usage.tokens, priceOf: statusPriceOf },
      branch: this.branch(ctx),
      branchLag: this.branchLag,
      foreignThinking: this.foreignThinking,
    };
  }

  /** The active branch, oldest entry first. */
  branch({ sessionManager }: ExtensionContext): PagingRequest["branch"] {
    return this.#branches.read(sessionManager);
  }

  /** The model that answers. */
  model({ model }: ExtensionContext): RequestModel | undefined {
    return model && { provider: model.provider, id: model.id, api: model.api };
  }

  /** The window of the model that answers, where it is known. */
  window(ctx: ExtensionContext): ModelWindow | undefined {
    return modelWindow(ctx, contextUsage(ctx)?.contextWindow);
  }

  /** The session as it is stored. Reads only. */
  savedSession({ sessionManager }: ExtensionContext): SavedSession {
    return {
      bytes: fileBytes(sessionManager.getSessionFile()),
      entries: sessionManager.getEntries(),
      branch: this.#branches.read(sessionManager),
      origin: sessionManager.getHeader()?.parentSession === undefined ? "new" : "fork",
      priceOf: statusPriceOf,
    };
  }

  /** Colours for what is shown to the user. Only one host says where that is a screen. */
  paint(_ctx: ExtensionContext): Paint {
    return PLAIN;
  }

  /** Tells other extensions what was selected. */
  announce(report: SelectionReport): void {
    this.#pi.events.emit("context-paging:selection", report);
  }

  /**
   * Registers tools and returns the names that others own: their tools stay. Two owners of one name at load time would
   * stop Pi, so this is for `session_start`, when every extension has registered what it has.
   */
  registerTools(tools: readonly ToolDefinition[]): readonly string[] {
    const taken = new Set(this.#pi.getAllTools().map(({ name }) => name));
    const free = tools.filter(({ name }) => this.#ownTools.has(name) || !taken.has(name));
    for (const tool of free) {
      if (this.#ownTools.has(tool.name)) continue;
      this.#ownTools.add(tool.name);
      this.#pi.registerTool(tool);
    }
    return tools.filter((tool) => !free.includes(tool)).map(({ name }) => name);
  }

  /** Global and trusted-project settings. Throws {@link SettingsFileError}. */
  settings(ctx: ExtensionContext): SettingsSources {
    return readSettingsFiles({
      agentDir: agentDir(),
      cwd: ctx.cwd,
      configDir: configDirName(),
      projectTrusted: this.isProjectTrusted(ctx),
    });
  }

  /** Whether the provider refused the request because it was too large. */
  isOverflow(response: AssistantMessage): boolean {
    return isContextOverflow(response as Parameters<typeof isContextOverflow>[0]);
  }

  /** Whether the answer broke off before the model's own limit: the window left no room for more. */
  brokeOff({ stopReason, usage }: AssistantMessage, { model }: ExtensionContext): boolean {
    return stopReason === "length" && (usage?.output ?? 0) < (model?.maxTokens ?? 0);
  }

  /** Tells the user; where Pi has no user interface, on stderr, one line each. */
  tell(ctx: ExtensionContext, text: string, level: "info" | "warning" | "error" = "info"): void {
    if (ctx.hasUI) ctx.ui.notify(text, level);
    else process.stderr.write(`context-paging: ${text.replaceAll("\n", " ")}\n`);
  }

  /** Shows a table or a picture. On stderr its lines stay lines, each with the name of the extension. */
  show(ctx: ExtensionContext, text: string): void {
    if (ctx.hasUI) this.tell(ctx, text);
    else for (const line of text.split("\n")) this.tell(ctx, line);
  }

  /** Publishes the footer status; undefined clears it. */
  publishStatus(ctx: ExtensionContext, text: string | undefined): void {
    if (ctx.hasUI) ctx.ui.setStatus("context-paging", text);
  }

  #activeTools(): PagingRequest["resident"]["tools"] {
    const active = new Set(this.#pi.getActiveTools());
    return this.#pi.getAllTools().filter((tool) => active.has(tool.name));
  }
}

/** Pi's own measure. It throws where the newest messages hold damaged content: then there is none. */
function contextUsage(ctx: ExtensionContext): ReturnType<ExtensionContext["getContextUsage"]> {
  try {
    return ctx.getContextUsage();
  } catch {
    return undefined;
  }
}

/** The window of the model that answers: a virtual model's own may be 0. Anything but a positive number is unknown. */
function modelWindow(ctx: ExtensionContext, routed: number | undefined): ModelWindow | undefined {
  const contextWindow = isPositive(routed) ? routed : ctx.model?.contextWindow;
  if (!isPositive(contextWindow)) return undefined;
  const maxTokens = ctx.model?.maxTokens;
  return isPositive(maxTokens) ? { contextWindow, maxTokens } : { contextWindow };
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

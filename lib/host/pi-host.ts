import type {
  ContextEvent,
  ExtensionAPI,
  ExtensionContext,
  SessionBeforeCompactEvent,
  ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import type { AssistantMessage } from "../messages.ts";
import type { ModelWindow } from "../paging/limits.ts";
import type { PagingRequest } from "../paging/paging-request.ts";
import type { SettingsSources } from "../settings.ts";
import { agentDir, configDirName, isContextOverflow } from "./pi.ts";
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
    return {
      ...this.modelOf(ctx),
      messages: event.messages,
      resident: { systemPrompt: ctx.getSystemPrompt(), tools: this.#activeTools() },
      branch: ctx.sessionManager.getBranch(),
      branchLag: this.branchLag,
      foreignThinking: this.foreignThinking,
    };
  }

  /** The model that requests go to now, and its window. */
  modelOf(ctx: ExtensionContext): Pick<PagingRequest, "model" | "window"> {
    const model = ctx.model;
    return {
      model: model && { provider: model.provider, id: model.id, api: model.api },
      window: modelWindow(ctx),
    };
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

  /** Tells the user; where Pi has no user interface, on stderr, one line each. */
  tell(ctx: ExtensionContext, text: string, level: "info" | "warning" | "error" = "info"): void {
    if (ctx.hasUI) ctx.ui.notify(text, level);
    else process.stderr.write(`context-paging: ${text.replaceAll("\n", " ")}\n`);
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

/** The window of the model that answers: a virtual model's own may be 0. Anything but a positive number is unknown. */
function modelWindow(ctx: ExtensionContext): ModelWindow | undefined {
  const routed = ctx.getContextUsage()?.contextWindow;
  const contextWindow = isPositive(routed) ? routed : ctx.model?.contextWindow;
  if (!isPositive(contextWindow)) return undefined;
  const maxTokens = ctx.model?.maxTokens;
  return isPositive(maxTokens) ? { contextWindow, maxTokens } : { contextWindow };
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

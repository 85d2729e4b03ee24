import type {
  AgentBeforeSettleEvent,
  AgentEndEvent,
  ContextEvent,
  ExtensionAPI,
  ExtensionContext,
  SessionBeforeCompactEvent,
  TurnEndEvent,
} from "@earendil-works/pi-coding-agent";
import { argumentCompletions, COMMAND_USAGE, parseCommand, stateText } from "./command.ts";
import { RecoveryRefusedError } from "./errors.ts";
import { HighTargetWarning } from "./high-target-warning.ts";
import { hostOf } from "./host/host-of.ts";
import { row } from "./host/pi-components.ts";
import type { PiHost } from "./host/pi-host.ts";
import type { AgentMessage, AssistantMessage, CompactionEntry } from "./messages.ts";
import { BudgetPolicy, type SelectionOutcome } from "./paging/budget-policy.ts";
import type { CarriedItems } from "./paging/carried-items.ts";
import { FrontierManager } from "./paging/frontier-manager.ts";
import { type RequestLimits, requestLimits } from "./paging/limits.ts";
import type { PagingRequest } from "./paging/paging-request.ts";
import { Provenance } from "./paging/provenance.ts";
import { NOT_ANSWERED, RefusedRequest } from "./paging/refused-request.ts";
import { checkMessages } from "./paging/request-messages.ts";
import { copyOf } from "./paging/selection-report.ts";
import type { PagingStrategies } from "./paging/selection-request.ts";
import { PagingState } from "./paging-state.ts";
import { HistoryNavigator } from "./recovery/history-navigator.ts";
import type { OpenHistory } from "./recovery/open-history.ts";
import { OutputPageReader } from "./recovery/output-page-reader.ts";
import { recoveryTools } from "./recovery/recovery-tools.ts";
import { BranchProjection } from "./session/branch-projection.ts";
import { type Invalidation, invalidationBy } from "./session/invalidation.ts";
import { lastResponse } from "./session/last-response.ts";
import type { SettingsSources } from "./settings.ts";
import { SessionStats } from "./stats/session-stats.ts";
import type { CurrentLimits } from "./stats/window-picture.ts";
import { FifoEviction } from "./strategies/eviction/fifo-eviction.ts";
import { StatelessFifoFallback } from "./strategies/fallback/stateless-fifo-fallback.ts";
import { KeyedBoundarySnap } from "./strategies/snap/keyed-boundary-snap.ts";
import { RequestPricer } from "./usage/request-pricer.ts";
import { sentRequest, type TracedRequest } from "./usage/sent-request.ts";
import { TokenEstimator } from "./usage/token-estimator.ts";
import { UsageCalibrator } from "./usage/usage-calibrator.ts";

/** What an embedder or a fork may give. */
export interface ContextPagingOptions {
  /** Whole parsed settings.json objects, instead of reading the files. */
  readonly settings?: SettingsSources;
  /** Strategies that replace the defaults. */
  readonly strategies?: Partial<PagingStrategies>;
  /** Milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
}

const RECOVERY_REFUSED =
  "Context paging is off for this session, so nothing has left the context. The user can turn it on with /context-paging on.";

/**
 * Owns the collaborators and wires them to Pi's events, one short method per event. All state is in this instance: Pi
 * replaces its own objects with the session. Section "Lifecycle" of ARCHITECTURE.md.
 */
export class ContextPagingExtension {
  readonly #options: ContextPagingOptions;
  readonly #policy: BudgetPolicy;
  readonly #frontiers = new FrontierManager();
  readonly #estimator = new TokenEstimator();
  readonly #pricer = new RequestPricer(this.#estimator);
  readonly #calibrator = new UsageCalibrator();
  readonly #navigator = new HistoryNavigator(this.#estimator);
  readonly #pages = new OutputPageReader(this.#estimator);
  readonly #refused = new RefusedRequest();
  readonly #state = new PagingState();
  readonly #highTargetWarning = new HighTargetWarning();
  readonly #stats = new SessionStats();
  #projection = new BranchProjection();
  #host: PiHost | undefined;
  /** What the latest request carried. */
  #carried: CarriedItems | undefined;
  #startedSession: string | undefined;
  #warnedOfTakenTools = false;
  /** Compactions that have ended the cut. */
  readonly #handledCompactions = new Set<string>();

  constructor(options: ContextPagingOptions = {}) {
    this.#options = options;
    this.#policy = new BudgetPolicy({
      eviction: options.strategies?.eviction ?? new FifoEviction(),
      snap: options.strategies?.snap ?? new KeyedBoundarySnap(),
      fallback: options.strategies?.fallback ?? new StatelessFifoFallback(),
    });
  }

  /** Registers the command and the event handlers. Called once by the factory. */
  register(pi: ExtensionAPI): void {
    const host = (ctx: ExtensionContext): PiHost => {
      this.#host ??= hostOf(pi, ctx);
      return this.#host;
    };
    pi.registerCommand("context-paging", {
      description: "Turn context paging on or off, or show its state",
      getArgumentCompletions: argumentCompletions,
      handler: async (args, ctx) => this.#onCommand(args, ctx, host(ctx)),
    });
    pi.on("session_start", (_event, ctx) => this.#onSessionStart(ctx, host(ctx)));
    pi.on("session_shutdown", (_event, ctx) => host(ctx).publishStatus(ctx, undefined));
    pi.on("session_tree", (_event, ctx) => this.#onSessionTree(ctx, host(ctx)));
    pi.on("session_before_compact", (event, ctx) => this.#onBeforeCompact(event, ctx, host(ctx)));
    pi.on("session_compact", (event) => this.#onCompact(event.compactionEntry));
    pi.on("model_select", () => this.#resetAll());
    pi.on("before_agent_start", () => this.#refused.beginRun());
    pi.on("context", (event, ctx) => this.#onContext(event, ctx, host(ctx)));
    pi.on("turn_end", (event, ctx) => this.#onTurnEnd(event, ctx, host(ctx)));
    pi.on("agent_end", (event, ctx) => this.#onAgentEnd(event, ctx, host(ctx)));
    pi.on("agent_before_settle", (event, ctx) => this.#onBeforeSettle(event, ctx, host(ctx)));
  }

  #onSessionStart(ctx: ExtensionContext, host: PiHost): void {
    this.#state.begin();
    this.#resetAll();
    this.#stats.beginSession();
    this.#projection = new BranchProjection();
    this.#carried = undefined;
    this.#registerTools(ctx, host);
    // One host starts some sessions twice; what is wrong with the settings is told once.
    const sessionId = ctx.sessionManager.getSessionId();
    const isFirstStart = this.#startedSession !== sessionId;
    this.#startedSession = sessionId;
    try {
      this.#state.settle(this.#options.settings ?? host.settings(ctx));
      const { invalidWarning } = this.#state;
      if (isFirstStart && invalidWarning !== undefined) host.tell(ctx, invalidWarning, "warning");
    } catch (error) {
      this.#state.fail(error instanceof Error ? error : new Error(String(error)));
      if (isFirstStart) throw error;
    } finally {
      this.#publishStatus(ctx, host);
    }
    this.#follow(host.branch(ctx));
    if (!this.#state.isEnabled) return;
    this.#pricer.begin(this.#projection.session.messages, this.#limits(ctx, host).budgetTokens);
  }

  #onTurnEnd({ message }: TurnEndEvent, ctx: ExtensionContext, host: PiHost): void {
    this.#follow(host.branch(ctx));
    if (message.role === "assistant") this.#recordResponse(message);
  }

  /** The tools refuse while paging is off; so they may be registered before the settings are known. */
  #registerTools(ctx: ExtensionContext, host: PiHost): void {
    const taken = host.registerTools(
      recoveryTools({ open: (toolCtx) => this.#openHistory(toolCtx, host), row }),
    );
    if (taken.length === 0 || this.#warnedOfTakenTools) return;
    this.#warnedOfTakenTools = true;
    host.tell(
      ctx,
      `Another extension owns ${taken.join(", ")}: context paging leaves its tool alone and goes without its own. ` +
        "If context paging is installed twice, remove one of them.",
      "warning",
    );
  }

  /** The history as it is now, for one call of a recovery tool. */
  #openHistory(ctx: ExtensionContext, host: PiHost): OpenHistory {
    if (!this.#state.isEnabled) throw new RecoveryRefusedError(RECOVERY_REFUSED);
    this.#follow(host.branch(ctx));
    this.#navigator.update(this.#projection.items);
    const { budgetTokens } = this.#limits(ctx, host);
    return {
      navigator: this.#navigator,
      pages: this.#pages,
      history: this.#projection,
      scope: { budgetTokens, inWindow: (item) => this.#carried?.carries(item) ?? false },
    };
  }

  #onSessionTree(ctx: ExtensionContext, host: PiHost): void {
    this.#resetAll();
    this.#follow(host.branch(ctx));
  }

  #onBeforeCompact(
    event: SessionBeforeCompactEvent,
    ctx: ExtensionContext,
    host: PiHost,
  ): { cancel: true } | undefined {
    const reason = host.compactionReason(event, ctx);
    if (reason === "manual") {
      this.#resetAccounting();
      return undefined;
    }
    return this.#state.isEnabled ? { cancel: true } : undefined;
  }

  /** Told by the event and by the saved entry, in either order; only the first ends the cut. */
  #onCompact({ id }: CompactionEntry): void {
    if (this.#handledCompactions.has(id)) return;
    this.#handledCompactions.add(id);
    this.#resetAll();
  }

  #onContext(
    event: ContextEvent,
    ctx: ExtensionContext,
    host: PiHost,
  ): { messages: AgentMessage[] } | undefined {
    if (!this.#state.isEnabled) return undefined;
    try {
      const { messages } = this.#select(host.request(event, ctx), ctx, host);
      return messages && { messages };
    } catch (error) {
      // A handler that throws lets the request out whole; only an abort keeps it in.
      ctx.abort();
      host.tell(ctx, error instanceof Error ? error.message : String(error), "error");
      return undefined;
    }
  }

  /** One request's way: follow the session, trace, price, select; then remember what was selected. */
  #select(request: PagingRequest, ctx: ExtensionContext, host: PiHost): SelectionOutcome {
    this.#follow(request.branch);
    checkMessages(request.messages);
    const { session, error } = this.#projection;
    const configured = this.#state.limitsFor(request.model);
    const limits = requestLimits(configured, request.window);
    const provenance = Provenance.trace(request.messages, session.messages, request.branchLag);
    if (request.branchLag === "tail") this.#recordNewestResponse(request);
    const local = this.#pricer.price(request, provenance, this.#calibrator.reachTokens(limits.budgetTokens));
    this.#calibrator.observe({ request, provenance, session: session.messages, local });
    const outcome = this.#policy.select({
      messages: request.messages,
      provenance,
      history: error ? undefined : this.#projection,
      branchLag: request.branchLag,
      ...this.#calibrator.calibrated(local, provenance),
      priceOf: (message) => this.#pricer.priceOf(message),
      limits,
      cut: this.#frontiers.prepare(),
      now: (this.#options.now ?? Date.now)(),
      refusedTokens: this.#refused.tokens,
    });
    this.#remember(outcome, { provenance, local, sessionLength: session.messages.length });
    host.announce(copyOf(outcome.report));
    const warning = limits.highTarget ? this.#highTargetWarning.take(configured) : undefined;
    if (warning !== undefined) host.tell(ctx, warning, "warning");
    return outcome;
  }

  /** What was selected successfully is what the next request goes by. */
  #remember(outcome: SelectionOutcome, traced: TracedRequest): void {
    const { cut, report, carriedItems } = outcome;
    this.#frontiers.commit(cut);
    this.#calibrator.recordRequest(
      sentRequest({ ...outcome, time: report.time, expectedTokens: report.tokensAfter }, traced),
    );
    // A request that was selected alone leaves no cut that keeps the next one small.
    if (report.fallbackCause === undefined) this.#refused.settle();
    this.#carried = carriedItems;
    this.#stats.recordSelection(report);
  }

  /** A host that does not wait for extensions may ask for a request before it has told of the response before it. */
  #recordNewestResponse({ messages }: PagingRequest): void {
    const response = messages.findLast(({ role }) => role === "assistant");
    if (response?.role === "assistant") this.#recordResponse(response);
  }

  #recordResponse(response: AssistantMessage): void {
    this.#calibrator.recordResponse(response);
    this.#stats.recordResponse(response);
  }

  /** Hosts that end a run without asking leave only this: the user must know that the prompt was not answered. */
  #onAgentEnd({ messages }: AgentEndEvent, ctx: ExtensionContext, host: PiHost): void {
    const last = messages.at(-1);
    if (!this.#state.isEnabled || host.asksBeforeSettling || last?.role !== "assistant") return;
    if (!host.isOverflow(last) && !host.brokeOff(last, ctx)) return;
    this.#refused.refuse(this.#stats.latestReport?.tokensAfter);
    host.tell(ctx, NOT_ANSWERED, "error");
  }

  /** A run whose last request was too large goes on once, with a smaller one; else the user is told. */
  #onBeforeSettle(
    event: AgentBeforeSettleEvent,
    ctx: ExtensionContext,
    host: PiHost,
  ): { continue: true } | undefined {
    const response = lastResponse(host.branch(ctx));
    if (!this.#state.isEnabled || !response) return undefined;
    const run = {
      ...response,
      isOverflow: host.isOverflow(response.message),
      canContinue: event.context.canContinue,
    };
    const end = this.#refused.end(run, this.#stats.latestReport?.tokensAfter);
    if (end === "unanswered") host.tell(ctx, NOT_ANSWERED, "error");
    return end === "continue" ? { continue: true } : undefined;
  }

  #onCommand(args: string, ctx: ExtensionContext, host: PiHost): void {
    const { kind } = parseCommand(args);
    switch (kind) {
      case "on":
      case "off":
        this.#switch(kind, ctx, host);
        return;
      case "status":
        host.tell(ctx, stateText(this.#state.isEnabled ? "on" : "off"));
        return;
      case "stats":
      case "window":
        host.show(ctx, this.#shown(kind, ctx, host));
        return;
      default:
        host.tell(ctx, COMMAND_USAGE);
    }
  }

  /** Reads what is asked for, and changes nothing. */
  #shown(kind: "stats" | "window", ctx: ExtensionContext, host: PiHost): string {
    const limits = this.#currentLimits(ctx, host);
    return kind === "window"
      ? this.#stats.window(limits, host.paint(ctx))
      : this.#stats.stats(host.savedSession(ctx), limits, host.paint(ctx));
  }

  /** The limits that a request would have now, as they are shown. */
  #currentLimits(ctx: ExtensionContext, host: PiHost): CurrentLimits {
    const window = host.window(ctx);
    const limits = this.#state.isEnabled ? this.#limits(ctx, host, window) : undefined;
    return { budgetTokens: limits?.budgetTokens, windowTokens: window?.contextWindow };
  }

  #limits(ctx: ExtensionContext, host: PiHost, window = host.window(ctx)): RequestLimits {
    return requestLimits(this.#state.limitsFor(host.model(ctx)), window);
  }

  #switch(state: "on" | "off", ctx: ExtensionContext, host: PiHost): void {
    const { error, isEnabled: wasEnabled } = this.#state;
    if (state === "on" && error) {
      this.#publishStatus(ctx, host);
      host.tell(ctx, error.message, "error");
      return;
    }
    this.#state.choose(state);
    if (this.#state.isEnabled !== wasEnabled) this.#resetAll();
    this.#publishStatus(ctx, host);
    host.tell(ctx, stateText(state));
  }

  /** Follows the session. What came since the last time may end the cut, or only what was measured. */
  #follow(branch: PagingRequest["branch"]): void {
    this.#projection.update(branch);
    for (const entry of this.#projection.appendedEntries) {
      if (entry.type === "compaction") this.#onCompact(entry);
      else this.#invalidate(invalidationBy(entry, branch));
    }
  }

  #invalidate(invalidation: Invalidation): void {
    if (invalidation === "none") return;
    if (invalidation === "cut") this.#frontiers.reset();
    this.#resetAccounting();
  }

  /** Another history, model or state: neither the cut nor anything measured holds. */
  #resetAll(): void {
    this.#frontiers.reset();
    this.#refused.settle();
    this.#resetAccounting();
  }

  #resetAccounting(): void {
    this.#calibrator.clear();
    this.#stats.clearLatest();
  }

  #publishStatus(ctx: ExtensionContext, host: PiHost): void {
    host.publishStatus(ctx, this.#state.isEnabled ? "paging on" : "paging off");
  }
}

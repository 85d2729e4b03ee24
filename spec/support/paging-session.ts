/**
 * Selection as the extension does it, on branches of the builder, with prices that a spec can read: a message costs the
 * number behind `#` in its text ("r1 #900"), else 100 tokens; a notice costs 20 and a reference to a result 30.
 */
import { buildSessionContext } from "@earendil-works/pi-coding-agent";
import type { AgentMessage, SessionEntry } from "../../lib/messages.ts";
import { BudgetPolicy, type SelectionOutcome } from "../../lib/paging/budget-policy.ts";
import { FrontierManager } from "../../lib/paging/frontier-manager.ts";
import { Provenance } from "../../lib/paging/provenance.ts";
import type { PagingStrategies } from "../../lib/paging/selection-request.ts";
import { BranchProjection } from "../../lib/session/branch-projection.ts";
import { FifoEviction } from "../../lib/strategies/eviction/fifo-eviction.ts";
import { StatelessFifoFallback } from "../../lib/strategies/fallback/stateless-fifo-fallback.ts";
import { KeyedBoundarySnap } from "../../lib/strategies/snap/keyed-boundary-snap.ts";
import { labelOf, textOf } from "./labels.ts";

export const NOTICE_TOKENS = 20;
export const REFERENCE_TOKENS = 30;

/** Later than every message of the builder. */
const NOW = Date.UTC(2026, 5, 1);

export interface Limits {
  readonly budget: number;
  /** Default: the budget. */
  readonly target?: number;
  /** Default: unknown. */
  readonly inputWindow?: number;
  readonly resident?: number;
  readonly branchLag?: "none" | "tail";
  readonly strategies?: Partial<PagingStrategies>;
  /** Default: the marks. */
  readonly price?: (message: AgentMessage) => number;
}

export interface RequestDraft extends Partial<Omit<Limits, "strategies">> {
  /** What other extensions make of the messages. */
  readonly change?: (messages: AgentMessage[]) => AgentMessage[];
  /** How many of the newest entries the host has not stored yet. */
  readonly unstored?: number;
  readonly refusedTokens?: number;
  readonly now?: number;
}

/** Anything with entries from the root to the leaf: the builder has them. */
interface Branch {
  readonly path: SessionEntry[];
}

export class PagingSession {
  readonly projection = new BranchProjection();
  readonly frontiers = new FrontierManager();
  readonly #limits: Limits;
  /** One for all requests, as in the extension: it takes over what it read of the request before. */
  readonly #policy: BudgetPolicy;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#policy = new BudgetPolicy({
      eviction: new FifoEviction(),
      snap: new KeyedBoundarySnap(),
      fallback: new StatelessFifoFallback(),
      ...limits.strategies,
    });
  }

  /** Selects the next request of the branch and commits what came out. */
  request(branch: Branch, draft: RequestDraft = {}): SelectionOutcome {
    return this.requestOf(piMessages(branch.path), branch, draft);
  }

  /** As `request`, with the very messages that come in. */
  requestOf(incoming: AgentMessage[], { path }: Branch, draft: RequestDraft = {}): SelectionOutcome {
    const { budget, target, inputWindow, resident, branchLag, price } = {
      price: priceOf,
      ...this.#limits,
      ...draft,
    };
    const messages = draft.change ? draft.change(incoming) : incoming;
    this.projection.update(path.slice(0, path.length - (draft.unstored ?? 0)));
    const { error, session } = this.projection;
    const outcome = this.#policy.select({
      messages,
      provenance: Provenance.trace(messages, session.messages, branchLag ?? "none"),
      messageTokens: messages.map(price),
      history: error ? undefined : this.projection,
      branchLag: branchLag ?? "none",
      residentTokens: resident ?? 0,
      limits: {
        configuredBudgetTokens: budget,
        configuredTargetTokens: target ?? budget,
        budgetTokens: Math.min(budget, inputWindow ?? budget),
        targetTokens: Math.min(target ?? budget, inputWindow ?? budget),
        ...(inputWindow === undefined ? {} : { inputWindowTokens: inputWindow }),
        highTarget: false,
      },
      cut: this.frontiers.prepare(),
      priceOf: price,
      now: draft.now ?? NOW,
      refusedTokens: draft.refusedTokens,
    });
    this.frontiers.commit(outcome.cut);
    return outcome;
  }

  /** Labels of what the next request sends. */
  sent(branch: Branch, draft: RequestDraft = {}): string {
    return sentBy(this.request(branch, draft), branch, draft);
  }
}

/** Labels of what was sent, joined by spaces. */
export function sentBy(outcome: SelectionOutcome, branch: Branch, draft: RequestDraft = {}): string {
  const incoming = piMessages(branch.path);
  const messages = outcome.messages ?? (draft.change ? draft.change(incoming) : incoming);
  return messages.map(labelOf).join(" ");
}

/** What Pi itself hands to a `context` handler for this branch: fresh clones, no system messages. */
export function piMessages(path: SessionEntry[]): AgentMessage[] {
  const { messages } = buildSessionContext(path, path.at(-1)?.id ?? null);
  return structuredClone(messages.filter(({ role }) => role !== "system"));
}

export function priceOf(message: AgentMessage): number {
  const text = textOf(message);
  if (text.startsWith("[context-paging]"))
    return message.role === "toolResult" ? REFERENCE_TOKENS : NOTICE_TOKENS;
  return Number(/#(\d+)/.exec(text)?.[1] ?? 100);
}

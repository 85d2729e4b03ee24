/** The words of `/context-paging`: what a user may type and what is answered (ARCHITECTURE.md, "Lifecycle"). */

/** What the arguments of one command ask for. `usage`: nothing that is known, so the usage is shown. */
export interface PagingCommand {
  readonly kind: PagingAction | "usage";
}

/** What can be asked for. */
export type PagingAction = "on" | "off" | "status" | "stats" | "window";

/** One argument that a terminal may offer, in the form of Pi's `AutocompleteItem`. */
export interface ArgumentCompletion {
  readonly value: string;
  readonly label: string;
  readonly description: string;
}

const DESCRIPTIONS: Readonly<Record<PagingAction, string>> = {
  on: "Turn context paging on for this session",
  off: "Turn context paging off for this session",
  status: "Say whether context paging is on",
  stats: "Show history size, latest request and cache totals",
  window: "Show what the window holds and where it was cut",
};
const ACTIONS = ["on", "off", "status", "stats", "window"] as const;

/** The answer to arguments that are not known. */
export const COMMAND_USAGE = `Usage: /context-paging [${ACTIONS.join("|")}]`;

/** Reads the arguments: trimmed, case-sensitive, none means `status`. Never throws. */
export function parseCommand(args: string): PagingCommand {
  const word = args.trim();
  if (word === "") return { kind: "status" };
  return { kind: ACTIONS.find((action) => action === word) ?? "usage" };
}

/** The answer to `on`, `off` and `status`. */
export function stateText(state: "on" | "off"): string {
  return `Context paging is ${state} for this session.`;
}

/** The arguments that begin with what is typed so far, in the order of the usage; `null` when there is none. */
export function argumentCompletions(prefix: string): ArgumentCompletion[] | null {
  const typed = prefix.trimStart();
  const matches = ACTIONS.filter((action) => action.startsWith(typed));
  if (matches.length === 0) return null;
  return matches.map((action) => ({ value: action, label: action, description: DESCRIPTIONS[action] }));
}

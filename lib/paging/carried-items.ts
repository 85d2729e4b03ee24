import type { AgentMessage } from "../messages.ts";
import type { HistoryItem } from "../session/history-item.ts";
import type { Provenance } from "./provenance.ts";

/**
 * Which items of the history a request carried. Holds places and ids only, no messages, and makes its look-up when it
 * is first asked: most requests are never asked about.
 */
export class CarriedItems {
  readonly #positions: readonly number[];
  readonly #provenance: Provenance;
  /** Messages the host had not stored yet, by what will tell them once it has. */
  readonly #unstored: ReadonlySet<string>;
  #ids: ReadonlySet<string> | undefined;

  /** `positions`: the messages of the request that were sent with their content. */
  constructor(positions: readonly number[], provenance: Provenance, messages: readonly AgentMessage[]) {
    this.#positions = positions;
    this.#provenance = provenance;
    const unstored = [...provenance.unstored].flatMap((position) => messages[position] ?? []);
    this.#unstored = new Set(unstored.map(keyOf));
  }

  /** Whether the request carried the item's first message. */
  carries(item: HistoryItem): boolean {
    this.#ids ??= new Set(this.#positions.flatMap((position) => this.#provenance.entryId(position) ?? []));
    return (
      this.#ids.has(item.historyId) ||
      this.#unstored.has(keyOf(item.kind === "modelTurn" ? item.assistant : item.message))
    );
  }
}

function keyOf({ role, timestamp }: AgentMessage): string {
  return `${role} ${timestamp}`;
}

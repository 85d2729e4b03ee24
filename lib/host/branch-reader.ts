import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { SessionEntry } from "../messages.ts";

/** More new entries than this come from another branch, most likely: Pi lists that faster. */
const LONGEST_WALK = 500;

/**
 * Reads the active branch, and only its new entries while it grows: Pi lists a branch from scratch each time. An entry
 * determines everything before it, so a branch that still holds the newest known one extends the known list.
 */
export class BranchReader {
  #entries: SessionEntry[] = [];

  /** The active branch, oldest entry first. The list may grow with the next reading. */
  read(sessionManager: ExtensionContext["sessionManager"]): readonly SessionEntry[] {
    const newest = this.#entries.at(-1);
    const added: SessionEntry[] = [];
    let entry = newest && sessionManager.getLeafEntry();
    while (entry && entry !== newest && added.length < LONGEST_WALK) {
      added.push(entry);
      entry = entry.parentId === null ? undefined : sessionManager.getEntry(entry.parentId);
    }
    if (newest && entry === newest) this.#entries.push(...added.reverse());
    else this.#entries = sessionManager.getBranch();
    return this.#entries;
  }
}

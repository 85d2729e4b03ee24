import type { AgentMessage } from "../messages.ts";
import { isAbortedOrFailed } from "../session/tool-calls.ts";

/**
 * How far back a request can reach, for a walk over its messages from the newest to the oldest.
 *
 * Units leave oldest first. So once the newer messages that go out exceed what a request holds, no older response or
 * result can be in it. The newest exchange always is, and so are messages of the other roles: they may be protected,
 * wherever they stand. Interrupted exchanges never go out, so they take no room.
 */
export class Reach {
  #roomTokens: number;
  #results = 0;
  #resultTokens = 0;
  #newestResponse: "ahead" | "passed" = "ahead";

  /** `tokens`: more than this no request holds. */
  constructor(tokens: number) {
    this.#roomTokens = tokens;
  }

  /** Whether this message, the next one of the walk, cannot be in the request. */
  isBeyond({ role }: AgentMessage): boolean {
    return (
      this.#roomTokens < 0 &&
      this.#newestResponse === "passed" &&
      (role === "assistant" || role === "toolResult")
    );
  }

  /** Goes on to the message before this one. `calls`: how many calls a response made. */
  pass(message: AgentMessage, tokens: number, calls: number): void {
    if (message.role === "toolResult") {
      this.#results++;
      this.#resultTokens += tokens;
      return;
    }
    if (message.role !== "assistant") {
      this.#roomTokens -= tokens;
      return;
    }
    const isWhole = !isAbortedOrFailed(message) && calls === this.#results;
    if (isWhole) {
      this.#roomTokens -= tokens + this.#resultTokens;
      this.#newestResponse = "passed";
    }
    this.#results = this.#resultTokens = 0;
  }
}

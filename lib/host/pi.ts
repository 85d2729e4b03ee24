/**
 * Pi at run time, under the one name that both hosts resolve. The current host maps it to itself. Only this room may
 * import it.
 */
import * as codingAgent from "@mariozechner/pi-coding-agent";

import type { AgentMessage } from "../messages.ts";

export { isContextOverflow } from "@mariozechner/pi-ai";

/** Pi's own estimate of a message, in tokens: what its status total is made of. Damaged content, on which it throws, is 0. */
export function statusPriceOf(message: AgentMessage): number {
  try {
    const tokens = codingAgent.estimateTokens(message as Parameters<typeof codingAgent.estimateTokens>[0]);
    return Number.isFinite(tokens) ? tokens : 0;
  } catch {
    return 0;
  }
}

/** The user's agent folder, which holds the global settings. */
export function agentDir(): string {
  return codingAgent.getAgentDir();
}

/** Name of the folder that holds a project's settings; only the current host tells. */
export function configDirName(): string {
  return "CONFIG_DIR_NAME" in codingAgent && typeof codingAgent.CONFIG_DIR_NAME === "string"
    ? codingAgent.CONFIG_DIR_NAME
    : ".pi";
}

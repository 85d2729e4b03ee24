/**
 * Pi at run time, under the one name that both hosts resolve. The current host maps it to itself. Only this room may
 * import it.
 */
import * as codingAgent from "@mariozechner/pi-coding-agent";

export { isContextOverflow } from "@mariozechner/pi-ai";

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

import type { AgentMessage } from "../messages.ts";
import type { ContextStatus, PagingRequest } from "../paging/paging-request.ts";
import type { Provenance } from "../paging/provenance.ts";
import type { ProjectedMessage } from "../session/projected-session.ts";

/**
 * The total that Pi's status knows as measured: its count without its own estimates of the full persistent tail behind
 * the response, system updates included. Undefined while Pi knows none. Section "Provider-backed usage".
 */
export function statusTotal(
  status: ContextStatus,
  request: PagingRequest,
  session: readonly ProjectedMessage[],
  { provenance, position }: { readonly provenance: Provenance; readonly position: number },
): number | undefined {
  if (status.tokens === null) return undefined;
  const { messages, branch } = request;
  let total = status.tokens - systemTokensAfter(messages[position], branch, status.priceOf);
  const responseIndex = provenance.source(position)?.index ?? session.length - 1;
  for (const { message, hidden } of session.slice(responseIndex + 1)) {
    if (!hidden) total -= status.priceOf(message);
  }
  for (let later = position + 1; later < messages.length; later++) {
    const message = messages[later];
    const isUnstored = provenance.isPersistent(later) && !provenance.source(later);
    if (message && isUnstored) total -= status.priceOf(message);
  }
  return total;
}

/** Pi counts system updates in its status, but no request shows them. */
function systemTokensAfter(
  response: AgentMessage | undefined,
  branch: PagingRequest["branch"],
  priceOf: ContextStatus["priceOf"],
): number {
  let tokens = 0;
  for (let index = branch.length - 1; index >= 0; index--) {
    const entry = branch[index];
    if (entry?.type !== "message") continue;
    if (entry.message.role === "assistant" && entry.message.timestamp === response?.timestamp) break;
    if (entry.message.role === "system") tokens += priceOf(entry.message);
  }
  return tokens;
}

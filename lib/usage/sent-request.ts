import type { AgentMessage } from "../messages.ts";
import type { Provenance } from "../paging/provenance.ts";
import type { ProjectedMessage } from "../session/projected-session.ts";
import type { RequestPricer, RequestPrices } from "./request-pricer.ts";

/** What was sent, as far as measuring it needs. Immutable; holds no message content of its own. */
export interface SentRequest {
  /** Milliseconds since 1970. A response that began earlier answers another request. */
  readonly time: number;
  /** Stored messages that went out as they are. */
  readonly carried: ReadonlySet<ProjectedMessage>;
  /** How many messages the session had: whatever it stores from here on, up to the response, was carried too. */
  readonly sessionLength: number;
  /** Tokens, by local estimates, of what went out besides: injections, the notice, references. */
  readonly besideTokens: number;
  /** The whole request as it was priced. */
  readonly expectedTokens: number;
}

/** What a selection tells about the request that goes out. */
export interface SentParts {
  readonly time: number;
  /** Positions of the messages that are sent as they came in. */
  readonly carried: readonly number[];
  /** What selection itself added. */
  readonly added: readonly AgentMessage[];
  readonly expectedTokens: number;
}

/** Describes a request that goes out. `local` are the local estimates of the request as it came in. */
export function sentRequest(
  { time, carried, added, expectedTokens }: SentParts,
  {
    provenance,
    local,
    pricer,
    sessionLength,
  }: {
    readonly provenance: Provenance;
    readonly local: RequestPrices;
    readonly pricer: RequestPricer;
    readonly sessionLength: number;
  },
): SentRequest {
  const sources = new Set<ProjectedMessage>();
  let besideTokens = added.reduce((sum, message) => sum + pricer.priceOf(message), 0);
  for (const position of carried) {
    const source = provenance.source(position);
    if (source) sources.add(source);
    else if (!provenance.isPersistent(position)) besideTokens += local.messageTokens[position] ?? 0;
  }
  return { time, carried: sources, sessionLength, besideTokens, expectedTokens };
}

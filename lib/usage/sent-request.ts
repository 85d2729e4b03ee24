import type { Provenance } from "../paging/provenance.ts";
import type { ProjectedMessage } from "../session/projected-session.ts";
import type { RequestPrices } from "./request-pricer.ts";

/** What was sent, as far as measuring it needs. Immutable; holds no message content. All tokens are estimates. */
export interface SentRequest {
  /** Milliseconds since 1970. A response that began earlier answers another request. */
  readonly time: number;
  /** Stored messages that went out as they are, in the order of the session. */
  readonly carried: readonly ProjectedMessage[];
  /** Local estimate of them. */
  readonly carriedTokens: number;
  /** Local estimate of conversation that the host had not stored yet. */
  readonly unstoredTokens: number;
  /** How many messages the session had: whatever it stores from here on, up to the response, was carried too. */
  readonly sessionLength: number;
  /** Local estimate of what went out besides: injections, the notice, references. */
  readonly besideTokens: number;
  /** Local estimate of system prompt and tool definitions. */
  readonly residentTokens: number;
  /** The whole request as it was priced. */
  readonly expectedTokens: number;
}

/** What a selection tells about the request that goes out. */
export interface SentParts {
  readonly time: number;
  /** Positions of the messages that are sent as they came in. */
  readonly carried: readonly number[];
  /** Tokens of what selection itself added. */
  readonly addedTokens: number;
  readonly expectedTokens: number;
}

/** The request as it came in. */
export interface TracedRequest {
  readonly provenance: Provenance;
  /** Local estimates of it. */
  readonly local: RequestPrices;
  /** How many messages Pi's projection of the session had. */
  readonly sessionLength: number;
}

/** Describes a request that goes out. */
export function sentRequest(
  { time, carried: positions, addedTokens, expectedTokens }: SentParts,
  { provenance, local, sessionLength }: TracedRequest,
): SentRequest {
  const carried: ProjectedMessage[] = [];
  let carriedTokens = 0;
  let unstoredTokens = 0;
  let besideTokens = addedTokens;
  for (const position of positions) {
    const tokens = local.messageTokens[position] ?? 0;
    const source = provenance.source(position);
    if (source) {
      carried.push(source);
      carriedTokens += tokens;
    } else if (provenance.isPersistent(position)) unstoredTokens += tokens;
    else besideTokens += tokens;
  }
  // Some go out behind the results that they came before.
  carried.sort((one, other) => one.index - other.index);
  const { residentTokens } = local;
  return {
    time,
    carried,
    carriedTokens,
    unstoredTokens,
    sessionLength,
    besideTokens,
    residentTokens,
    expectedTokens,
  };
}

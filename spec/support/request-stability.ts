/** How stable a sequence of requests is for a provider's prompt cache. */
import { isExtensionOf, openingText, type WireBody } from "./wire.ts";

export interface RequestStability {
  /** Numbers of the requests whose first message differs from that of the request before: the cut moved. */
  readonly cuts: readonly number[];
  /** Numbers of the requests that are neither a cut nor an extension of the request before. */
  readonly breaks: readonly number[];
}

export function requestStability(bodies: readonly WireBody[]): RequestStability {
  const cuts: number[] = [];
  const breaks: number[] = [];
  bodies.forEach((body, n) => {
    const previous = bodies[n - 1];
    if (previous === undefined || isExtensionOf(previous, body)) return;
    if (openingText(previous) === openingText(body)) breaks.push(n);
    else cuts.push(n);
  });
  return { cuts, breaks };
}

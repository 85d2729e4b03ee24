/**
 * What each request of a run costs with a prompt cache. The cache is that of a provider with explicit marks: everything
 * up to the last mark of a request is written, and the next request reads what it has in common with that, message by
 * message. Tokens are counted by an independent tokenizer (o200k), never by the extension.
 */
import { bodyTokens } from "../spec/support/tokenizers.ts";
import { type WireBody, withoutCacheMarks } from "../spec/support/wire.ts";

/** Prices relative to one input token, as most providers with explicit cache marks have them. */
export const PRICES = { read: 0.1, write: 1.25, input: 1 } as const;

export interface Bill {
  readonly tokens: number;
  readonly readTokens: number;
  readonly writtenTokens: number;
  readonly inputTokens: number;
  /** The price of the request in input tokens. */
  readonly billedTokens: number;
}

/** The prompt with the tools, or one message. */
interface Segment {
  readonly text: string;
  readonly tokens: number;
  readonly isMarked: boolean;
}

/** One bill per request, in order. */
export function billsOf(bodies: readonly WireBody[]): Bill[] {
  let cached: readonly Segment[] = [];
  return bodies.map((body) => {
    const segments = segmentsOf(body);
    const common = segments.findIndex(({ text }, index) => text !== cached[index]?.text);
    const readEnd = common === -1 ? segments.length : common;
    const writeEnd = Math.max(readEnd, segments.findLastIndex(({ isMarked }) => isMarked) + 1);
    cached = segments.slice(0, writeEnd);
    const readTokens = tokensIn(segments.slice(0, readEnd));
    const writtenTokens = tokensIn(segments.slice(readEnd, writeEnd));
    const inputTokens = tokensIn(segments.slice(writeEnd));
    return {
      tokens: readTokens + writtenTokens + inputTokens,
      readTokens,
      writtenTokens,
      inputTokens,
      billedTokens: readTokens * PRICES.read + writtenTokens * PRICES.write + inputTokens * PRICES.input,
    };
  });
}

/** The share of all input that came from the cache. */
export function hitRate(bills: readonly Bill[]): number {
  return sum(bills.map(({ readTokens }) => readTokens)) / sum(bills.map(({ tokens }) => tokens));
}

export function billedPerCall(bills: readonly Bill[]): number {
  return billedTotal(bills) / bills.length;
}

export function billedTotal(bills: readonly Bill[]): number {
  return sum(bills.map(({ billedTokens }) => billedTokens));
}

function segmentsOf(body: WireBody): Segment[] {
  const { messages, ...resident } = body;
  const head = { ...body, messages: [] };
  return [
    segment([resident.system, resident.tools], bodyTokens(head, "o200k")),
    ...messages.map((message) => segment(message, bodyTokens({ model: "", messages: [message] }, "o200k"))),
  ];
}

function segment(value: unknown, tokens: number): Segment {
  return {
    text: JSON.stringify(withoutCacheMarks(value)),
    tokens,
    isMarked: JSON.stringify(value).includes('"cache_control"'),
  };
}

function tokensIn(segments: readonly Segment[]): number {
  return sum(segments.map(({ tokens }) => tokens));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

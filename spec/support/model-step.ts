/** What the mock model answers: one step per request, scripted by the spec. */
import type { WireBody } from "./wire.ts";

export interface ScriptedCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** Made unique when absent. */
  readonly id?: string;
}

/** Token numbers as Pi reports them: `input` is what was not read from or written to the cache. */
interface ScriptedUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** One scripted answer. */
export interface ModelStep {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: the mock's own count as input, a quarter of the answer's characters as output, no cache. */
  readonly usage?: Partial<ScriptedUsage>;
  readonly stop?: "stop" | "length" | "tool";
  /** An HTTP status other than 200 refuses the request with `error` as its JSON body. */
  readonly status?: number;
  readonly error?: unknown;
  readonly delayMs?: number;
  /** `hang` never answers, `drop` breaks the connection in the middle of the text. */
  readonly fault?: "hang" | "drop";
}

/** A step, or a function of the request and of its number in this mock's life (from 0). */
export type ScriptedStep = ModelStep | ((body: WireBody, n: number) => ModelStep | Promise<ModelStep>);

/** A step with nothing left open. */
export interface CompleteStep extends ModelStep {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly Required<ScriptedCall>[];
  readonly usage: ScriptedUsage;
  readonly stop: "stop" | "length" | "tool";
}

/** Fills the gaps of a step: ids, usage and stop reason. */
export function completeStep(step: ModelStep, inputTokens: number, nextId: () => string): CompleteStep {
  const calls = (step.calls ?? []).map((call) => ({ args: {}, ...call, id: call.id ?? nextId() }));
  const text = step.text ?? "";
  const thinking = step.thinking ?? "";
  const characters = text.length + thinking.length + JSON.stringify(calls.map((call) => call.args)).length;
  return {
    ...step,
    calls,
    text,
    thinking,
    usage: {
      input: inputTokens,
      output: Math.max(1, Math.ceil(characters / 4)),
      cacheRead: 0,
      cacheWrite: 0,
      ...step.usage,
    },
    stop: step.stop ?? (calls.length > 0 ? "tool" : "stop"),
  };
}

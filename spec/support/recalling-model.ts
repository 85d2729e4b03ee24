/**
 * A scripted model that gets history back. It knows what any model knows: the notice, the tool descriptions and the
 * replies it got.
 */
import type { ModelStep, ScriptedCall, ScriptedStep } from "./model-step.ts";
import { contentText, conversation, lastUserText, type WireBody } from "./wire.ts";

/** What one step of a recall sees. */
export interface RecallView {
  readonly body: WireBody;
  /** Replies of the calls before, as parsed JSON where they are JSON. */
  readonly replies: readonly unknown[];
}

/** The steps of one recall: each gets the replies to the one before. */
export type RecallSteps = readonly ((view: RecallView) => ModelStep)[];

/** Answers prompts that contain `marker` with the steps, one a request, and all others with `otherwise`. */
export function recallOn(marker: string, steps: RecallSteps, otherwise: ScriptedStep): ScriptedStep {
  let next = 0;
  return (body, n) => {
    if (!isAsked(body, marker)) {
      return typeof otherwise === "function" ? otherwise(body, n) : otherwise;
    }
    const step = steps[Math.min(next, steps.length - 1)];
    next += 1;
    try {
      return step?.({ body, replies: lastReplies(body) }) ?? { text: "The recall has no steps." };
    } catch (error) {
      // A failed expectation becomes the answer, so that the spec shows it instead of waiting for one.
      return { text: `The recall failed: ${error instanceof Error ? error.message : String(error)}` };
    }
  };
}

/** Chat Completions has no images in results: Pi sends them in a user message behind, which asks nothing. */
function isAsked(body: WireBody, marker: string): boolean {
  const messages = body.messages.filter(({ content }) => !contentText(content).startsWith("Attached image"));
  return lastUserText({ ...body, messages }).includes(marker);
}

/** One step that makes calls. */
export function calling(...calls: readonly ScriptedCall[]): ModelStep {
  return { calls };
}

/** The texts of the newest tool results; parsed where they are JSON. */
export function lastReplies(body: WireBody): readonly unknown[] {
  const messages = conversation(body);
  const first = messages.findLastIndex((message) => message.role === "assistant") + 1;
  return messages.slice(first).flatMap(({ role, content }) => {
    if (role === "tool") return [parsed(contentText(content))];
    if (typeof content === "string" || !content) return [];
    return content
      .filter((block) => block.type === "tool_result")
      .map((block) => parsed(contentText(block.content)));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** One run of the demo: the real current Pi in RPC mode, and the model of the specs on the loopback interface. */
import type { ScriptedStep } from "../spec/support/model-step.ts";
import { CURRENT } from "../spec/support/pi-hosts.ts";
import { requestStability } from "../spec/support/request-stability.ts";
import { Stage } from "../spec/support/stage.ts";
import { bodyTokens } from "../spec/support/tokenizers.ts";
import { lastUserText, type WireBody } from "../spec/support/wire.ts";
import { type Bill, billsOf } from "./bill.ts";
import { holdsNeedle, NEEDLE, promptsOf, QUESTION, writeFiles } from "./scenario.ts";

export interface RunOptions {
  readonly prompts: number;
  /** The extension's settings. */
  readonly paging: { readonly enabled: boolean; readonly tokenBudget: number };
  readonly script: ScriptedStep;
  /** Told after each prompt: how many are answered. */
  readonly onProgress: (answered: number) => void;
}

export interface DemoRun {
  readonly bills: readonly Bill[];
  /** Numbers of the requests for which the cut moved. */
  readonly cuts: readonly number[];
  readonly needle: NeedleReport;
  /** Whatever Pi or the extension reported as an error. */
  readonly errors: readonly string[];
}

export interface NeedleReport {
  /** Whether the request that asked for it still held it. */
  readonly wasInWindow: boolean;
  /** The tools that were called after the question, in order. */
  readonly tools: readonly string[];
  readonly answer: string;
  readonly isExact: boolean;
}

/** Without paging the whole session must fit, so that Pi does not compact. */
const WINDOW_TOKENS = 2_000_000;

export async function run(options: RunOptions): Promise<DemoRun> {
  const stage = await Stage.open({
    api: "anthropic-messages",
    rules: "strict",
    script: options.script,
    count: (body) => bodyTokens(body, "o200k"),
    paging: options.paging,
    model: { contextWindow: WINDOW_TOKENS },
  });
  try {
    writeFiles(stage.sandbox);
    const session = stage.rpc(CURRENT);
    for (const [n, prompt] of promptsOf(options.prompts).entries()) {
      await session.prompt(prompt);
      options.onProgress(n + 1);
    }
    const { text } = (await session.call("get_last_assistant_text")) as { readonly text: string };
    const { bodies, unlawful } = stage.mock;
    return {
      bills: billsOf(bodies),
      cuts: requestStability(bodies).cuts,
      needle: needleReport(bodies, text),
      errors: [...session.extensionErrors, ...unlawful.flatMap(({ violations }) => violations)],
    };
  } finally {
    await stage.close();
  }
}

function needleReport(bodies: readonly WireBody[], answer: string): NeedleReport {
  const asking = bodies.find((body) => lastUserText(body) === QUESTION);
  return {
    wasInWindow: asking === undefined || holdsNeedle(asking),
    tools: toolsAfterQuestion(bodies.at(-1)),
    answer,
    isExact: answer === NEEDLE,
  };
}

function toolsAfterQuestion(body: WireBody | undefined): string[] {
  const messages = body?.messages ?? [];
  const asked = messages.findIndex((message) => JSON.stringify(message).includes(QUESTION));
  return messages
    .slice(asked + 1)
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .flatMap((block) => (block.type === "tool_use" ? [String(block.name)] : []));
}

/** The server-sent events of one answer, in either API. */
import type { ServerResponse } from "node:http";
import type { CompleteStep } from "./model-step.ts";
import type { WireApi } from "./wire.ts";

/**
 * The legacy host subtracts the written part from the cached tokens of a Chat Completions answer, the current one
 * takes the number as it is. With "included" the scripted `cacheRead` arrives exactly on the legacy host.
 */
export type CachedTokens = "exact" | "included";

interface Answer {
  readonly id: string;
  readonly model: string;
  readonly cachedTokens: CachedTokens;
}

/** Writes the whole answer and ends the response. */
export function streamAnswer(
  api: WireApi,
  response: ServerResponse,
  step: CompleteStep,
  answer: Answer,
): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const write = (data: object | string, event?: string) => {
    const head = event === undefined ? "" : `event: ${event}\n`;
    response.write(`${head}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  };
  if (api === "anthropic-messages") streamMessages(write, step, answer);
  else streamChat(write, step, answer);
  if (step.fault === "drop") response.destroy();
  else response.end();
}

type Write = (data: object | string, event?: string) => void;

function streamChat(write: Write, step: CompleteStep, answer: Answer): void {
  const base = {
    id: answer.id,
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: answer.model,
  };
  const send = (delta: object, finish: string | null = null) =>
    write({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] });
  send({ role: "assistant", content: "" });
  for (const part of halves(step.thinking)) send({ reasoning_content: part });
  for (const part of halves(step.text)) send({ content: part });
  if (step.fault === "drop") return;
  step.calls.forEach((call, index) => {
    send({
      tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }],
    });
    for (const part of halves(JSON.stringify(call.args))) {
      send({ tool_calls: [{ index, function: { arguments: part } }] });
    }
  });
  send({}, { stop: "stop", length: "length", tool: "tool_calls" }[step.stop]);
  write({ ...base, choices: [], usage: chatUsage(step, answer.cachedTokens) });
  write("[DONE]");
}

function chatUsage({ usage }: CompleteStep, cachedTokens: CachedTokens): object {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead + (cachedTokens === "included" ? usage.cacheWrite : 0),
      ...(usage.cacheWrite > 0 ? { cache_write_tokens: usage.cacheWrite } : {}),
    },
  };
}

function streamMessages(write: Write, step: CompleteStep, answer: Answer): void {
  const send = (type: string, fields: object = {}) => write({ type, ...fields }, type);
  const message = { id: answer.id, type: "message", role: "assistant", model: answer.model, content: [] };
  send("message_start", {
    message: {
      ...message,
      stop_reason: null,
      stop_sequence: null,
      usage: { ...inputUsage(step), output_tokens: 1 },
    },
  });
  let index = 0;
  const block = (start: object, deltas: readonly object[]) => {
    send("content_block_start", { index, content_block: start });
    for (const delta of deltas) send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
    index += 1;
  };
  if (step.thinking !== "") {
    const deltas = halves(step.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
    const signature = { type: "signature_delta", signature: "c2ln" };
    block({ type: "thinking", thinking: "", signature: "" }, [...deltas, signature]);
  }
  if (step.text !== "") {
    block(
      { type: "text", text: "" },
      halves(step.text).map((text) => ({ type: "text_delta", text })),
    );
  }
  if (step.fault === "drop") return;
  for (const call of step.calls) {
    const deltas = halves(JSON.stringify(call.args)).map((part) => ({
      type: "input_json_delta",
      partial_json: part,
    }));
    block({ type: "tool_use", id: call.id, name: call.name, input: {} }, deltas);
  }
  const reason = { stop: "end_turn", length: "max_tokens", tool: "tool_use" }[step.stop];
  const usage = { ...inputUsage(step), output_tokens: step.usage.output };
  send("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage });
  send("message_stop");
}

function inputUsage({ usage }: CompleteStep): object {
  return {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
  };
}

/** The text in two parts, so that Pi has to join deltas; nothing for an empty text. */
function halves(text: string): string[] {
  if (text === "") return [];
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
}

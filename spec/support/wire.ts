/**
 * What Pi sends over the wire, in the two APIs the mock model speaks, and questions about recorded bodies.
 * One loose type serves both APIs: a spec reads only the few fields that it asserts.
 */

/** The two wire APIs, under the names that Pi's models.json uses. */
export type WireApi = "openai-completions" | "anthropic-messages";

export const WIRE_APIS: readonly WireApi[] = ["openai-completions", "anthropic-messages"];

/** One content block of a message (text, tool_use, tool_result, image, thinking). */
export interface WireBlock {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: WireContent;
}

export type WireContent = string | readonly WireBlock[] | null;

/** One tool call of a Chat Completions assistant. */
interface WireCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface WireMessage {
  readonly role: string;
  readonly content?: WireContent;
  readonly tool_calls?: readonly WireCall[];
  readonly tool_call_id?: string;
}

/** A request body of either API. */
export interface WireBody {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly system?: WireContent;
  readonly tools?: readonly unknown[];
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
}

/** The conversation without the system messages that Chat Completions keeps in the same list. */
export function conversation(body: WireBody): readonly WireMessage[] {
  return body.messages.filter((message) => message.role !== "system" && message.role !== "developer");
}

/** The system prompt and the tool definitions as one comparable text, cache marks removed. */
function residentText(body: WireBody): string {
  const system = body.messages.filter((message) => message.role === "system" || message.role === "developer");
  return JSON.stringify([withoutCacheMarks(body.system ?? system), withoutCacheMarks(body.tools ?? [])]);
}

/**
 * The value without the marks that move from message to message as a provider's cache hint. To attach a mark Pi
 * also turns a string content into one text block, so such a block becomes the string again.
 */
export function withoutCacheMarks(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, field: unknown) => {
      if (key === "cache_control") return undefined;
      return key === "content" ? plainContent(field) : field;
    }),
  );
}

function plainContent(content: unknown): unknown {
  if (!Array.isArray(content) || content.length !== 1) return content;
  const [block] = content as WireBlock[];
  return block?.type === "text" && typeof block.text === "string" ? block.text : content;
}

/** The exact text of one message as the provider's cache sees it. */
function messageText(message: WireMessage): string {
  return JSON.stringify(withoutCacheMarks(message));
}

/** The conversation as texts that can be compared, message by message. */
export function conversationTexts(body: WireBody): string[] {
  return conversation(body).map(messageText);
}

/** True when `next` is `previous` plus messages at its end: same prompt, same tools, every byte kept. */
export function isExtensionOf(previous: WireBody, next: WireBody): boolean {
  if (residentText(previous) !== residentText(next)) return false;
  const before = conversationTexts(previous);
  const after = conversationTexts(next);
  return before.length <= after.length && before.every((text, index) => text === after[index]);
}

/** The text of a content, blocks joined; other blocks than text are left out. */
export function contentText(content: WireContent | undefined): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  return content.map((block) => block.text ?? contentText(block.content)).join("");
}

/** The text of the first message: the paging notice, once something was evicted. */
export function openingText(body: WireBody): string {
  return contentText(conversation(body)[0]?.content);
}

/** The text of the last message of the user that is not a tool result. */
export function lastUserText(body: WireBody): string {
  const texts = conversation(body)
    .filter((message) => message.role === "user" && !carriesResults(message))
    .map((message) => contentText(message.content));
  return texts.at(-1) ?? "";
}

/** True for a message that hands tool results to the model. */
function carriesResults(message: WireMessage): boolean {
  if (message.role === "tool") return true;
  return Array.isArray(message.content) && message.content.some((block) => block.type === "tool_result");
}

/** True when the request continues a tool run: its last message carries results. */
export function endsWithResults(body: WireBody): boolean {
  const last = body.messages.at(-1);
  return last !== undefined && carriesResults(last);
}

/** The output limit the request asks for. */
export function outputLimit(body: WireBody): number | undefined {
  return body.max_completion_tokens ?? body.max_tokens;
}

/** True for Pi's own requests for a summary (compaction, branch), which paging never touches. */
export function isSummaryRequest(body: WireBody): boolean {
  return (body.tools ?? []).length === 0 && /summar/i.test(residentText(body));
}

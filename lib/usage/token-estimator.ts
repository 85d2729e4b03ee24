/**
 * Local token estimates, in use wherever no provider has measured yet
 * (ARCHITECTURE.md, "Provider-backed usage" and "Context selection").
 *
 * At session start this reads the whole history, so text is scanned in one pass over its code units with one table
 * look-up each: no regular expression, no copy, no allocation.
 */
import { isJsonObject } from "../json-object.ts";
import type { AgentMessage, AssistantMessage, BashExecutionMessage } from "../messages.ts";
import {
  CHARACTER_WEIGHTS,
  CLOSING_SIGN_DISCOUNT,
  DIGIT,
  LETTER,
  LETTER_UNITS,
  MIXED_RUN_SURCHARGE,
  ODD_DIGIT_SURCHARGE,
  UNITS_PER_TOKEN,
  WEIGHT,
} from "./character-weights.ts";

/** Estimated cost of one message, in tokens. */
export interface MessageTokens {
  /** Everything but thinking. Zero for a message that is never sent. */
  readonly tokens: number;
  /** Thinking text, which counts only where the provider gets it back. Signatures are not counted. */
  readonly thinkingTokens: number;
}

/** A tool definition as it is sent with every request. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly parameters: unknown;
}

/** What every request carries beside its messages. */
export interface ResidentInput {
  readonly systemPrompt: string;
  /** Active tools only. */
  readonly tools: readonly ToolDefinition[];
}

/** What Pi counts for an image (4 800 characters), whatever its size. Its base64 text never counts. */
export const IMAGE_TOKENS = 1200;

// The words that Pi puts around what is not plain text for a model (`convertToLlm` in both hosts).
const COMPACTION_SUMMARY_FRAME = [
  "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
  "\n</summary>",
];
const BRANCH_SUMMARY_FRAME = [
  "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
  "</summary>",
];

/**
 * Estimates tokens of texts, messages and resident input. Stateless; throws nothing, and gives whole numbers >= 0 for
 * content of any kind, damaged content included. No estimate is below characters / 4 of what is counted.
 */
export class TokenEstimator {
  /** Tokens of a plain text. */
  text(text: string): number {
    return tokens(textUnits(text));
  }

  /**
   * Tokens of one message in the form in which Pi sends it. System messages are zero here: they are part of the
   * resident input, and counting them twice would be wrong.
   */
  message(message: AgentMessage): MessageTokens {
    if (message.role === "assistant") return assistantTokens(message);
    return { tokens: tokens(messageUnits(message)), thinkingTokens: 0 };
  }

  /** Tokens of the system prompt and the definitions of the active tools. */
  residentInput(input: ResidentInput): number {
    let units = fieldUnits(input.systemPrompt);
    for (const tool of input.tools) {
      units += fieldUnits(tool.name) + fieldUnits(tool.description) + jsonUnits(tool.parameters);
    }
    return tokens(units);
  }
}

function tokens(units: number): number {
  return Math.ceil(units / UNITS_PER_TOKEN);
}

/** What stands before a character. */
const TEXT_START = 0;
const SPACE = 1;
const LINE_START = 2;
const INDENT = 3;
const WORD = 4;
const NUMBER = 5;
/** An ASCII sign that is not directly behind a number. */
const SIGN = 6;
const OTHER_SIGN = 7;
/** Letters of a run that is shorter than a token. */
const SHORT_RUN = 3;

/**
 * The hot loop: one weight a character, and surcharges where a token cannot reach across. A run of letters and digits is
 * settled where it ends. Digits in a row are whole tokens, and so is the white space before a number. A short word
 * directly behind a sign is a token of its own, and so is the indentation of a line that begins with a sign. A sign that
 * closes a word, a clause or a line shares a token with what is around it. Letters cost more beside digits.
 */
function textUnits(text: string): number {
  let units = 0;
  let letters = 0;
  /** In this run, and of these the last ones in a row. */
  let digits = 0;
  let lastDigits = 0;
  let before = TEXT_START;
  let spaceUnits = 0;
  const { length } = text;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    const weight = CHARACTER_WEIGHTS[code] ?? 0;
    units += weight & WEIGHT;
    if ((weight & LETTER) !== 0) {
      units += (lastDigits & 1) * ODD_DIGIT_SURCHARGE;
      lastDigits = 0;
      // Most of a text is letters in a row: nothing else can happen between them.
      const first = index;
      while (index + 1 < length && (CHARACTER_WEIGHTS[text.charCodeAt(index + 1)] as number) >= LETTER)
        index++;
      units += (index - first) * LETTER_UNITS;
      letters += index - first + 1;
    } else if ((weight & DIGIT) !== 0) {
      if (letters + digits === 0 && spaceUnits > 0) units += Math.max(0, UNITS_PER_TOKEN - spaceUnits);
      digits++;
      lastDigits++;
    } else {
      if (letters + digits > 0) {
        units += runSurcharge(letters, digits, before) + (lastDigits & 1) * ODD_DIGIT_SURCHARGE;
        before = digits > 0 ? NUMBER : WORD;
        letters = digits = lastDigits = spaceUnits = 0;
      }
      if (isWhiteSpace(code)) {
        if (before === SIGN) units -= CLOSING_SIGN_DISCOUNT;
        spaceUnits += weight & WEIGHT;
        before = spaceAfter(before, code);
      } else {
        if (before === INDENT) units += UNITS_PER_TOKEN;
        spaceUnits = 0;
        before = before === NUMBER || code > LAST_ASCII ? OTHER_SIGN : SIGN;
      }
    }
  }
  return units + runSurcharge(letters, digits, before) + (lastDigits & 1) * ODD_DIGIT_SURCHARGE;
}

function runSurcharge(letters: number, digits: number, before: number): number {
  if (digits > 0) return letters * MIXED_RUN_SURCHARGE;
  if (before < SIGN || letters === 0 || letters > SHORT_RUN) return 0;
  return UNITS_PER_TOKEN - letters * LETTER_UNITS;
}

function spaceAfter(before: number, code: number): number {
  if (code === LINE_FEED) return LINE_START;
  return before === LINE_START || before === INDENT ? INDENT : SPACE;
}

/** ASCII only: other spaces cost a token each anyway. */
function isWhiteSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

const LINE_FEED = 0x0a;
const LAST_ASCII = 0x7f;

/** A field that should hold text. Stored sessions may hold anything there, and what is no text is not sent. */
function fieldUnits(value: unknown): number {
  return typeof value === "string" ? textUnits(value) : 0;
}

function jsonUnits(value: unknown): number {
  try {
    return fieldUnits(JSON.stringify(value));
  } catch {
    return 0; // Cyclic or not JSON: no provider can be sent this.
  }
}

function messageUnits(message: Exclude<AgentMessage, AssistantMessage>): number {
  switch (message.role) {
    case "user":
    case "custom":
    case "toolResult":
      return contentUnits(message.content);
    case "bashExecution":
      return bashUnits(message);
    case "branchSummary":
      return framedUnits(BRANCH_SUMMARY_FRAME, message.summary);
    case "compactionSummary":
      return framedUnits(COMPACTION_SUMMARY_FRAME, message.summary);
    default:
      return 0;
  }
}

function contentUnits(content: unknown): number {
  if (!Array.isArray(content)) return fieldUnits(content);
  let units = 0;
  for (const block of content) units += blockUnits(block);
  return units;
}

function blockUnits(block: unknown): number {
  if (!isJsonObject(block)) return 0;
  switch (block.type) {
    case "text":
      return fieldUnits(block.text);
    case "image":
      return IMAGE_TOKENS * UNITS_PER_TOKEN;
    case "toolCall":
      return fieldUnits(block.name) + jsonUnits(block.arguments);
    default:
      return 0;
  }
}

function assistantTokens(message: AssistantMessage): MessageTokens {
  let thinkingUnits = 0;
  const content: unknown = message.content;
  if (Array.isArray(content)) {
    for (const block of content) {
      if (isJsonObject(block) && block.type === "thinking") thinkingUnits += fieldUnits(block.thinking);
    }
  }
  return { tokens: tokens(contentUnits(content)), thinkingTokens: tokens(thinkingUnits) };
}

function framedUnits(frame: readonly string[], text: unknown): number {
  let units = fieldUnits(text);
  for (const part of frame) units += textUnits(part);
  return units;
}

/** The text that Pi makes of a `!` run. The output is counted apart: joining would copy it. `!!` runs are never sent. */
function bashUnits(message: BashExecutionMessage): number {
  if (message.excludeFromContext) return 0;
  const head = `Ran \`${message.command}\`\n`;
  const tail = endOfRun(message);
  return message.output
    ? framedUnits([`${head}\`\`\`\n`, `\n\`\`\`${tail}`], message.output)
    : textUnits(`${head}(no output)${tail}`);
}

function endOfRun({ cancelled, exitCode, truncated, fullOutputPath }: BashExecutionMessage): string {
  const exit = exitCode ? `\n\nCommand exited with code ${exitCode}` : "";
  const cut = truncated && fullOutputPath ? `\n\n[Output truncated. Full output: ${fullOutputPath}]` : "";
  return (cancelled ? "\n\n(command cancelled)" : exit) + cut;
}

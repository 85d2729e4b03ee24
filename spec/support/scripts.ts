/** Scripts for the mock model that many specs share. */
import type { ScriptedCall, ScriptedStep } from "./model-step.ts";
import { prose } from "./prose.ts";
import type { Sandbox } from "./sandbox.ts";
import { endsWithResults, lastUserText } from "./wire.ts";

/** An agent that answers each prompt after one round of tool calls; the answer repeats the prompt. */
export function toolAgent(calls: (n: number) => readonly ScriptedCall[]): ScriptedStep {
  return (body, n) =>
    endsWithResults(body)
      ? { text: answerTo(lastUserText(body)) }
      : { text: "I look it up.", calls: calls(n) };
}

/** What {@link toolAgent} and {@link echoAgent} say to a prompt. */
export function answerTo(prompt: string): string {
  return `Answer to: ${prompt}`;
}

/** An agent without tools. */
export const echoAgent: ScriptedStep = (body) => ({ text: answerTo(lastUserText(body)) });

const NOTES = Array.from({ length: 7 }, (_, index) => `notes-${index}.txt`);

/** Writes the files that {@link readingCalls} read, of about `length` characters each. */
export function writeNotes(sandbox: Sandbox, length: number): void {
  for (const [index, name] of NOTES.entries()) sandbox.write(name, `${prose(index, length)}\n`);
}

/** Parallel calls that read the notes: read, read and bash. Other notes with each `n`. */
export function readingCalls(n: number): readonly ScriptedCall[] {
  const name = (index: number) => NOTES[index % NOTES.length] ?? "";
  return [
    { name: "read", args: { path: name(n) } },
    { name: "read", args: { path: name(n + 2) } },
    { name: "bash", args: { command: `cat ${name(n + 3)}` } },
  ];
}

/** Prompts with a number each, so that answers can be told apart. */
export function numberedPrompts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Prompt ${index + 1}: read the notes and compare them.`);
}

/** Session files as Pi 1.6 writes them: version 3, one JSON object a line. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionEntry } from "../../lib/messages.ts";
import type { Sandbox } from "./sandbox.ts";

/** Writes a session file of these entries into the sandbox and returns its path. */
export function writeSessionFile(sandbox: Sandbox, entries: readonly SessionEntry[]): string {
  const header = {
    type: "session",
    version: 3,
    id: "0199b7a0-0000-7000-8000-000000000001",
    timestamp: "2026-01-05T09:00:00.000Z",
    cwd: sandbox.cwd,
  };
  const file = join(sandbox.root, "session.jsonl");
  writeFileSync(file, `${[header, ...entries].map((line) => JSON.stringify(line)).join("\n")}\n`);
  return file;
}

/**
 * Copies a stored session file into the sandbox. Only the working directory of its header changes: it must exist,
 * or Pi refuses to open the file.
 */
export function copySessionFile(sandbox: Sandbox, source: string): string {
  const text = readFileSync(source, "utf8");
  const end = text.indexOf("\n");
  const header = { ...JSON.parse(text.slice(0, end)), cwd: sandbox.cwd };
  const file = join(sandbox.root, "session.jsonl");
  writeFileSync(file, JSON.stringify(header) + text.slice(end));
  return file;
}

/**
 * Pi's message and entry types under the names this project uses. Types only: nothing here exists at run time,
 * so the pure rooms can name Pi's data without knowing Pi.
 */
import type { ContextEvent, SessionEntry } from "@earendil-works/pi-coding-agent";

export type { SessionEntry };

/** One message of the conversation, as Pi hands it to a `context` handler. */
export type AgentMessage = ContextEvent["messages"][number];

export type MessageRole = AgentMessage["role"];
type MessageOf<R extends MessageRole> = Extract<AgentMessage, { role: R }>;

export type UserMessage = MessageOf<"user">;
export type AssistantMessage = MessageOf<"assistant">;
export type ToolResultMessage = MessageOf<"toolResult">;
export type CustomMessage = MessageOf<"custom">;
export type BashExecutionMessage = MessageOf<"bashExecution">;
export type BranchSummaryMessage = MessageOf<"branchSummary">;
export type CompactionSummaryMessage = MessageOf<"compactionSummary">;

/** Messages that are neither of the user, the model nor a tool, but are sent to the model. */
export type ContextMessage =
  | CustomMessage
  | BashExecutionMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage;

export type AssistantBlock = AssistantMessage["content"][number];
export type ToolCall = Extract<AssistantBlock, { type: "toolCall" }>;
export type ContentBlock = ToolResultMessage["content"][number];
export type ImageContent = Extract<ContentBlock, { type: "image" }>;

type EntryOf<T extends SessionEntry["type"]> = Extract<SessionEntry, { type: T }>;
export type MessageEntry = EntryOf<"message">;
export type CompactionEntry = EntryOf<"compaction">;
export type ContextEditEntry = EntryOf<"context_edit">;

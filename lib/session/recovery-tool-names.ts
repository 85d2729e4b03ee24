/** Names of the tools that give history back. Their own results are never found, loaded or paged. */
export const RECOVERY_TOOL_NAMES: ReadonlySet<string> = new Set([
  "search_history",
  "browse_history",
  "load_history",
  "read_context_output",
]);

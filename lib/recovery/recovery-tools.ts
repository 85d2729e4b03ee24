/**
 * The four tools by which the model gets history back. They read only; an error is thrown as `CODE: what to do`, which
 * both hosts hand to the model. Sections "History navigation" and "Exact output paging".
 */
import type { ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { HistoryNavigatorError, OutputPageError } from "../errors.ts";
import type { ImageContent } from "../messages.ts";
import {
  BROWSE_PARAMETERS,
  type BrowseInput,
  LOAD_PARAMETERS,
  type LoadInput,
  PAGE_PARAMETERS,
  type PageInput,
  SEARCH_PARAMETERS,
  type SearchInput,
} from "./inputs.ts";
import type { OpenHistory } from "./open-history.ts";
import { Pace } from "./pace.ts";
import { inputFault, type ParametersSchema, withoutNulls } from "./parameters.ts";
import { type RowComponent, renderedCall, renderedResult } from "./rendering.ts";

/** What the tools need from the one who registers them. */
export interface RecoveryToolsOptions {
  /** Opens the history of the session. Throws while paging is off or the branch cannot be projected. */
  readonly open: (ctx: ExtensionContext) => OpenHistory;
  /** Makes a component of Pi's terminal interface. */
  readonly row: RowComponent;
}

interface Reply {
  readonly details: object;
  readonly images?: readonly ImageContent[];
}

/** What differs between the tools. */
interface RecoveryTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly promptSnippet: string;
  readonly parameters: ParametersSchema;
  readonly inputError: (message: string) => Error;
  /** The input has been checked against `parameters`. */
  readonly run: (input: unknown, history: OpenHistory, pace: Pace) => Reply | Promise<Reply>;
}

const navigatorError = (message: string) =>
  new HistoryNavigatorError("INVALID_HISTORY_NAVIGATOR_INPUT", message);

const TOOLS: readonly RecoveryTool[] = [
  {
    name: "search_history",
    label: "Search history",
    description:
      "Find anything in this session's history, also what left the context window. Best matches first; any word may " +
      "match, a phrase as written ranks highest. Each reference has a historyId for load_history and, as match, ready " +
      "arguments for read_context_output. inWindow: true means you can see the item already.",
    promptSnippet: "Find earlier messages, tool calls and outputs of this session, also evicted ones",
    parameters: SEARCH_PARAMETERS,
    inputError: navigatorError,
    run: async (input, { navigator, scope }, pace) => {
      const { images, ...details } = await navigator.search(input as SearchInput, scope, pace);
      return { details, images };
    },
  },
  {
    name: "browse_history",
    label: "Browse history",
    description:
      "Walk through this session's history in order: references before, after or around an item. Without historyId and " +
      "sequence it starts at the newest item (forward: the oldest). Use search_history to find something, this to see " +
      "what happened around it.",
    promptSnippet: "List history items before, after or around one of them",
    parameters: BROWSE_PARAMETERS,
    inputError: navigatorError,
    run: (input, { navigator, scope }) => ({ details: navigator.browse(input as BrowseInput, scope) }),
  },
  {
    name: "load_history",
    label: "Load history",
    description:
      "Get one to three history items back exactly as stored (null marks what is not given back). Images come as image " +
      "blocks: attachment n is the n-th. Items that are too large are refused with the read_context_output calls to make.",
    promptSnippet: "Get whole history items back, exactly, by historyId",
    parameters: LOAD_PARAMETERS,
    inputError: navigatorError,
    run: async (input, { navigator, scope }, pace) => {
      const { items, images } = await navigator.load(input as LoadInput, scope, pace);
      return { details: { items }, images };
    },
  },
  {
    name: "read_context_output",
    label: "Read output",
    description:
      "Read one stored output page by page, exactly: a slice of its JSON text. Take historyId, source and contentIndex or " +
      "toolCallId from a match or a notice; go on with nextOffset until it is null.",
    promptSnippet: "Read a stored tool output or message in exact pages",
    parameters: PAGE_PARAMETERS,
    inputError: (message) => new OutputPageError("INVALID_OUTPUT_PAGE_INPUT", message),
    run: (input, { pages, history, scope }) => ({
      details: pages.read(input as PageInput, history, scope.budgetTokens),
    }),
  },
];

/** The tools as Pi registers them. */
export function recoveryTools(options: RecoveryToolsOptions): readonly ToolDefinition[] {
  return TOOLS.map((tool) => definition(tool, options));
}

function definition(tool: RecoveryTool, { open, row }: RecoveryToolsOptions): ToolDefinition {
  const { name, label, description, promptSnippet, parameters, inputError, run } = tool;
  return {
    name,
    label,
    description,
    promptSnippet,
    parameters,
    annotations: { readOnlyHint: true },
    // Before the host's own check, so that a wrong input gets its code.
    prepareArguments: (args) => {
      const input = withoutNulls(args);
      const fault = inputFault(parameters, input);
      if (fault) throw withCode(inputError(fault));
      return input;
    },
    execute: async (_toolCallId, input, signal, _onUpdate, ctx) => {
      try {
        const pace = new Pace(signal);
        pace.check();
        const { details, images = [] } = await run(input, open(ctx), pace);
        return { content: [{ type: "text", text: JSON.stringify(details) }, ...images], details };
      } catch (error) {
        throw withCode(error);
      }
    },
    renderCall: (args, theme, context) => row(...renderedCall(name, args, theme, context)),
    renderResult: (result, { expanded }, theme, context) =>
      row(...renderedResult(name, { result, expanded, isError: context.isError, args: context.args }, theme)),
  };
}

/** The model sees only the text of an error. */
function withCode(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  return new Error(`${error.code}: ${error.message}`, { cause: error });
}

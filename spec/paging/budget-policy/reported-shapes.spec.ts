import { expect } from "chai";
import { ContextSelectionError } from "../../../lib/errors.ts";
import type { AgentMessage, SessionEntry } from "../../../lib/messages.ts";
import { caught } from "../../support/caught.ts";
import { illegalities } from "../../support/legal-request.ts";
import { NOTICE_TOKENS, PagingSession, piMessages, priceOf } from "../../support/paging-session.ts";
import { DAMAGED_SHAPES, LEGAL_SHAPES } from "../../support/reported-shapes.ts";

const CODES = ["RESIDENT_INPUT_TOO_LARGE", "ACTIVE_REQUEST_TOO_LARGE"];

/** Every prefix of the branch at which Pi would ask for a request, with its messages. */
function requestPoints(path: SessionEntry[]): { path: SessionEntry[]; messages: AgentMessage[] }[] {
  return path.flatMap((_, index) => {
    const prefix = path.slice(0, index + 1);
    const messages = piMessages(prefix);
    const isAsked = messages.at(-1)?.role !== "assistant" || index === path.length - 1;
    return isAsked ? [{ path: prefix, messages }] : [];
  });
}

describe("BudgetPolicy: the shapes of reported faults, at every budget from 1 up", () => {
  for (const [shape, building] of Object.entries(LEGAL_SHAPES)) {
    const { path } = building();
    const points = requestPoints(path);
    const total = piMessages(path).reduce((sum, message) => sum + priceOf(message), NOTICE_TOKENS);

    for (const share of [1, 1.3, Number.POSITIVE_INFINITY]) {
      it(`${shape}: a legal request within its limits or a coded error, with an input window of ${share} budgets`, () => {
        for (let budget = 1; budget <= total + 1; budget++) {
          const inputWindow = Number.isFinite(share) ? { inputWindow: Math.floor(budget * share) } : {};
          const paging = new PagingSession({ budget, target: Math.ceil((budget * 5) / 8), ...inputWindow });
          for (const { path: prefix, messages } of points) {
            const problem = problemOf(paging, messages, prefix, budget * share);
            expect(problem, `budget ${budget}, ${prefix.length} entries`).to.equal(undefined);
          }
        }
      });
    }
  }

  for (const [shape, [building, entryId]] of Object.entries(DAMAGED_SHAPES)) {
    it(`${shape}: always the same structure error, at the entry that breaks the rule`, () => {
      for (let budget = 1; budget <= 900; budget += 7) {
        const error = caught(() => new PagingSession({ budget }).request(building()), ContextSelectionError);
        expect(error.code).to.equal("INVALID_MESSAGE_STRUCTURE");
        expect(error.message).to.contain(`session entry ${entryId}`);
      }
    });
  }
}).timeout(20_000);

/** Why the next request is neither legal and within its limits nor a coded error. */
function problemOf(
  paging: PagingSession,
  messages: AgentMessage[],
  path: SessionEntry[],
  inputWindow: number,
): string | undefined {
  try {
    const outcome = paging.requestOf(messages, { path });
    const found = illegalities(outcome.messages ?? messages);
    const { mode, tokensAfter, budgetTokens } = outcome.report;
    const limit = mode === "protectedOverflow" || mode === "recovery" ? inputWindow : budgetTokens;
    const sum = (outcome.messages ?? messages).reduce((tokens, message) => tokens + priceOf(message), 0);
    if (sum !== tokensAfter) found.push(`reported ${tokensAfter} tokens, sent ${sum}`);
    if (tokensAfter > limit) found.push(`${mode} of ${tokensAfter} tokens above ${limit}`);
    return found.length > 0 ? found.join("; ") : undefined;
  } catch (error) {
    return error instanceof ContextSelectionError && CODES.includes(error.code) ? undefined : String(error);
  }
}

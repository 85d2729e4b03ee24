import { expect } from "chai";
import { ContextSelectionError } from "../../../lib/errors.ts";
import type { AgentMessage, SessionEntry } from "../../../lib/messages.ts";
import { TokenEstimator } from "../../../lib/usage/token-estimator.ts";
import { branch } from "../../support/branch-builder.ts";
import { caught } from "../../support/caught.ts";
import { illegalities } from "../../support/legal-request.ts";
import { NOTICE_TOKENS, PagingSession, piMessages, priceOf } from "../../support/paging-session.ts";
import { DAMAGED_SHAPES, LEGAL_SHAPES } from "../../support/reported-shapes.ts";
import { exchanges, turns } from "../../support/talk.ts";

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

  it("D04: moving a custom message behind the results changes no token", () => {
    const { path } = LEGAL_SHAPES["D04 a custom message inside a batch"]?.() ?? branch();
    const { report } = new PagingSession({ budget: 1000 }).request({ path });
    expect(report.tokensAfter).to.equal(121);
  });

  it("D13: ten screenshots are counted by a constant, not by their base64 length, and fit", () => {
    const data = "A".repeat(2_500_000);
    const image = { type: "image" as const, data, mimeType: "image/png" };
    const building = branch().user([{ type: "text", text: "twenty characters ok" }, image]);
    for (let n = 0; n < 9; n++)
      building
        .assistant({ calls: [{ name: "read" }] })
        .result({ content: [{ type: "text", text: "x" }, image] });
    const estimator = new TokenEstimator();
    const paging = new PagingSession({
      budget: 50_000,
      price: (message) => estimator.message(message).tokens,
    });
    const { messages, report } = paging.request(building);
    expect(messages).to.equal(undefined);
    expect(report.tokensAfter).to.be.within(10 * 1200, 10 * 1200 + 200);
  });

  it("D30: thinking and signatures of a kept response are sent exactly, or the whole unit is gone", () => {
    const building = turns(branch(), 1, 1).user("u2");
    for (const n of [7, 8]) {
      const thinking = { type: "thinking" as const, thinking: "hm", thinkingSignature: `sig${n}` };
      const call = { type: "toolCall" as const, id: `c${n}`, name: "read", arguments: {} };
      building.assistant({ content: [thinking, { type: "text", text: `a${n}` }, call] }).result(`r${n} #300`);
    }
    for (let budget = 120; budget < 1200; budget += 10) {
      const incoming = piMessages(building.path);
      const before = structuredClone(incoming);
      const { messages } = new PagingSession({ budget }).requestOf(incoming, building);
      const kept = (messages ?? incoming).filter(({ role }) => role === "assistant");
      for (const message of kept) expect(before).to.deep.include(message);
      expect(kept.at(-1)).to.equal(incoming.at(-2));
    }
  });

  it("D30: the open tool loop is never touched: over the budget it is sent whole, and reported", () => {
    const building = exchanges(turns(branch(), 1, 1).user("u2"), 7, 8, "#600");
    const { report } = new PagingSession({ budget: 500 }).request(building);
    expect(report.mode).to.equal("protectedOverflow");
  });
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

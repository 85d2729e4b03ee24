/** What holds of every request that goes out, whatever came before. */
import { expect } from "chai";
import type { AgentMessage } from "../../lib/messages.ts";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import type { Sent } from "./history-player.ts";
import { besideUnread, expectInOrder, keptOf, sendingOrder } from "./kept-messages.ts";
import { illegalities } from "./legal-request.ts";

export function checkSent({ incoming, messages, report, inputWindow }: Sent): void {
  expect(illegalities(messages)).to.deep.equal([]);
  if (report.mode === "whole") expect(messages).to.deep.equal(sendingOrder(incoming));
  else expectInOrder(keptOf(messages), incoming);
  const isOver = report.mode === "protectedOverflow" || report.mode === "recovery";
  expect(report.tokensAfter, report.mode).to.be.at.most(isOver ? inputWindow : report.budgetTokens);
}

const estimator = new TokenEstimator();

/**
 * What holds as long as nothing was measured: a request costs what is reported, and unread results are all that ever
 * exceeds the budget.
 */
export function checkCost({ messages, report }: Sent): void {
  const { mode, budgetTokens, residentTokens, tokensAfter } = report;
  expect(residentTokens + priceOf(messages), "tokens").to.equal(tokensAfter);
  const rest = besideUnread(messages);
  // The notice of recovery mode may be longer than the one that was tried before.
  const counted = mode === "recovery" ? keptOf(rest) : rest;
  expect(residentTokens + priceOf(counted), "beside unread results").to.be.at.most(budgetTokens);
}

function priceOf(messages: readonly AgentMessage[]): number {
  return messages.reduce((sum, message) => sum + estimator.message(message).tokens, 0);
}

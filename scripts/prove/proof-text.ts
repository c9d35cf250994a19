import { chzTextFromGwei, chzTextFromWei } from "../../domain/money.ts";
import { expectedGwei, type Outcome, type ProvenTicket, proofTotals } from "../../domain/proof.ts";
import { purchaseStatusFromChain, statusAttribute } from "../../domain/purchase/life.ts";

export type Proven = { ticket: ProvenTicket; outcome: Outcome };

const MORE_TEXTS = {
  "not-confirmed": "paid, and not Confirmed",
  repeated: "paid more than once",
  "another-wallet": "paid to another wallet",
  "no-rate": "the distributor emitted no rate for this payout",
  above: "paid more than value × percent × rate",
};

/** The last line of `npm run prove`, before it is JSON. */
export function proofSummary(proven: readonly Proven[]) {
  const { purchases, expectedGwei, paidWei, ...others } = proofTotals(
    proven.map(({ ticket }) => ticket),
    proven.map(({ outcome }) => outcome),
  );
  return { purchases, expected: chzTextFromGwei(expectedGwei), paid: chzTextFromWei(paidWei), ...others };
}

/** A line for a ticket, and one for its difference, if it has one. */
export function proofLines({ ticket, outcome }: Proven): string[] {
  const [payout] = ticket.payouts;
  const value = `R$ ${(Number(ticket.valueCents) / 100).toFixed(2)} × ${Number(ticket.totalBps) / 100} %`;
  const rate = payout?.weiPerCent === undefined ? "" : ` × ${chzTextFromWei(payout.weiPerCent * 100n)} CHZ per R$`;
  const product = expectedGwei(ticket);
  const expected = product === undefined ? "" : ` = ${chzTextFromGwei(product)} CHZ`;
  const paid = ticket.payouts.map(
    ({ kind, amountWei, transaction }) =>
      `${kind === "paid" ? "paid" : "credited"} ${chzTextFromWei(amountWei)} CHZ in ${transaction}`,
  );
  const head = `Ticket ${ticket.id}, ${statusAttribute(purchaseStatusFromChain(ticket.status))}: ${value}${rate}${expected}`;
  const difference = differenceText(outcome);
  return [[head, ...paid].join("; "), ...(difference ? [`  ${difference}`] : [])];
}

function differenceText(outcome: Outcome): string | undefined {
  switch (outcome.kind) {
    case "kept":
      return `✓ ${explanationText(outcome)}, by the published books`;
    case "less":
      return `✗ paid ${chzTextFromWei(outcome.differenceWei)} CHZ less than value × percent × rate, not explained`;
    case "more":
      return `✗ ${MORE_TEXTS[outcome.reason]}`;
    case "missing":
      return "✗ Confirmed, and not paid yet";
    default:
      return undefined;
  }
}

function explanationText({ keptWei, lowerWei, debtOf }: Extract<Outcome, { kind: "kept" }>): string {
  const parts = [
    ...(keptWei > 0n ? [`kept back ${chzTextFromWei(keptWei)} CHZ for the debt of ticket ${debtOf.join(", ")}`] : []),
    ...(lowerWei > 0n ? [`${chzTextFromWei(lowerWei)} CHZ less because the sale itself is lower`] : []),
  ];
  return parts.join(", and ") || "nothing is due, because the sale was declined";
}

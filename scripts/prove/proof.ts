import { cashbackGwei, cashbackWei } from "../../domain/cashback.ts";
import { chzTextFromGwei, chzTextFromWei } from "../../domain/money.ts";
import { WEI_PER_GWEI } from "../../domain/product.ts";
import { CHAIN_STATUS } from "../../domain/purchase/life.ts";

/**
 * One payout from its event. `weiPerCent` is the rate that the distributor emitted before it; undefined if it emitted
 * none.
 */
export type ProvenPayout = {
  kind: "paid" | "deferred";
  amountWei: bigint;
  weiPerCent: bigint | undefined;
  transaction: string;
};

/** A ticket as stored on chain. */
export type ProvenTicket = {
  id: bigint;
  status: number;
  valueCents: bigint;
  totalBps: bigint;
  payouts: readonly ProvenPayout[];
};

const STATUS_TEXTS: Record<number, string> = {
  [CHAIN_STATUS.pending]: "Pending",
  [CHAIN_STATUS.confirmed]: "Confirmed",
  [CHAIN_STATUS.cancelled]: "Cancelled",
};

export type ProofSummary = { purchases: number; expected: string; paid: string; matches: boolean };

/**
 * The summary over all tickets. `purchases` counts those that are not Cancelled. `expected` is the sum of value ×
 * percent × rate over the Confirmed ones, each at the rate emitted in its payout's transaction, in whole gwei.
 * `matches` is true if each of them was paid exactly once, never more than that, and no other was paid.
 */
export function proofSummary(tickets: readonly ProvenTicket[]): ProofSummary {
  const counted = tickets.filter(({ status }) => status !== CHAIN_STATUS.cancelled);
  const payouts = tickets.flatMap((ticket) => ticket.payouts);
  return {
    purchases: counted.length,
    expected: chzTextFromGwei(tickets.reduce((sum, ticket) => sum + (productGwei(ticket) ?? 0n), 0n)),
    paid: chzTextFromWei(payouts.reduce((sum, { amountWei }) => sum + amountWei, 0n)),
    matches: tickets.every((ticket) => problemOf(ticket) === undefined),
  };
}

/** One line per ticket, and one for each error or deduction. */
export function proofLines(tickets: readonly ProvenTicket[]): string[] {
  return tickets.flatMap((ticket) => {
    const [payout] = ticket.payouts;
    const value = `R$ ${(Number(ticket.valueCents) / 100).toFixed(2)} × ${Number(ticket.totalBps) / 100} %`;
    const rate = payout?.weiPerCent === undefined ? "" : ` × ${chzTextFromWei(payout.weiPerCent * 100n)} CHZ per R$`;
    const product = productGwei(ticket);
    const expected = product === undefined ? "" : ` = ${chzTextFromGwei(product)} CHZ`;
    const paid = ticket.payouts.map(
      ({ kind, amountWei, transaction }) =>
        `${kind === "paid" ? "paid" : "credited"} ${chzTextFromWei(amountWei)} CHZ in ${transaction}`,
    );
    const head = `Ticket ${ticket.id}, ${STATUS_TEXTS[ticket.status] ?? "unknown"}: ${value}${rate}${expected}`;
    const problem = problemOf(ticket);
    return [
      [head, ...paid].join("; "),
      ...(problem ? [`  ✗ ${problem}`] : []),
      ...(product !== undefined && payout && payout.amountWei < product * WEI_PER_GWEI
        ? [`  kept back: ${chzTextFromWei(product * WEI_PER_GWEI - payout.amountWei)} CHZ`]
        : []),
    ];
  });
}

/** Value × percent × rate in whole gwei; undefined if nothing is owed, or no rate was emitted yet. */
function productGwei({ status, valueCents, totalBps, payouts: [payout] }: ProvenTicket): bigint | undefined {
  if (status !== CHAIN_STATUS.confirmed || payout?.weiPerCent === undefined) return undefined;
  return cashbackGwei({ valueCents, totalBps, weiPerCent: payout.weiPerCent });
}

function problemOf(ticket: ProvenTicket): string | undefined {
  const { status, payouts } = ticket;
  const [payout] = payouts;
  if (status !== CHAIN_STATUS.confirmed) return payout ? "paid, and not Confirmed" : undefined;
  if (!payout) return "Confirmed, and not paid yet";
  if (payouts.length > 1) return `paid ${payouts.length} times`;
  if (payout.weiPerCent === undefined) return "the distributor emitted no rate for this payout";
  const mostWei = cashbackWei({ ...ticket, weiPerCent: payout.weiPerCent });
  return payout.amountWei > mostWei ? "paid more than value × percent × rate" : undefined;
}

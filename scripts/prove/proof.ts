import { cashbackGwei } from "../../domain/cashback.ts";
import { chzTextFromGwei, chzTextFromWei } from "../../domain/money.ts";
import { verdictOn } from "../../domain/payout-verdict.ts";
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

/** `less`, `more` and `missing` count the tickets with that outcome. */
export type ProofSummary = {
  purchases: number;
  expected: string;
  paid: string;
  less: number;
  more: number;
  missing: number;
  matches: boolean;
};

/** `missing`: Confirmed, and not paid yet. Pending and Cancelled tickets without a payout are `open`. */
type Outcome = { kind: "open" | "paid" } | { kind: "less" | "more" | "missing"; problem: string };

/**
 * The summary over all tickets. `purchases` counts those that are not Cancelled. `expected` is the sum of value ×
 * percent × rate over the Confirmed ones, each at the rate emitted in its payout's transaction, in whole gwei.
 * `matches` is true if each of them was paid exactly once, no more and no less than that, and no other was paid.
 */
export function proofSummary(tickets: readonly ProvenTicket[]): ProofSummary {
  const counted = tickets.filter(({ status }) => status !== CHAIN_STATUS.cancelled);
  const payouts = tickets.flatMap((ticket) => ticket.payouts);
  const count = (kind: Outcome["kind"]) => tickets.filter((ticket) => outcomeOf(ticket).kind === kind).length;
  const [less, more, missing] = [count("less"), count("more"), count("missing")];
  return {
    purchases: counted.length,
    expected: chzTextFromGwei(tickets.reduce((sum, ticket) => sum + (productGwei(ticket) ?? 0n), 0n)),
    paid: chzTextFromWei(payouts.reduce((sum, { amountWei }) => sum + amountWei, 0n)),
    less,
    more,
    missing,
    matches: less + more + missing === 0,
  };
}

/** One line per ticket, and one for each that does not match. */
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
    const outcome = outcomeOf(ticket);
    return [[head, ...paid].join("; "), ...("problem" in outcome ? [`  ✗ ${outcome.problem}`] : [])];
  });
}

/** Value × percent × rate in whole gwei; undefined if nothing is owed, or no rate was emitted yet. */
function productGwei({ status, valueCents, totalBps, payouts: [payout] }: ProvenTicket): bigint | undefined {
  if (status !== CHAIN_STATUS.confirmed || payout?.weiPerCent === undefined) return undefined;
  return cashbackGwei({ valueCents, totalBps, weiPerCent: payout.weiPerCent });
}

function outcomeOf({ status, valueCents, totalBps, payouts }: ProvenTicket): Outcome {
  const [payout] = payouts;
  if (status !== CHAIN_STATUS.confirmed) {
    return payout ? { kind: "more", problem: "paid, and not Confirmed" } : { kind: "open" };
  }
  if (!payout) return { kind: "missing", problem: "Confirmed, and not paid yet" };
  if (payouts.length > 1) return { kind: "more", problem: `paid ${payouts.length} times` };
  if (payout.weiPerCent === undefined) {
    return { kind: "more", problem: "the distributor emitted no rate for this payout" };
  }
  // Only payouts to the ticket's buyer are read.
  const verdict = verdictOn({ buyer: "", valueCents, totalBps, isPaid: true, payout: { ...payout, recipient: "" } });
  if (verdict.kind === "less") {
    const missing = chzTextFromWei(verdict.missingWei);
    return {
      kind: "less",
      problem: `paid ${missing} CHZ less than value × percent × rate, not explained by the chain`,
    };
  }
  return verdict.kind === "exact"
    ? { kind: "paid" }
    : { kind: "more", problem: "paid more than value × percent × rate" };
}

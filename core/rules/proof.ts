import { cashbackGwei, cashbackWei } from "./cashback.ts";
import { gweiFromChzText } from "./money.ts";
import { WEI_PER_GWEI } from "./product.ts";
import { CHAIN_STATUS } from "./purchase/life.ts";

/** A payout from its event. `weiPerCent` is undefined if the distributor emitted no rate before it. */
export type Payout = {
  kind: "paid" | "deferred";
  amountWei: bigint;
  weiPerCent: bigint | undefined;
  /** The wallet, lower case. */
  recipient: string;
  transaction: string;
};

/** A ticket and its payouts, read from the chain. */
export type ProvenTicket = {
  id: bigint;
  /** The wallet, lower case. */
  buyer: string;
  /** One of `CHAIN_STATUS`. */
  status: number;
  valueCents: bigint;
  totalBps: bigint;
  payouts: readonly Payout[];
  /** Its owner has burnt it: it counts as it did. */
  isBurnt?: boolean;
};

/**
 * What the published books say of a purchase, in gwei of CHZ: its cashback, less than value × percent × rate if the store
 * corrected the sale or its items earn different percents; what of it was kept back for a debt; and what its return made
 * the wallet owe, as far as it was kept from others.
 */
export type BookEntry = { cashbackGwei: bigint; keptGwei: bigint; owedGwei: bigint };
/** A wallet's books by purchase. */
export type ProofBooks = ReadonlyMap<bigint, BookEntry>;

type PublishedEntry = { token_id: number | string; cashback: string; kept: string; owed: string };

/** Books as the api publishes them. @throws InvalidNumberError */
export function booksOf(rows: readonly PublishedEntry[]): ProofBooks {
  return new Map(
    rows.map(({ token_id, cashback, kept, owed }) => [
      BigInt(token_id),
      { cashbackGwei: gweiFromChzText(cashback), keptGwei: gweiFromChzText(kept), owedGwei: gweiFromChzText(owed) },
    ]),
  );
}

/** Why less was paid: kept back for the debt of the purchases `debtOf`, and lower because the sale itself is lower. */
export type Explanation = { keptWei: bigint; lowerWei: bigint; debtOf: readonly bigint[] };

/**
 * How a ticket compares with value × percent × rate, in whole gwei. `open`: nothing is due (Pending, Cancelled, Returned unpaid). `kept`:
 * the books explain the difference. `missing`: Confirmed, and not paid. `more`: a payout that the rules forbid.
 * docs/product.md#proof
 */
export type Outcome =
  | { kind: "open" | "paid" | "missing" }
  | { kind: "less"; differenceWei: bigint }
  | ({ kind: "kept" } & Explanation)
  | { kind: "more"; reason: "not-confirmed" | "repeated" | "another-wallet" | "no-rate" | "above" };

/** `less`, `more` and `missing` count the tickets with that outcome; CHZ as decimals. */
export type ProofTotals = {
  purchases: number;
  expectedGwei: bigint;
  paidWei: bigint;
  matches: boolean;
  less: number;
  more: number;
  missing: number;
};

export function outcomeOf({ buyer, status, valueCents, totalBps, payouts }: ProvenTicket): Outcome {
  const [payout] = payouts;
  const isReturned = status === CHAIN_STATUS.returned;
  if (status !== CHAIN_STATUS.confirmed && !isReturned)
    return payout ? { kind: "more", reason: "not-confirmed" } : { kind: "open" };
  if (!payout) return { kind: isReturned ? "open" : "missing" };
  if (payouts.length > 1) return { kind: "more", reason: "repeated" };
  const { amountWei, weiPerCent, recipient } = payout;
  if (recipient !== buyer) return { kind: "more", reason: "another-wallet" };
  if (weiPerCent === undefined) return { kind: "more", reason: "no-rate" };
  const terms = { valueCents, totalBps, weiPerCent };
  if (amountWei > cashbackWei(terms)) return { kind: "more", reason: "above" };
  const differenceWei = cashbackGwei(terms) * WEI_PER_GWEI - amountWei;
  return differenceWei > 0n ? { kind: "less", differenceWei } : { kind: "paid" };
}

/**
 * The outcomes of all of a wallet's tickets, in their order. The books explain a payout only if they give it to the gwei,
 * and what they say was kept back only if the debts that they name cover it: a wallet owes for a ticket at most what the
 * chain shows that it received for it, or had kept back from it.
 */
export function outcomesOf(tickets: readonly ProvenTicket[], books: ProofBooks = new Map()): Outcome[] {
  const found = tickets.map((ticket) => {
    const outcome = outcomeOf(ticket);
    return { ticket, outcome, explained: explain(ticket, outcome, books.get(ticket.id)) };
  });
  const debts = found.map(({ ticket, explained }) => {
    const owedWei = (books.get(ticket.id)?.owedGwei ?? 0n) * WEI_PER_GWEI;
    const most = sumOf(ticket.payouts.map(({ amountWei }) => amountWei)) + (explained?.keptWei ?? 0n);
    return { id: ticket.id, wei: owedWei < most ? owedWei : most };
  });
  const isCovered = sumOf(found.map(({ explained }) => explained?.keptWei ?? 0n)) <= sumOf(debts.map(({ wei }) => wei));
  const debtOf = debts.filter(({ wei }) => wei > 0n).map(({ id }) => id);
  return found.map(({ outcome, explained }) => {
    if (!explained || (explained.keptWei > 0n && !isCovered)) return outcome;
    return { kind: "kept", ...explained, debtOf: explained.keptWei > 0n ? debtOf : [] };
  });
}

/**
 * The sums over all tickets. `purchases` counts those that are not Cancelled. `expectedGwei` is the sum of value ×
 * percent × rate over the Confirmed and Returned ones, each at the rate emitted in its payout's transaction. `matches` is true if no
 * ticket is `less`, `more` or `missing`.
 */
export function proofTotals(tickets: readonly ProvenTicket[], outcomes: readonly Outcome[]): ProofTotals {
  const count = (kind: Outcome["kind"]) => outcomes.filter((outcome) => outcome.kind === kind).length;
  const [less, more, missing] = [count("less"), count("more"), count("missing")];
  return {
    purchases: tickets.filter(({ status }) => status !== CHAIN_STATUS.cancelled).length,
    expectedGwei: sumOf(tickets.map((ticket) => expectedGwei(ticket) ?? 0n)),
    paidWei: sumOf(tickets.flatMap(({ payouts }) => payouts.map(({ amountWei }) => amountWei))),
    matches: less + more + missing === 0,
    less,
    more,
    missing,
  };
}

/** Value × percent × rate; undefined if nothing is due, or the chain shows no rate yet. */
export function expectedGwei({ status, valueCents, totalBps, payouts: [payout] }: ProvenTicket): bigint | undefined {
  const isDue = status === CHAIN_STATUS.confirmed || status === CHAIN_STATUS.returned;
  if (!isDue || payout?.weiPerCent === undefined) return undefined;
  return cashbackGwei({ valueCents, totalBps, weiPerCent: payout.weiPerCent });
}

/** What the books say of a ticket that was paid less, or not at all; undefined if that is not the whole difference. */
function explain(ticket: ProvenTicket, outcome: Outcome, entry: BookEntry | undefined) {
  if (!entry || entry.keptGwei < 0n) return undefined;
  const dueWei = (entry.cashbackGwei - entry.keptGwei) * WEI_PER_GWEI;
  const keptWei = entry.keptGwei * WEI_PER_GWEI;
  if (outcome.kind === "missing") return dueWei === 0n ? { keptWei, lowerWei: 0n } : undefined;
  if (outcome.kind !== "less" || dueWei !== sumOf(ticket.payouts.map(({ amountWei }) => amountWei))) return undefined;
  const lowerWei = outcome.differenceWei - keptWei;
  return lowerWei < 0n ? undefined : { keptWei, lowerWei };
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

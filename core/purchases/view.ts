import { getAddress } from "viem";
import type { Contracts } from "../chain/deployment.ts";
import type { Queries } from "../database/transaction.ts";
import { mapInTurns } from "../process/in-turns.ts";
import { type DailyRate, readDailyRates } from "../rates/daily-rates.ts";
import { type RateSource, shownRate } from "../rates/rate-source.ts";
import type { AccountWait } from "../rules/account/payout-gate.ts";
import type { PurchaseNft } from "../rules/api/people.ts";
import type { PurchaseRecord } from "../rules/api/purchases.ts";
import { bonusStateOf } from "../rules/bonus-read.ts";
import { cashbackOf, worthCents } from "../rules/cashback.ts";
import { isoTime } from "../rules/iso-time.ts";
import { chzTextFromGwei, percentText, reaisText } from "../rules/money.ts";
import { PRODUCT_NAME } from "../rules/product.ts";
import {
  type CashbackState,
  CHAIN_STATUS,
  lifeOf,
  type PurchaseStatus,
  purchaseStatusFromChain,
  storedStatus,
  ticketStatus,
} from "../rules/purchase/life.ts";
import { placeOf, SITUATIONS, type Situation } from "../rules/purchase/situation.ts";
import { type StorePace, type StorePaces, usualAt } from "../rules/sale/pace.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import type { LifeRow, listTickets, Purchase } from "./queries.ts";

export type PurchaseView = {
  /** The rate at which an unconfirmed purchase is shown. */
  rate: bigint;
  /** Payouts above this block are not final and not shown as paid. */
  shownUpTo: bigint;
  /** In ms. */
  now: bigint;
  /** Only what networks report is paid. */
  isLive: boolean;
};

/** The context for showing purchases at an indexed block. A payout counts once it is `confirmations` deep. */
export function purchaseViewAt(
  indexedBlock: bigint | undefined,
  { rate, confirmations, isLive }: { rate: bigint; confirmations: number; isLive: boolean },
): PurchaseView {
  const shownUpTo = (indexedBlock ?? 0n) - BigInt(confirmations) + 1n;
  return { rate, shownUpTo, now: BigInt(Date.now()), isLive };
}

/** By what an api shows purchases: the rate for those without a frozen one, how deep a payout must be, and the mode. */
type ShownBy = {
  rates: RateSource;
  environment: { WEI_PER_CENT: bigint; CONFIRMATIONS: number };
  saleRules: Pick<SaleRules, "isLive">;
};

/** The context for showing purchases at an indexed block, as an api is set. */
export function purchaseViewOf({ rates, environment, saleRules }: ShownBy, indexedBlock: bigint | undefined) {
  const rate = shownRate(rates, environment.WEI_PER_CENT);
  const isLive = saleRules.isLive ?? false;
  return purchaseViewAt(indexedBlock, { rate, confirmations: environment.CONFIRMATIONS, isLive });
}

type Placed = Pick<Purchase, keyof LifeRow | "sale_state" | "pay_status" | "pay_since" | "undecided">;

/** Where a purchase is, as its buyer reads it, and the status that they see. */
function placeIn(purchase: Placed, view: PurchaseView): { situation: Situation; status: PurchaseStatus } {
  const state = cashbackState(purchase, view);
  const facts = { life: lifeOf(purchase), payout: state === "unpaid" ? undefined : state };
  const { situation, status } = placeOf({ ...facts, saleState: purchase.sale_state }, view);
  const isStanding = situation === "paying" && purchase.payout_state === null && isDelayed(purchase, view);
  return { situation: isStanding ? "payout_delayed" : situation, status };
}

export function situationIn(purchase: Placed, view: PurchaseView): Situation {
  return placeIn(purchase, view).situation;
}

/**
 * What a situation's word leaves open: what a confirmed purchase waits for of its account, or that its ticket says Returned.
 * docs/product.md#accounts docs/product.md#return-final
 */
export function detailIn(
  situation: Situation,
  { account_wait, chain_status }: Pick<Purchase, "account_wait" | "chain_status">,
): AccountWait | "returned" | null {
  if (Number(chain_status ?? 0) === CHAIN_STATUS.returned) return "returned";
  return situation === "awaiting_network" ? account_wait : null;
}

/** A payout that is queued for longer than this stands: the wallet has no gas, or payouts are paused. */
const DELAYED_MS = 600_000n;

function isDelayed(
  { pay_status, pay_since, undecided }: Pick<Purchase, "pay_status" | "pay_since" | "undecided">,
  { now }: PurchaseView,
): boolean {
  const isLate = pay_status === "queued" && pay_since !== null && pay_since < now - DELAYED_MS;
  return pay_status === "waiting" || pay_status === "failed" || isLate || (undecided ?? 0n) > 0n;
}

/**
 * Purchases as their buyer sees them, with the usual day of what an open one waits for, and what a paid one was worth.
 * `readCredit` returns what the wallet can still withdraw, undefined if that is not known.
 */
export async function toPurchaseRecords(
  { paces, queries }: { paces: StorePaces; queries: Queries },
  purchases: readonly Purchase[],
  view: PurchaseView,
  readCredit: () => Promise<bigint | undefined>,
): Promise<PurchaseRecord[]> {
  const waiting = purchases.filter(({ source, settled_at }) => source === "live" && settled_at === null);
  const stores = [...new Set(waiting.map(({ store_id }) => store_id))];
  const paidAt = purchases.flatMap(({ paid_at }) => paid_at ?? []);
  const [known, rateOf] = await Promise.all([
    Promise.all(stores.map(async (id) => [id, await paces.of(id)] as const)).then((pairs) => new Map(pairs)),
    readDailyRates(queries, paidAt),
  ]);
  const records = await mapInTurns(purchases, (purchase) => {
    const dayRate = purchase.paid_at === null ? undefined : rateOf(purchase.paid_at);
    return toPurchaseRecord(purchase, view, { pace: known.get(purchase.store_id), dayRate });
  });
  const isCredit = ({ situation }: PurchaseRecord) => situation === "credit";
  if (!records.some(isCredit) || (await readCredit()) !== 0n) return records;
  // Once it is withdrawn, nothing waits any more.
  return records.map((record) => (isCredit(record) ? { ...record, situation: "paid" } : record));
}

type Known = {
  /** The store's, where that matters. */
  pace?: StorePace | undefined;
  /** Of the day of its payment or the last one before, if it is known. */
  dayRate?: DailyRate | undefined;
};

/** One purchase as its buyer sees it. */
export function toPurchaseRecord(
  purchase: Purchase,
  view: PurchaseView,
  { pace, dayRate }: Known = {},
): PurchaseRecord {
  const state = cashbackState(purchase, view);
  const { situation, status } = placeIn(purchase, view);
  const cashback = SITUATIONS[situation].isNil ? 0n : cashbackOf(purchase, view.rate);
  const detail = detailIn(situation, purchase);
  const statusAt = isoTime(purchase.status_at);
  const steps = { reportedAt: purchase.created_at, approvedAt: purchase.approved_at };
  return {
    id: Number(purchase.id),
    store_id: Number(purchase.store_id),
    store: purchase.store_name,
    club_slug: purchase.store_club,
    date: isoTime(purchase.created_at),
    created_at: isoTime(purchase.created_at),
    amount: reaisText(purchase.amount_cents),
    cashback_percent: percentText(purchase.cashback_bps),
    bonus_percent: percentText(purchase.bonus_bps),
    total_percent: percentText(purchase.cashback_bps + purchase.bonus_bps),
    bonus_state: bonusStateOf(purchase),
    token_slug: purchase.token_slug,
    status,
    cashback: Number(chzTextFromGwei(cashback)),
    tokenType: purchase.token_slug?.toUpperCase() ?? "CHZ",
    destination: purchase.wallet,
    stored_status: storedStatus(status),
    cashback_amount: chzTextFromGwei(cashback),
    cashback_state: state,
    situation,
    situation_detail: detail,
    paid_amount: state === "paid" ? chzTextFromGwei(purchase.paid_gwei ?? 0n) : null,
    paid_value:
      state === "paid" && dayRate ? reaisText(worthCents(purchase.paid_gwei ?? 0n, dayRate.weiPerCent)) : null,
    paid_rate_day: state === "paid" && dayRate?.isEarlier ? dayRate.day : null,
    kept_amount: chzTextFromGwei(purchase.offset_gwei),
    corrected_from: isCorrected(purchase) ? chzTextFromGwei(cashbackAtIssue(purchase, view)) : null,
    token_id: purchase.chain_status === null ? null : purchase.id.toString(),
    mint_tx: purchase.mint_transaction,
    status_tx: purchase.status_transaction,
    payment_tx: state === "unpaid" ? null : purchase.payout_transaction,
    minted_at: isoTime(purchase.minted_at),
    confirmed_at: status === "confirmed" && detail !== "returned" ? statusAt : null,
    returned_at: detail === "returned" ? statusAt : null,
    paid_at: state === "unpaid" ? null : isoTime(purchase.paid_at),
    expected_at: state === "unpaid" && status !== "cancelled" ? isoTime(purchase.payable_at) : null,
    usual_at: pace && purchase.source === "live" ? isoTime(usualAt(situation, steps, pace)) : null,
  };
}

/** Parts of different percents give one that is rounded up to a basis point: what is missing then is no correction. */
function isCorrected({ amount_cents, cashback_bps, bonus_bps, cashback_cent_bps }: Purchase): boolean {
  return amount_cents * (cashback_bps + bonus_bps) - cashback_cent_bps >= amount_cents;
}

/** What the ticket says: value × percent. */
function cashbackAtIssue({ amount_cents, cashback_bps, bonus_bps, wei_per_cent }: Purchase, view: PurchaseView) {
  return cashbackOf({ cashback_cent_bps: amount_cents * (cashback_bps + bonus_bps), wei_per_cent }, view.rate);
}

function cashbackState(purchase: Pick<Purchase, keyof LifeRow>, view: PurchaseView): CashbackState {
  if (purchase.payout_state === null || purchase.payout_block === null) return "unpaid";
  return purchase.payout_block <= view.shownUpTo ? purchase.payout_state : "unpaid";
}

/** The contract that minted a ticket, from what the index says of it: nothing if the first one did. */
export function ticketContractOf(
  { purchaseNft, formerPurchaseNfts = [] }: Contracts,
  { contract }: { contract: WalletAddress | null },
): WalletAddress {
  return contract ?? formerPurchaseNfts.at(-1) ?? purchaseNft;
}

/** A row of the index as its contract draws it. docs/product.md#ticket-attributes. */
export function toTicket(contracts: Contracts, ticket: Awaited<ReturnType<typeof listTickets>>[number]): PurchaseNft {
  const store = ticket.store_name ?? `Loja ${ticket.store_id}`;
  // The total contains it.
  const bonus = ticket.bonus_bps === 0n ? "0%" : `${percentText(ticket.bonus_bps)}% (incluído)`;
  return {
    tokenId: ticket.token_id.toString(),
    txHash: ticket.mint_transaction,
    contract: ticketContractOf(contracts, ticket),
    burnt_at: isoTime(ticket.burnt_at),
    club_slug: ticket.store_club,
    name: PRODUCT_NAME,
    symbol: PRODUCT_NAME.toUpperCase(),
    metadata: {
      name: `${PRODUCT_NAME} nº ${ticket.token_id}`,
      image: `/api/nfts/${ticket.token_id}/image?status=${drawnAs(ticket)}`,
      description: `Ingresso de uma compra na loja ${store}, com cashback em CHZ. Intransferível.`,
      attributes: [
        { trait_type: "Loja", value: store },
        { trait_type: "Valor da Compra", value: ticketReais(ticket.value_cents) },
        { trait_type: "Cashback", value: `${percentText(ticket.cashback_bps + ticket.bonus_bps)}%` },
        { trait_type: "Status", value: ticketStatus(ticket.status) },
        { trait_type: "Comprador", value: getAddress(ticket.owner) },
        { trait_type: "Bônus", value: bonus },
      ],
    },
  };
}

/** What a ticket's picture depends on: its URL contains it, so that a cached one is not shown for another. */
export function drawnAs({
  status,
  payout_transaction,
}: {
  status: bigint;
  payout_transaction: string | null;
}): PurchaseStatus | "paid" | "returned" {
  const word = purchaseStatusFromChain(status);
  if (Number(status) === CHAIN_STATUS.returned) return "returned";
  return word === "confirmed" && payout_transaction !== null ? "paid" : word;
}

/** Cents as the ticket formats them: 123450 → "R$ 1.234,50". */
function ticketReais(cents: bigint): string {
  const [whole = "0", fraction = "00"] = reaisText(cents).split(".");
  return `R$ ${whole.replace(/\B(?=(\d{3})+$)/g, ".")},${fraction}`;
}

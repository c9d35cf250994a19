import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { z } from "zod";
import { among, amongTexts, givenRows } from "../database/among.ts";
import { COUNTED } from "../database/capped-count.ts";
import { databaseNow } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import type { OperationKind } from "../database/operations.ts";
import { touchUsers } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { BIG_DAY_MS } from "../rules/iso-time.ts";
import { CHAIN_STATUS, isMove, MOVES } from "../rules/purchase/life.ts";
import { idsOf, isRecord, jsonOf, keysOf } from "../rules/records.ts";
import { networkOf } from "../rules/sale/accounts.ts";
import { buyerOf, orderKeyOf } from "../rules/sale/decide.ts";
import {
  type ClickFacts,
  type Kept,
  type LetGo,
  NOTHING_KEPT,
  type OtherOfOrder,
  type PurchaseFacts,
  type SaleFacts,
  type StoreFacts,
  type TicketFacts,
  type UnclaimedTicket,
} from "../rules/sale/facts.ts";
import { readReleases } from "../rules/sale/hold.ts";
import type { SalePurchaseStage } from "../rules/sale/plan.ts";
import type { SaleReport } from "../rules/sale/report.ts";
import type { FxRates, SaleRules } from "../rules/sale/rules.ts";
import type { ClickTerms } from "../rules/sale/value.ts";
import { saoPauloDay } from "../rules/sao-paulo-time.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { lockOperations } from "../sender/queue.ts";
import { authorsOf } from "./authors.ts";
import { type Debt, readDebts } from "./debt.ts";
import { accountWait, approvalState, type CountedLife, lifeOf, refusedRequest } from "./queries.ts";
import { decodeReport } from "./stored-report.ts";

export type SaleRow = Selectable<Schema["sales"]>;
/**
 * `author`, `changedBy`: by whose word it is paid though nobody decided about it. `lives`: its purchases, for their next steps. `buyer`:
 * whose it is, and what they owe. `related`: sales that must be decided with it, because they have the same order, or are
 * held for one that it had.
 */
export type LoadedSale = {
  row: SaleRow;
  facts: SaleFacts;
  author: string | null;
  changedBy: string | null;
  lives: readonly CountedLife[];
  buyer: WalletAddress | null;
  debt: Debt;
  related: readonly bigint[];
};

/**
 * Everything that decides about some sales, which are locked, in a fixed number of queries. Locks their operations until the
 * transaction ends. docs/product.md#sales-decision
 */
export async function loadSales(queries: Queries, ids: readonly bigint[], rules: SaleRules): Promise<LoadedSale[]> {
  const rows = await queries
    .selectFrom("sales")
    .selectAll()
    .where(among(queries, "id", ids))
    .orderBy("id")
    .execute();
  if (rows.length === 0) return [];
  const reports = new Map(rows.map((row) => [row.id, decodeReport(row.report)]));
  const clicks = await readClicks(queries, rows);
  const click = (row: SaleRow) => clicks.find((one) => one.id === row.click_id) ?? null;
  const named = (row: SaleRow) => clicks.find((one) => row.click_ref !== null && one.token === row.click_ref) ?? null;
  await touchUsers(
    queries,
    new Set(rows.flatMap((row) => [click(row), named(row)].flatMap((one) => one?.wallet ?? []))),
  );
  const stateOf = new Map(rows.map((row) => [row.id, row.state]));
  const purchases = Map.groupBy(await readPurchases(queries, ids, stateOf), ({ facts }) => facts.saleId);
  const tickets = await readTickets(queries, rows, rules);
  const rates = await readRates(queries, rules.fx, rows, reports);
  const drafts = rows.map((row) => {
    const report = reports.get(row.id) as SaleReport;
    const lives = purchases.get(row.id) ?? [];
    const own = lives.map(({ facts }) => facts);
    const known = { report, createdAt: row.created_at, click: click(row), named: named(row), kept: readKept(row) };
    const buyer = buyerOf({ ...known, purchases: own }).click;
    return {
      row,
      known,
      own,
      lives,
      buyer,
      ...rates(row.occurred_at ?? row.created_at),
      orderKey: orderKeyOf(row.order_ref),
    };
  });
  const sameOrder = await readSameOrder(queries, drafts);
  const authors = await authorsOf(queries, drafts);
  const ordinals = await readOrdinals(queries, drafts);
  const fresh = drafts.flatMap(({ own, buyer }) => (own.length === 0 && buyer ? [buyer.wallet] : []));
  const unclaimed = await readUnclaimed(queries, new Set(fresh));
  const debts = await readDebts(queries, new Set(drafts.flatMap(({ buyer }) => buyer?.wallet ?? [])));
  return drafts.map(({ row, known, own, lives, buyer, rates, orderKey }) => {
    const ofKey = (key: string | null) => sameOrder(key).filter((one) => one.id !== row.id);
    const others = ofKey(orderKey).filter((one) => one.merchant === buyer?.store.merchant);
    const held = [...ofKey(orderKey), ...ofKey(row.order_key)].filter((one) => one.isHeldTwice);
    const debt = debts.get(buyer?.wallet ?? "0x") ?? { gwei: 0n, unsentGwei: 0n };
    const facts = {
      ...known,
      id: row.id,
      network: row.network,
      account: row.account,
      approvedAt: row.approved_at,
      declined: row.declined_by === null ? null : { reason: row.decline_reason },
      released: readReleases(row.released_reasons),
      letGo: readLetGo(row.let_go),
      rates,
      ordinalOfDay: ordinals.get(row.id) ?? 1n,
      sameOrder: others,
      orderKeyBefore: keyBefore(row, orderKey),
      purchases: own,
      tickets: tickets.get(row.id) ?? [],
      unclaimed: own.length === 0 ? (unclaimed.get(buyer?.wallet ?? "0x") ?? []) : [],
      debtGwei: debt.gwei + debt.unsentGwei,
    };
    const by = authors.get(row.id) ?? { author: null, changedBy: null };
    return { row, lives, facts, ...by, buyer: buyer?.wallet ?? null, debt, related: idsOf([...others, ...held]) };
  });
}

// Clicks and stores -------------------------------------------------------------------------------------------------------

const bps = z.string().regex(/^\d+$/).transform(BigInt);
/** Not `z.record`, which leaves a group out that is named `__proto__`. */
const groupsSchema = z
  .custom<object>(isRecord)
  .transform((groups) => Object.entries(groups))
  .pipe(z.array(z.tuple([z.string(), bps])));
const saleTermsSchema = z.object({
  groups: groupsSchema.transform((groups) => Object.fromEntries(groups)),
  defaultBps: bps,
  bonusBps: bps,
});
const termsSchema = saleTermsSchema.extend({
  boosted: saleTermsSchema.extend({ until: bps }).optional(),
  link: z.object({ network: z.string(), account: z.string().nullable() }).nullish(),
});

/** The terms frozen with a click; percents are in basis points. */
export function readTerms(terms: string): ClickTerms {
  return termsSchema.parse(JSON.parse(terms));
}

async function readClicks(queries: Queries, rows: readonly SaleRow[]): Promise<(ClickFacts & { token: string })[]> {
  const ids = rows.flatMap((row) => row.click_id ?? []);
  const tokens = rows.flatMap((row) => row.click_ref ?? []);
  const clicks = await queries
    .selectFrom("clicks")
    .selectAll()
    .where(({ or }) => or([among(queries, "id", ids), amongTexts(queries, "token", tokens)]))
    .execute();
  const stores = await readStores(queries, new Set(clicks.map((one) => one.store_id)));
  return clicks.flatMap((row) => {
    const store = stores.get(row.store_id);
    if (!store) return [];
    return [
      {
        id: row.id,
        token: row.token,
        wallet: row.wallet,
        store,
        storeName: row.store_name,
        tokenSlug: row.token_slug,
        balanceBlock: row.balance_block,
        terms: readTerms(row.terms),
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      },
    ];
  });
}

async function readStores(queries: Queries, ids: ReadonlySet<bigint>): Promise<Map<bigint, StoreFacts>> {
  const rows = await queries
    .selectFrom("stores")
    .select([...STORE_COLUMNS])
    .where(among(queries, "id", ids))
    .execute();
  return new Map(rows.map((row) => [row.id, storeFacts(row)]));
}

const STORE_COLUMNS = [
  ...(["id", "network", "unlinked_is_direct", "account", "advertiser_id", "link_code"] as const),
  ...(["merchant", "store_url", "mint_delay_seconds", "hold_seconds"] as const),
] as const;
type StoreRow = Pick<Selectable<Schema["stores"]>, (typeof STORE_COLUMNS)[number]>;

/** The one place that reads what stores say of their reports. */
export function storeFacts(row: StoreRow): StoreFacts {
  const network = networkOf(row);
  const inMs = (seconds: bigint | null) => (seconds === null ? null : seconds * 1_000n);
  const ids = network === "direct" ? String(row.id) : reportedIds(row);
  return {
    id: row.id,
    network,
    isLinked: row.network !== null && row.unlinked_is_direct === null,
    account: row.account,
    advertiserIds: ids.split(",").flatMap((id) => id.trim() || []),
    merchant: merchantOf(row),
    mintDelayMs: inMs(row.mint_delay_seconds),
    holdMs: inMs(row.hold_seconds),
  };
}

/** The same as `networkOf`, of a row of `stores`. */
export function isDirectStore(): RawBuilder<SqlBool> {
  return sql<SqlBool>`(network = 'direct' or (network is null and unlinked_is_direct = 1))`;
}

/** The store of an account that a report names; the first, if several do. */
export async function findSeller(
  queries: Queries,
  { network, account }: { network: string; account: string },
  advertiserId: string | null,
): Promise<StoreFacts | undefined> {
  if (advertiserId === null || advertiserId === "") return undefined;
  const stores = queries
    .selectFrom("stores")
    .select([...STORE_COLUMNS])
    .where("deleted_at", "is", null)
    .where((where) => where.or([where("account", "=", account), where("account", "is", null)]))
    .orderBy("id");
  const named =
    network === "direct"
      ? stores.where("id", "=", BigInt(advertiserId))
      : stores.where("network", "=", network).where("advertiser_id", "like", `%${advertiserId}%`);
  const found = (await named.execute()).map(storeFacts).filter((store) => store.network === network);
  return found.find((store) => store.advertiserIds.includes(advertiserId));
}

/** Admitad's reports have another id than its links: only a store with a link code names it as `advertiser_id`. */
function reportedIds({ network, advertiser_id, link_code }: StoreRow): string {
  return network === "admitad" && link_code === null ? "" : (advertiser_id ?? "");
}

/** Under whose name an order of a store pays once. docs/product.md#sales-once */
export function merchantOf({ id, merchant, store_url }: Pick<StoreRow, "id" | "merchant" | "store_url">): string {
  const host = (store_url && URL.parse(store_url)?.hostname.replace(/^www\./, "")) || null;
  return merchant?.normalize("NFC").toLowerCase() ?? host ?? `store ${id}`;
}

// Purchases ---------------------------------------------------------------------------------------------------------------

const MOVE_KINDS = keysOf(MOVES);

/** The purchases of a sale with their stages, oldest first; in a transaction. */
export async function readSalePurchases(queries: Queries, saleId: bigint): Promise<PurchaseFacts[]> {
  return (await readPurchases(queries, [saleId], new Map())).map(({ facts }) => facts);
}

type SalePurchase = CountedLife & { facts: PurchaseFacts & { saleId: bigint } };

/**
 * The purchases of sales, oldest first, with all that decides about them and their next steps. Locks their operations
 * until the transaction ends, so that none is sent while its purchase is being decided.
 */
async function readPurchases(
  queries: Queries,
  saleIds: readonly bigint[],
  stateOf: ReadonlyMap<bigint, SaleRow["state"]>,
): Promise<SalePurchase[]> {
  const rows = await queries
    .selectFrom("purchases")
    .selectAll()
    .select([databaseNow(queries).as("now"), approvalState().as("approval_state")])
    .select([accountWait().as("account_wait"), refusedRequest().as("refused_request")])
    .where(among(queries, "sale_id", saleIds))
    .orderBy("id")
    .execute();
  if (rows.length === 0) return [];
  const ids = idsOf(rows);
  const operations = Map.groupBy(await lockOperations(queries, ids, MOVE_KINDS), (one) => one.subject_id);
  const { tokenOf, payoutOf } = await readOnChain(queries, ids);
  const returned = await readReturned(queries, ids);
  return rows.map((row) => {
    const own = operations.get(row.id) ?? [];
    const kinds = (some: typeof own) => new Set(some.map(({ kind }) => kind).filter(isMove));
    const left = new Set(
      own.filter(({ status }) => status === "assigned" || status === "done").map(({ kind }) => kind),
    );
    const wanted = own.filter(({ status }) => status !== "withdrawn");
    // A token with this id and another owner belongs to another deployment.
    const token = tokenOf.get(row.id)?.owner === row.wallet ? tokenOf.get(row.id) : undefined;
    const payout = payoutOf.get(row.id)?.recipient === row.wallet ? payoutOf.get(row.id) : undefined;
    const counted = {
      ...row,
      chain_status: token?.status ?? null,
      status_block: token?.status_block ?? null,
      payout_state: payout?.state ?? null,
      paid_gwei: payout?.amount_gwei ?? null,
      payout_block: payout?.block_number ?? null,
      sale_state: stateOf.get(row.sale_id ?? 0n) ?? null,
    };
    const facts = {
      saleId: row.sale_id ?? 0n,
      id: row.id,
      stage: stageOf(row, {
        chainStatus: Number(token?.status ?? 0),
        isPaid: payout !== undefined,
        hasLeft: (kind) => left.has(kind),
      }),
      isWithdrawn: row.reversed_at !== null,
      valueCents: row.amount_cents,
      totalBps: row.cashback_bps + row.bonus_bps,
      centBps: row.cashback_cent_bps,
      weiPerCent: row.wei_per_cent,
      returnedCentBps: returned.get(row.id) ?? 0n,
      wallet: row.wallet,
      storeId: row.store_id,
      createdAt: row.created_at,
      approvedAt: row.approved_at,
      payableAt: row.payable_at,
      isSettled: row.settled_at !== null,
      offsetGwei: row.offset_gwei,
      queued: kinds(wanted),
      heldByStaff: row.held_at === null ? null : { by: row.held_by ?? "", at: row.held_at, reason: row.held_reason },
      refusedRequest: row.refused_request,
      payment: payout ? { gwei: payout.amount_gwei, weiPerCent: payout.wei_per_cent } : null,
      unsent: kinds(wanted.filter(({ status }) => !["assigned", "done"].includes(status))),
    };
    return { row: counted, life: lifeOf(counted, wanted), facts };
  });
}

/** The tokens with these ids and their payouts, whoever owns and got them. */
async function readOnChain(queries: Queries, ids: readonly bigint[]) {
  const tokens = await queries
    .selectFrom("nfts")
    .select(["token_id", "owner", "status", "status_block"])
    .where(among(queries, "token_id", ids))
    .execute();
  const payouts = await queries
    .selectFrom("payouts")
    .select(["token_id", "recipient", "state", "amount_gwei", "block_number", "wei_per_cent"])
    .where(among(queries, "token_id", ids))
    .execute();
  return {
    tokenOf: new Map(tokens.map((one) => [one.token_id, one])),
    payoutOf: new Map(payouts.map((one) => [one.token_id, one])),
  };
}

/** The tickets on chain that carry the reference of each sale and are none of its purchases. */
async function readTickets(
  queries: Queries,
  rows: readonly SaleRow[],
  { saleRefs }: SaleRules,
): Promise<Map<bigint, TicketFacts[]>> {
  const saleOf = new Map(
    rows.flatMap((row) => saleRefs({ ...row, saleKey: row.sale_key }).map((ref) => [ref, row.id])),
  );
  if (saleOf.size === 0) return new Map();
  const found = await queries
    .selectFrom("nfts")
    .leftJoin("purchases", "purchases.id", "nfts.token_id")
    .leftJoin("payouts", "payouts.token_id", "nfts.token_id")
    .select(["nfts.token_id", "nfts.owner", "nfts.store_id", "nfts.value_cents", "nfts.cashback_bps", "nfts.bonus_bps"])
    .select(["nfts.sale_ref", "nfts.status", "payouts.amount_gwei", "payouts.wei_per_cent"])
    .select(["purchases.id", "purchases.sale_id"])
    .where(among(queries, "nfts.sale_ref", [...saleOf.keys()]))
    .where("nfts.sale_ref", "<>", 0n)
    .orderBy("nfts.token_id")
    .execute();
  const unknown = found.filter((one) => one.sale_id === null || one.sale_id !== saleOf.get(one.sale_ref));
  return Map.groupBy(
    unknown.map((one) => ({
      saleId: saleOf.get(one.sale_ref) ?? 0n,
      id: one.token_id,
      ref: one.sale_ref,
      owner: one.owner,
      storeId: one.store_id,
      valueCents: one.value_cents,
      cashbackBps: one.cashback_bps,
      bonusBps: one.bonus_bps,
      isCancelled: Number(one.status) === CHAIN_STATUS.cancelled,
      payment: one.amount_gwei === null ? null : { gwei: one.amount_gwei, weiPerCent: one.wei_per_cent },
      isTaken: one.id !== null,
    })),
    ({ saleId }) => saleId,
  );
}

/** The tickets of these buyers that no purchase has: the database was lost, or moved back in time. */
async function readUnclaimed(
  queries: Queries,
  wallets: ReadonlySet<WalletAddress>,
): Promise<Map<WalletAddress, UnclaimedTicket[]>> {
  if (wallets.size === 0) return new Map();
  const rows = await queries
    .selectFrom("nfts")
    .leftJoin("purchases", "purchases.id", "nfts.token_id")
    .select(["nfts.token_id", "nfts.owner", "nfts.store_id", "nfts.value_cents", "nfts.minted_at"])
    .where(amongTexts(queries, "nfts.owner", wallets))
    .where("nfts.sale_ref", "<>", 0n)
    .where("nfts.status", "<>", BigInt(CHAIN_STATUS.cancelled))
    .where("purchases.id", "is", null)
    .orderBy("nfts.token_id")
    .execute();
  const tickets = rows.map((row) => ({
    id: row.token_id,
    owner: row.owner,
    storeId: row.store_id,
    valueCents: row.value_cents,
    mintedAt: row.minted_at,
  }));
  return Map.groupBy(tickets, ({ owner }) => owner);
}

/** The debt for each purchase: the sum of its adjustments. */
async function readReturned(queries: Queries, ids: readonly bigint[]): Promise<Map<bigint, bigint>> {
  const rows = await queries
    .selectFrom("adjustments")
    .select(["purchase_id", "cent_bps"])
    .where(among(queries, "purchase_id", ids))
    .execute();
  const sums = new Map<bigint, bigint>();
  for (const { purchase_id, cent_bps } of rows) sums.set(purchase_id, (sums.get(purchase_id) ?? 0n) + cent_bps);
  return sums;
}

type Signs = { chainStatus: number; isPaid: boolean; hasLeft: (kind: OperationKind) => boolean };

function stageOf(row: Selectable<Schema["purchases"]>, { chainStatus, isPaid, hasLeft }: Signs): SalePurchaseStage {
  const isWhollyKept = row.settled_at !== null && row.offset_gwei > 0n;
  if (isPaid || hasLeft("pay") || (chainStatus === CHAIN_STATUS.confirmed && isWhollyKept)) return "paid";
  if (chainStatus === CHAIN_STATUS.cancelled || hasLeft("cancel")) return "cancelled";
  if (chainStatus === CHAIN_STATUS.confirmed || hasLeft("confirm")) return "confirmed";
  return chainStatus === CHAIN_STATUS.pending || hasLeft("mint") ? "pending" : "planned";
}

// Rates -------------------------------------------------------------------------------------------------------------------

/** Of each currency; `acceptedBy`: who said that a doubtful one is right. */
type DayRates = { rates: ReadonlyMap<string, bigint>; acceptedBy: ReadonlyMap<string, string> };

async function readRates(
  queries: Queries,
  fx: FxRates,
  rows: readonly SaleRow[],
  reports: ReadonlyMap<bigint, SaleReport>,
): Promise<(at: bigint) => DayRates> {
  const { fixed, url } = fx;
  if (url === undefined) return () => ({ rates: fixed, acceptedBy: new Map() });
  const currencies = new Set(
    [...reports.values()].flatMap(({ currency, commissionCurrency }) => [currency, commissionCurrency ?? currency]),
  );
  currencies.delete("BRL");
  if (currencies.size === 0) return () => ({ rates: new Map(), acceptedBy: new Map() });
  const days = new Set(rows.map((row) => saoPauloDay(row.occurred_at ?? row.created_at)));
  // Of the day of a sale, whichever day it was published on; a doubtful one only if a person accepted it.
  const stored = await queries
    .selectFrom("fx_requests")
    .innerJoin("fx_rates", (join) =>
      join
        .onRef("fx_rates.currency", "=", "fx_requests.currency")
        .onRef("fx_rates.day", "=", "fx_requests.published_day"),
    )
    .select(["fx_requests.currency", "fx_requests.day"])
    .select(["fx_rates.rate_micros", "fx_rates.doubted_from", "fx_rates.accepted_by"])
    .where(amongTexts(queries, "fx_requests.currency", currencies))
    .where(amongTexts(queries, "fx_requests.day", days))
    .where((where) => where.or([where("doubted_from", "is", null), where("accepted_at", "is not", null)]))
    .execute();
  const ofDay = Map.groupBy(stored, ({ day }) => day);
  return (at) => {
    const some = ofDay.get(saoPauloDay(at)) ?? [];
    const isAccepted = ({ doubted_from }: (typeof some)[number]) => doubted_from !== null;
    return {
      rates: new Map(some.map((one) => [one.currency, one.rate_micros])),
      acceptedBy: new Map(
        some.filter(isAccepted).flatMap((one) => (one.accepted_by ? [[one.currency, one.accepted_by]] : [])),
      ),
    };
  };
}

// Other sales -------------------------------------------------------------------------------------------------------------

type Draft = {
  row: SaleRow;
  known: { report: SaleReport; kept: Kept };
  own: readonly PurchaseFacts[];
  buyer: ClickFacts | null;
  orderKey: string | null;
};
type OfOrder = OtherOfOrder & { merchant: string; isHeldTwice: boolean };

/** Sales of one order number at one store that are looked at: of each, so that none hides those of another. */
export const SAME_NUMBER = 100;

/**
 * Sales by the order numbers that these have now or had at their last decision, of any merchant, but those that are
 * declined: these as they are now, the others as they were decided last. What is decided about others at the same time was
 * waited for: neither would see the other.
 */
async function readSameOrder(
  queries: Queries,
  drafts: readonly Draft[],
): Promise<(key: string | null) => readonly OfOrder[]> {
  const keys = new Set(drafts.flatMap(({ orderKey, row }) => [orderKey ?? [], row.order_key ?? []].flat()));
  if (keys.size === 0) return () => [];
  // The condition of the index.
  const numbered = sql`select id, row_number() over (partition by order_key, store_id order by id) as place from sales
    where ${amongTexts(queries, "order_key", keys)} and click_id is not null and state <> 'declined'`;
  const select = queries
    .selectFrom("sales")
    .innerJoin("stores", "stores.id", "sales.store_id")
    .select(["sales.id", "sales.network", "sales.account", "sales.click_id", "sales.created_at", "state", "order_key"])
    .select(["sales.hold_reasons", "sales.kept"])
    .select(["stores.id as seller", "stores.merchant", "stores.store_url"])
    .where(sql<SqlBool>`sales.id in (select id from (${numbered}) as numbered where place <= ${sql.lit(SAME_NUMBER)})`)
    .orderBy("sales.id");
  const own = new Set(drafts.map(({ row }) => row.id));
  const rows = await select.execute();
  const stored = rows
    .filter(({ id }) => !own.has(id))
    .map((row) => ({
      ...ofOrder(row, row.click_id),
      merchant: merchantOf({ ...row, id: row.seller }),
      orderKey: row.order_key,
      had: readKept(row).order,
      keyBefore: row.order_key,
      purchases: [],
    }));
  const present = drafts.flatMap(({ row, known, own, buyer, orderKey }) => {
    if (!buyer || row.declined_by !== null || known.report.status === "declined") return [];
    const had = known.report.amountMicros === 0n ? null : known.kept.order;
    const { merchant } = buyer.store;
    return [
      { ...ofOrder(row, buyer.id), merchant, orderKey, had, keyBefore: keyBefore(row, orderKey), purchases: own },
    ];
  });
  const found = [...stored, ...present].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const byKey = Map.groupBy(found, ({ orderKey }) => orderKey);
  return (key) => (key === null ? [] : (byKey.get(key) ?? []));
}

/** What a database that is older than the chain does not know was paid for the order that the sale names. */
function keyBefore({ kept, order_key }: SaleRow, orderKey: string | null): string | null {
  return kept === "" ? orderKey : order_key;
}

function ofOrder(
  row: Pick<SaleRow, "id" | "network" | "account" | "created_at" | "state" | "hold_reasons">,
  clickId: bigint | null,
) {
  return {
    id: row.id,
    network: row.network,
    account: row.account,
    clickId,
    createdAt: row.created_at,
    isHeldTwice: row.state === "held" && row.hold_reasons.split(" ").includes("order_twice"),
  };
}

/**
 * The number of each sale among those of the day of its buyer, who may only now become it; only matters up to the daily
 * limit, so at most `COUNTED`. The day of one without a time is that on which we recorded it.
 */
async function readOrdinals(queries: Queries, drafts: readonly Draft[]): Promise<Map<bigint, bigint>> {
  const known = drafts.flatMap(({ row, buyer }) => {
    const at = row.occurred_at ?? row.created_at;
    return buyer ? [[row.id, buyer.wallet, at - (at % BIG_DAY_MS)] as const] : [];
  });
  if (known.length === 0) return new Map();
  const { list, column } = givenRows(queries, known);
  const [id, wallet, day] = [column(0), column(1), column(2)];
  // Each walks an index of its own.
  const earlierBy = (time: "occurred_at" | "created_at", isDated: RawBuilder<SqlBool>) => {
    const at = sql.ref(time);
    return sql`(select count(*) from (select id from sales where wallet = ${wallet} and ${isDated}
      and ${at} >= ${day} and ${at} < ${day} + ${BIG_DAY_MS} order by ${at} limit ${sql.lit(COUNTED)}) as of_day
      where of_day.id < ${id})`;
  };
  const dated = earlierBy("occurred_at", sql<SqlBool>`occurred_at is not null`);
  const undated = earlierBy("created_at", sql<SqlBool>`occurred_at is null`);
  const { rows } = await sql<{ id: bigint; earlier: bigint }>`select ${id} as id, ${dated} + ${undated} as earlier
    from ${list}`.execute(queries);
  return new Map(rows.map(({ id, earlier }) => [id, BigInt(earlier) + 1n]));
}

// What a sale keeps -------------------------------------------------------------------------------------------------------

const integer = z.string().transform(BigInt);
const keptSchema = z.object({
  rates: z.array(z.tuple([z.string(), integer])).transform((rates) => new Map(rates)),
  tracked: z.object({ brlMicros: integer, amountMicros: integer, currency: z.string() }).nullable(),
  tiers: z.array(z.object({ centBps: integer, weiPerCent: integer })),
  terms: termsSchema.nullable(),
  assignedOver: z.string().nullable(),
  moves: z.number(),
  // Null too in rows of versions that knew no such fact.
  order: z
    .string()
    .nullish()
    .transform((order) => order ?? null),
  liftsNone: z.boolean().default(false),
});

export function readKept({ kept }: Pick<SaleRow, "kept">): Kept {
  return kept === "" ? NOTHING_KEPT : keptSchema.parse(JSON.parse(kept));
}

export function encodeKept(kept: Kept): string {
  return jsonOf({ ...kept, rates: [...kept.rates] });
}

const letGoSchema = z.object({
  hold: z.object({ by: z.string(), at: integer, reason: z.string().nullable() }),
  clickId: integer,
  centBps: integer,
});

function readLetGo(text: string | null): LetGo | null {
  return text === null ? null : letGoSchema.parse(JSON.parse(text));
}

import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { among, givenRows } from "../database/among.ts";
import { COUNTED } from "../database/capped-count.ts";
import type { Schema } from "../database/generated/schema.ts";
import { touchUsers } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { BIG_DAY_MS } from "../rules/iso-time.ts";
import { CHAIN_STATUS } from "../rules/purchase/life.ts";
import { idsOf } from "../rules/records.ts";
import { buyerOf } from "../rules/sale/decide.ts";
import type {
  ClickFacts,
  DecidedBefore,
  OtherOfOrder,
  PurchaseFacts,
  SaleFacts,
  StoreFacts,
  TicketFacts,
  UnclaimedTicket,
} from "../rules/sale/facts.ts";
import { orderKeyOf } from "../rules/sale/order.ts";
import type { FxRates, SaleRules } from "../rules/sale/rules.ts";
import { networkOf, worthOf } from "../rules/sale/value.ts";
import { saoPauloDay } from "../rules/sao-paulo-time.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { readDebts } from "./debt.ts";
import { readSaleInvites } from "./invites.ts";
import { merchantOf, SAME_NUMBER } from "./locks.ts";
import { readPurchasesOfSales, type SalePurchase } from "./queries.ts";
import { readKept, readSale, readTerms, type SaleRow } from "./sale-row.ts";

/**
 * `before`: as it was decided last. `lives`: its purchases, for their next steps. `buyer`: whose it is; `unsentGwei`: what
 * their payouts that are not sent keep of what they owe. `adoptable`: the tickets of its buyer and store that the database
 * does not know: it was lost, restored or moved back. `acceptedBy`: who said that a doubtful rate is right, by currency.
 * `related`: sales that must be decided with it, because they have the same order, or are held for one that it had, or
 * carry what its buyer's invitation gave.
 */
export type LoadedSale = {
  row: SaleRow;
  facts: SaleFacts;
  before: Omit<DecidedBefore, "purchases">;
  lives: readonly SalePurchase[];
  buyer: WalletAddress | null;
  unsentGwei: bigint;
  storeName: string;
  orderKey: string | null;
  adoptable: readonly TicketFacts[];
  acceptedBy: ReadonlyMap<string, string>;
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
  const stored = new Map(rows.map((row) => [row.id, readSale(row)]));
  const clicks = await readClicks(queries, rows);
  const click = (row: SaleRow) => clicks.find((one) => one.id === row.click_id) ?? null;
  const named = (row: SaleRow) => clicks.find((one) => row.click_ref !== null && one.token === row.click_ref) ?? null;
  const wallets = rows.flatMap((row) => [click(row), named(row)].flatMap((one) => one?.wallet ?? []));
  await touchUsers(queries, new Set(wallets));
  const stateOf = new Map(rows.map((row) => [row.id, row.state]));
  const purchases = Map.groupBy(await readPurchasesOfSales(queries, ids, stateOf), ({ facts }) => facts.saleId);
  const tickets = await readTickets(queries, rows, rules);
  const rates = await readRates(queries, rules.fx, rows, [...stored.values()]);
  const drafts = rows.map((row) => {
    const lives = purchases.get(row.id) ?? [];
    const own = lives.map(({ facts }) => facts);
    const visits = { createdAt: row.created_at, click: click(row), named: named(row) };
    const ofDay = rates(row.occurred_at ?? row.created_at);
    const known = {
      ...(stored.get(row.id) ?? readSale(row)),
      ...visits,
      ...factsOfRow(row),
      rates: ofDay.rates,
      tickets: tickets.get(row.id) ?? [],
    };
    const whose = buyerOf({ ...known, purchases: own });
    const { acceptedBy } = ofDay;
    return { row, known, own, lives, whose, buyer: whose.click, acceptedBy, orderKey: orderKeyOf(row.order_ref) };
  });
  const invites = await readSaleInvites(queries, drafts);
  const sameOrder = await readSameOrder(queries, drafts, invites);
  const ordinals = await readOrdinals(queries, drafts);
  const fresh = drafts.flatMap(({ own, buyer }) => (own.length === 0 && buyer ? [buyer.wallet] : []));
  const unclaimed = await readUnclaimed(queries, new Set(fresh));
  const debts = await readDebts(queries, new Set(drafts.flatMap(({ buyer }) => buyer?.wallet ?? [])));
  return drafts.map(({ row, known, own, lives, whose, buyer, acceptedBy, orderKey }) => {
    const ofKey = (key: string | null) => sameOrder(key).filter((one) => one.id !== row.id);
    const others = ofKey(orderKey).filter((one) => one.merchant === buyer?.store.merchant);
    const held = [...ofKey(orderKey), ...ofKey(row.order_key)].filter((one) => one.isHeldTwice);
    const { gwei, unsentGwei } = debts.get(buyer?.wallet ?? "0x") ?? { gwei: 0n, unsentGwei: 0n };
    const facts = {
      ...known,
      invite: invites.get(row.id)?.invite ?? null,
      ordinalOfDay: ordinals.get(row.id) ?? 1n,
      sameOrder: others,
      orderKeyBefore: keyBefore(row, orderKey),
      purchases: own,
      unclaimed: own.length === 0 ? (unclaimed.get(buyer?.wallet ?? "0x") ?? []) : [],
      debtGwei: gwei + unsentGwei,
    };
    return {
      row,
      facts,
      lives,
      unsentGwei,
      orderKey,
      adoptable: whose.adoptable,
      acceptedBy,
      before: { state: row.state, wallet: row.wallet, cashbackCentBps: row.cashback_cent_bps },
      buyer: buyer?.wallet ?? null,
      storeName: buyer?.storeName ?? "",
      related: [...idsOf([...others, ...held]), ...(invites.get(row.id)?.linked ?? [])],
    };
  });
}

function factsOfRow({ id, network, account, approved_at: approvedAt, lost_cent_bps: lostCentBps, ...row }: SaleRow) {
  const declined = row.declined_by === null ? null : { reason: row.decline_reason };
  const dueAt = row.return_due_at < 0n ? null : row.return_due_at;
  return {
    id,
    network,
    account,
    approvedAt,
    lostCentBps,
    declined,
    knownReturn: { isKnown: row.state === "declined", dueAt },
  };
}

// Clicks and stores -------------------------------------------------------------------------------------------------------

async function readClicks(queries: Queries, rows: readonly SaleRow[]): Promise<(ClickFacts & { token: string })[]> {
  const ids = rows.flatMap((row) => row.click_id ?? []);
  const tokens = rows.flatMap((row) => row.click_ref ?? []);
  const clicks = await queries
    .selectFrom("clicks")
    .selectAll()
    .where(({ or }) => or([among(queries, "id", ids), among(queries, "token", tokens)]))
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
      isCancelled:
        Number(one.status) === CHAIN_STATUS.cancelled ||
        (Number(one.status) === CHAIN_STATUS.returned && one.amount_gwei === null),
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
    .where(among(queries, "nfts.owner", wallets))
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

// Rates -------------------------------------------------------------------------------------------------------------------

/** Of each currency; `acceptedBy`: who said that a doubtful one is right. */
type DayRates = { rates: ReadonlyMap<string, bigint>; acceptedBy: ReadonlyMap<string, string> };

async function readRates(
  queries: Queries,
  fx: FxRates,
  rows: readonly SaleRow[],
  known: readonly Pick<SaleFacts, "report">[],
): Promise<(at: bigint) => DayRates> {
  const { fixed, url } = fx;
  if (url === undefined) return () => ({ rates: fixed, acceptedBy: new Map() });
  const currencies = new Set(
    known.flatMap(({ report }) => [report.currency, report.commissionCurrency ?? report.currency]),
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
    .where(among(queries, "fx_requests.currency", currencies))
    .where(among(queries, "fx_requests.day", days))
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
  known: Pick<SaleFacts, "report" | "createdAt" | "click" | "kept" | "rates" | "declined">;
  own: readonly PurchaseFacts[];
  whose: ReturnType<typeof buyerOf>;
  buyer: ClickFacts | null;
  orderKey: string | null;
};
type OfOrder = OtherOfOrder & { merchant: string; isHeldTwice: boolean };

/**
 * Sales by the order numbers that these have now or had at their last decision, of any merchant, but those that are
 * declined: these as they are now, the others as they were decided last. What is decided about others at the same time was
 * waited for: neither would see the other.
 */
async function readSameOrder(
  queries: Queries,
  drafts: readonly Draft[],
  invites: Awaited<ReturnType<typeof readSaleInvites>>,
): Promise<(key: string | null) => readonly OfOrder[]> {
  const keys = new Set(drafts.flatMap(({ orderKey, row }) => [orderKey ?? [], row.order_key ?? []].flat()));
  if (keys.size === 0) return () => [];
  // The condition of the index.
  const numbered = sql`select id, row_number() over (partition by order_key, store_id order by id) as place from sales
    where ${among(queries, "order_key", keys)} and click_id is not null and state <> 'declined'`;
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
      isEntitled: undefined,
    }));
  const present = drafts.flatMap(({ row, known, own, whose, buyer, orderKey }) => {
    if (!buyer || row.declined_by !== null || known.report.status === "declined") return [];
    const { isEntitled } = worthOf({ ...known, invite: invites.get(row.id)?.invite ?? null }, whose);
    const { merchant } = buyer.store;
    const [had, before] = [known.kept.order, keyBefore(row, orderKey)];
    return [{ ...ofOrder(row, buyer.id), merchant, orderKey, had, keyBefore: before, purchases: own, isEntitled }];
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
    return buyer ? [{ id: row.id, wallet: buyer.wallet, day: at - (at % BIG_DAY_MS) }] : [];
  });
  if (known.length === 0) return new Map();
  const {
    list,
    column: { id, wallet, day },
  } = givenRows(queries, known);
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

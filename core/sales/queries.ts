import { type SqlBool, sql } from "kysely";
import { type ListPage, readPage } from "../database/lists/page.ts";
import {
  byId,
  byWallet,
  type Match,
  ofKeys,
  startsWith,
  startsWithTest,
  walletPrefixOf,
} from "../database/lists/search.ts";
import type { ListSource, PageQuery, SortColumn } from "../database/lists/source.ts";
import { listNewest, type NewestPage } from "../database/newest-page.ts";
import type { Queries } from "../database/transaction.ts";
import { reaisText } from "../rules/money.ts";
import type { AccountKey } from "../rules/sale/rules.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

export async function listSales(
  queries: Queries,
  { network, ...page }: PageQuery & { network?: string | undefined },
): Promise<ListPage<SaleRow>> {
  return readPage(queries, network ? ofNetwork(network) : SALES, page, readSales, (row) => row.id);
}

async function readSales(queries: Queries, ids: readonly bigint[]): Promise<SaleRow[]> {
  return selectSales(queries).where("sales.id", "in", ids).execute();
}

const BY_ID: SortColumn = { column: "id", type: "number", followsState: true, stateIndex: "sales_state" };
const BY_AMOUNT: SortColumn = { column: "amount_micros", type: "number", index: "sales_amount" };

const SALES: ListSource = {
  table: "sales",
  key: "id",
  keyType: "number",
  sorts: {
    id: BY_ID,
    amount: BY_AMOUNT,
  },
  stretches: (state) => [[{ column: sql.ref("sales.state"), value: state }]],
  stateTest: (state) => sql<SqlBool>`(sales.state || '') = ${state}`,
  matches(term, queries) {
    const wallet = walletPrefixOf(term);
    if (wallet !== undefined) return [byWallet("sales", wallet)];
    const token = term.toLowerCase();
    return [
      ...byId("sales", term),
      byOrder(queries, "sales", term),
      ofKeys("sales", sql`select sales.id as key from sales where sales.sale_key = ${term}`),
      ofKeys(
        "sales",
        sql`select sales.id as key from clicks cross join sales where sales.click_id = clicks.id and clicks.token = ${token}`,
      ),
    ];
  },
};

function ofNetwork(network: string): ListSource {
  const sorts = {
    id: { ...BY_ID, index: "sales_network_id", stateIndex: "sales_network" },
    amount: { ...BY_AMOUNT, index: "sales_network_amount" },
  };
  return {
    ...SALES,
    sorts,
    only: sql<SqlBool>`sales.network = ${network}`,
    stretches: (state) => [
      [
        { column: sql.ref("sales.network"), value: network },
        { column: sql.ref("sales.state"), value: state },
      ],
    ],
  };
}

function byOrder(queries: Queries, table: string, prefix: string): Match {
  const column = `${table}.order_ref`;
  return {
    keys: sql`select id as key from ${sql.table(table)} where ${startsWith(queries, column, prefix)}`,
    test: startsWithTest(queries, column, prefix),
  };
}

function selectSales(queries: Queries) {
  return queries
    .selectFrom("sales")
    .leftJoin("clicks", "clicks.id", "sales.click_id")
    .selectAll("sales")
    .select("clicks.token as click_token");
}

export type SaleRow = NonNullable<Awaited<ReturnType<typeof findSale>>>;

export async function findSale(queries: Queries, id: bigint) {
  return selectSales(queries).where("sales.id", "=", id).executeTakeFirst();
}

const REVISIONS = 200;

/** The id of a sale's last applied revision; undefined if there is none. */
export async function findRevision(queries: Queries, saleId: bigint): Promise<bigint | undefined> {
  const last = await queries
    .selectFrom("sale_revisions")
    .select("id")
    .where("sale_id", "=", saleId)
    .where("is_applied", "=", 1n)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return last?.id;
}

/** A sale's revisions, newest first, at most 200. */
export async function listRevisions(queries: Queries, saleId: bigint) {
  return queries
    .selectFrom("sale_revisions")
    .selectAll()
    .where("sale_id", "=", saleId)
    .orderBy("id", "desc")
    .limit(REVISIONS)
    .execute();
}

function selectClaims(queries: Queries) {
  return queries
    .selectFrom("claims")
    .innerJoin("clicks", "clicks.id", "claims.click_id")
    .innerJoin("stores", "stores.id", "claims.store_id")
    .selectAll("claims")
    .leftJoin("claim_pictures", "claim_pictures.claim_id", "claims.id")
    .select(["clicks.token as click_token", "stores.name as store_name", "claim_pictures.type as picture_type"]);
}

export type ClaimRow = Awaited<ReturnType<typeof listClaims>>[number];

export async function listClaims(queries: Queries, wallet: WalletAddress, page: NewestPage) {
  return listNewest(selectClaims(queries).where("claims.wallet", "=", wallet), "claims.id", page);
}

export async function findClaim(queries: Queries, id: bigint): Promise<ClaimRow | undefined> {
  return selectClaims(queries).where("claims.id", "=", id).executeTakeFirst();
}

export async function listAllClaims(queries: Queries, page: PageQuery): Promise<ListPage<ClaimRow>> {
  return readPage(queries, CLAIMS, page, readClaims, (row) => row.id);
}

async function readClaims(queries: Queries, ids: readonly bigint[]): Promise<ClaimRow[]> {
  return selectClaims(queries).where("claims.id", "in", ids).execute();
}

const CLAIMS: ListSource = {
  table: "claims",
  key: "id",
  keyType: "number",
  sorts: {
    id: { ...BY_ID, stateIndex: "claims_state" },
    amount: { column: "amount_cents", type: "number", index: "claims_amount" },
  },
  stretches: (state) => [[{ column: sql.ref("claims.state"), value: state }]],
  stateTest: (state) => sql<SqlBool>`(claims.state || '') = ${state}`,
  matches(term, queries) {
    const wallet = walletPrefixOf(term);
    if (wallet !== undefined) return [byWallet("claims", wallet)];
    return [...byId("claims", term), byOrder(queries, "claims", term)];
  },
};

/** What stores reported for a click. The sums are of the sales that are not declined. */
export type Reported = {
  sales: number;
  declined: number;
  /** Null if there is none, or one has no rate. */
  amountCents: bigint | null;
  cashbackCentBps: bigint;
};

/** What stores reported for each click that has a sale. */
export async function sumReported(queries: Queries, clickIds: readonly bigint[]): Promise<Map<bigint, Reported>> {
  if (clickIds.length === 0) return new Map();
  const rows = await queries
    .selectFrom("sales")
    .select(["click_id", "state"])
    .select(({ fn }) => [
      fn.countAll<bigint>().as("n"),
      fn.count<bigint>("amount_cents").as("known"),
      fn.sum<bigint | string | null>("amount_cents").as("cents"),
      fn.sum<bigint | string>("cashback_cent_bps").as("cashback"),
    ])
    .where("click_id", "in", clickIds)
    .groupBy(["click_id", "state"])
    .execute();
  const byClick = Map.groupBy(rows, (row) => row.click_id);
  return new Map([...byClick].flatMap(([id, ofClick]) => (id === null ? [] : [[id, addUp(ofClick)] as const])));
}

type OfState = { state: string; n: bigint; known: bigint; cents: bigint | string | null; cashback: bigint | string };

function addUp(states: readonly OfState[]): Reported {
  const count = (rows: readonly OfState[]) => rows.reduce((sum, { n }) => sum + Number(n), 0);
  const valid = states.filter(({ state }) => state !== "declined");
  const isKnown = valid.length > 0 && valid.every(({ n, known }) => Number(n) === Number(known));
  return {
    sales: count(states),
    declined: count(states) - count(valid),
    amountCents: isKnown ? valid.reduce((sum, { cents }) => sum + BigInt(cents ?? 0), 0n) : null,
    cashbackCentBps: valid.reduce((sum, { cashback }) => sum + BigInt(cashback), 0n),
  };
}

/** Sales whose currency had no rate; they are decided once there is one. */
export async function listWithoutRate(queries: Queries, key: AccountKey, limit: number, after = 0n) {
  return queries
    .selectFrom("sales")
    .selectAll()
    .where("network", "=", key.network)
    .where("account", "=", key.account)
    .where(sql<boolean>`state in ('held', 'unmatched')`)
    .where("amount_cents", "is", null)
    .where("revision_id", "is not", null)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Whether a wallet has a sale in a currency that is neither paid nor declined. */
export async function hasOpenSale(queries: Queries, wallet: WalletAddress, currency: string): Promise<boolean> {
  const sale = await queries
    .selectFrom("sales")
    .select("id")
    .where("wallet", "=", wallet)
    // Its commission may have another currency, which the report names; in the fixed form of `encodeReport`.
    .where(({ or, eb }) =>
      or([eb("currency", "=", currency), eb("report", "like", `%"commissionCurrency":${JSON.stringify(currency)}%`)]),
    )
    .where("state", "not in", ["declined", "settled"])
    .limit(1)
    .executeTakeFirst();
  return sale !== undefined;
}

/** A sale as fields of a log line: the network's status, our state, and its purchases. No buyer, no click. */
export async function saleFields(queries: Queries, saleId: bigint): Promise<Record<string, unknown>> {
  const sale = await queries.selectFrom("sales").selectAll().where("id", "=", saleId).executeTakeFirstOrThrow();
  const purchases = await queries.selectFrom("purchases").select("id").where("sale_id", "=", saleId).execute();
  const { network, account, status, state, reason } = sale;
  return {
    sale: Number(saleId),
    network,
    account,
    key: sale.sale_key,
    status,
    state,
    ...(reason ? { reason } : {}),
    ...(sale.amount_cents === null ? {} : { reais: reaisText(sale.amount_cents) }),
    purchases: purchases.map(({ id }) => Number(id)),
  };
}

import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { among } from "../database/among.ts";
import { databaseNow, engineOf } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import { listNewest, type NewestPage } from "../database/newest-page.ts";
import type { OperationKind, OperationStatus } from "../database/operations.ts";
import type { Queries } from "../database/transaction.ts";
import type { AccountWait } from "../rules/account/payout-gate.ts";
import {
  COUNTED_STATUS,
  isMove,
  MOVES,
  type PurchaseLife,
  type PurchaseStatus,
  purchaseStatusFromChain,
} from "../rules/purchase/life.ts";
import { idsOf, keysOf } from "../rules/records.ts";
import type { SaleState } from "../rules/sale/facts.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/** Literally as in the conditions of indexes: no parameter. */
export const CONFIRMED = sql.lit(COUNTED_STATUS.confirmed);

/** A purchase with its ticket and payout. */
export type Purchase = Awaited<ReturnType<typeof listPurchases>>[number];

/**
 * Purchases with their indexed tickets and payouts. A token belongs to a purchase by its id and its owner: one
 * with another owner was minted from an earlier database, and is not a purchase here.
 */
export function purchasesWithIndex(queries: Queries) {
  return joinIndex(queries, sql<SqlBool>`true`, sql<SqlBool>`true`);
}

/** The same for some purchases, by id. */
export function somePurchasesWithIndex(queries: Queries, ids: readonly bigint[]) {
  // PostgreSQL would scan all tokens and payouts rather than look up a thousand ids one by one, so they are looked up
  // in one step.
  const amongIds = (column: string) =>
    engineOf(queries) === "postgres" ? among(queries, column, ids) : sql<SqlBool>`true`;
  return joinIndex(queries, amongIds("nfts.token_id"), amongIds("payouts.token_id")).where(
    among(queries, "purchases.id", ids),
  );
}

function joinIndex(queries: Queries, tokens: RawBuilder<SqlBool>, payouts: RawBuilder<SqlBool>) {
  return queries
    .selectFrom("purchases")
    .leftJoin("nfts", (join) =>
      join.onRef("nfts.token_id", "=", "purchases.id").onRef("nfts.owner", "=", "purchases.wallet").on(tokens),
    )
    .leftJoin("payouts", (join) =>
      join
        .onRef("payouts.token_id", "=", "purchases.id")
        .onRef("payouts.recipient", "=", "purchases.wallet")
        .on(payouts),
    );
}

/** The columns from which the state of a purchase and its payout are derived. */
function selectLife(from: ReturnType<typeof purchasesWithIndex>) {
  return from.select([
    "purchases.id",
    "purchases.wallet",
    "purchases.source",
    "purchases.wei_per_cent",
    "purchases.payable_at",
    "purchases.offset_gwei",
    "purchases.sale_id",
    "purchases.cashback_cent_bps",
    "purchases.approved_at",
    "purchases.reversed_at",
    "purchases.settled_at",
    "purchases.held_at",
    approvalState().as("approval_state"),
    accountWait().as("account_wait"),
    "nfts.status as chain_status",
    "nfts.status_block",
    "payouts.state as payout_state",
    "payouts.amount_gwei as paid_gwei",
    "payouts.block_number as payout_block",
  ]);
}

/** The state of the request that its payout waits for; null if it waits for none. */
export const approvalState = () =>
  sql<
    Selectable<Schema["approvals"]>["state"] | null
  >`(select approvals.state from approvals where approvals.id = purchases.approval_id)`;

/** What an unpaid purchase waits for of its account; null if for nothing. */
export const accountWait = () =>
  sql<AccountWait | null>`(case when purchases.sale_id is not null and purchases.counted_status >= ${CONFIRMED} then
    (select account_waits.reason from account_waits where account_waits.purchase_id = purchases.id) end)`;
/** The last request about it that a second person refused, and that nobody has decided again since. */
export const refusedRequest = () =>
  sql<bigint | null>`(select max(refused.id) from approvals refused
    where refused.purchase_id = purchases.id and refused.state = 'refused')`;

const saleState = () => sql<SaleState | null>`(select sales.state from sales where sales.id = purchases.sale_id)`;

type PayOperation = Selectable<Schema["operations"]>;

/** Of a payout that may stand: its operation, and how often its next step could not be decided. */
function selectPayout() {
  const ofUnpaid = <T>(from: RawBuilder<unknown>) =>
    sql<T | null>`(case when purchases.counted_status = ${CONFIRMED} and purchases.settled_at is null then (${from}) end)`;
  const operation = (column: string) =>
    sql`select ${sql.ref(column)} from operations where operations.kind = 'pay' and operations.subject_id = purchases.id`;
  return [
    ofUnpaid<PayOperation["status"]>(operation("operations.status")).as("pay_status"),
    ofUnpaid<bigint>(operation("operations.since")).as("pay_since"),
    ofUnpaid<bigint>(sql`select attempts from due_purchases where due_purchases.purchase_id = purchases.id`).as(
      "undecided",
    ),
  ] as const;
}

/** The same, with every column that a purchase record shows. */
export function selectPurchases(queries: Queries) {
  return selectLife(purchasesWithIndex(queries)).select([
    saleState().as("sale_state"),
    ...selectPayout(),
    "purchases.store_id",
    storeNameNow("purchases").as("store_name"),
    "purchases.amount_cents",
    "purchases.cashback_bps",
    "purchases.bonus_bps",
    "purchases.bonus_read",
    "purchases.token_slug",
    "purchases.metadata_uri",
    "purchases.click_id",
    "purchases.created_at",
    "nfts.mint_transaction",
    "nfts.minted_at",
    "nfts.status_transaction",
    "nfts.status_at",
    "payouts.transaction_hash as payout_transaction",
    "payouts.paid_at",
  ]);
}

/** A wallet's purchases, newest first. */
export async function listPurchases(
  queries: Queries,
  wallet: WalletAddress,
  { source, ...page }: NewestPage & { source?: "simulated" | "live" | undefined },
) {
  const own = selectPurchases(queries).where("purchases.wallet", "=", wallet);
  return listNewest(source ? own.where("purchases.source", "=", source) : own, "purchases.id", page);
}

/** A wallet's tickets, newest first, with the store's current name, which the contract draws. */
export async function listTickets(queries: Queries, wallet: WalletAddress, page: NewestPage) {
  const query = queries
    .selectFrom("nfts")
    .leftJoin("stores", "stores.id", "nfts.store_id")
    .leftJoin("payouts", "payouts.token_id", "nfts.token_id")
    .selectAll("nfts")
    .select(["stores.name as store_name", "payouts.transaction_hash as payout_transaction"])
    .where("nfts.owner", "=", wallet);
  return listNewest(query, "nfts.token_id", page);
}

/** A wallet's tickets with what was paid for each, newest first. */
export async function listPaidTickets(queries: Queries, wallet: WalletAddress, page: NewestPage) {
  const query = queries
    .selectFrom("nfts")
    .leftJoin("payouts", "payouts.token_id", "nfts.token_id")
    .select(["nfts.token_id", "payouts.transaction_hash", "payouts.amount_gwei"])
    .where("nfts.owner", "=", wallet);
  return listNewest(query, "nfts.token_id", page);
}

/** The sales of some purchases. */
export async function salesOf(queries: Queries, ids: readonly bigint[]): Promise<Set<bigint>> {
  if (ids.length === 0) return new Set();
  const rows = await queries
    .selectFrom("purchases")
    .select("sale_id")
    .where(among(queries, "id", ids))
    .execute();
  return new Set(rows.flatMap((row) => row.sale_id ?? []));
}

export async function findPurchase(queries: Queries, id: bigint): Promise<Purchase | undefined> {
  return selectPurchases(queries).where("purchases.id", "=", id).executeTakeFirst();
}

/** Locks purchases until the end of the transaction, in order: waits for concurrent changes, which the next query sees. */
export async function lockPurchases(queries: Queries, ids: readonly bigint[]): Promise<void> {
  // SQLite has one writer at a time.
  if (engineOf(queries) === "sqlite") return;
  await queries
    .selectFrom("purchases")
    .select("id")
    .where(among(queries, "id", ids))
    .orderBy("id")
    .forUpdate()
    .execute();
}

/** The columns that record how a purchase was counted; only `counting.ts` interprets them. */
const COUNTED_COLUMNS = [
  ...(["purchases.counted_status", "purchases.counted_gwei", "purchases.counted_cent_bps"] as const),
  ...(["purchases.counted_paid_gwei", "purchases.counted_open", "purchases.situation"] as const),
] as const;

/** The columns of a purchase, its ticket and its payout that determine its state. */
export type LifeRow = Awaited<ReturnType<ReturnType<typeof selectLife>["execute"]>>[number];
/** A purchase and its state, from which its next move is derived. */
export type PurchaseWithLife = { row: LifeRow; life: PurchaseLife };

/** A purchase with everything from which it is counted, and how it was counted. */
export type CountedRow = Awaited<ReturnType<typeof readCountedRows>>[number];

export type CountedLife = { row: CountedRow; life: PurchaseLife };

/** Oldest first. */
export async function readCountedRows(queries: Queries, ids: readonly bigint[]) {
  if (ids.length === 0) return [];
  return selectLife(somePurchasesWithIndex(queries, ids))
    .select([...COUNTED_COLUMNS, saleState().as("sale_state"), databaseNow(queries).as("now")])
    .orderBy("purchases.id")
    .execute();
}

/** Some purchases with their states and how they were counted, oldest first. */
export async function readLives(queries: Queries, ids: readonly bigint[]): Promise<CountedLife[]> {
  return withLife(queries, await readCountedRows(queries, ids));
}

/** Confirmed, neither settled nor returned: literally the condition of the index, with no parameter. */
export const IS_UNSETTLED = sql<SqlBool>`purchases.counted_status = ${CONFIRMED} and purchases.settled_at is null
  and purchases.reversed_at is null`;

/** A page of a wallet's confirmed purchases that were neither paid nor returned, oldest first. */
export async function listUnpaid(
  queries: Queries,
  wallet: WalletAddress,
  { after, limit }: { after: bigint; limit: number },
): Promise<PurchaseWithLife[]> {
  // Only the conditions of the index; they imply those above.
  const { rows } = await sql<{ id: bigint }>`select id from purchases where wallet = ${wallet} and id > ${after}
    and ${IS_UNSETTLED} order by id limit ${limit}`.execute(queries);
  return readLives(queries, idsOf(rows));
}

async function withLife<Row extends LifeRow>(
  queries: Queries,
  rows: readonly Row[],
): Promise<{ row: Row; life: PurchaseLife }[]> {
  const operations: Awaited<ReturnType<typeof listMoving>>[] = [];
  for (const [status, some] of Map.groupBy(rows, (row) => purchaseStatusFromChain(row.chain_status ?? undefined)))
    operations.push(await listMoving(queries, status, some));
  const byPurchase = Map.groupBy(operations.flat(), (operation) => operation.subject_id);
  return rows.map((row) => ({ row, life: lifeOf(row, byPurchase.get(row.id) ?? []) }));
}

/** The operations that move purchases away from a status; all others are finished, or cannot be queued yet. */
async function listMoving(queries: Queries, status: PurchaseStatus, rows: readonly LifeRow[]) {
  const moves = keysOf(MOVES).filter((move) => MOVES[move].from === status);
  if (moves.length === 0) return [];
  return queries
    .selectFrom("operations")
    .select(["subject_id", "kind", "status"])
    .where(among(queries, "subject_id", idsOf(rows)))
    .where("kind", "in", moves)
    .where("status", "!=", "withdrawn")
    .execute();
}

/** The state of a purchase, from its row, ticket, payout and operations. */
export function lifeOf(
  row: LifeRow,
  operations: readonly { kind: OperationKind; status: OperationStatus }[] = [],
): PurchaseLife {
  const kinds = (some: typeof operations) => new Set(some.map(({ kind }) => kind).filter(isMove));
  return {
    status: purchaseStatusFromChain(row.chain_status ?? undefined),
    source: row.source,
    isApproved: row.approved_at !== null,
    isReturned: row.reversed_at !== null,
    isHeld: row.held_at !== null,
    accountWait: row.account_wait,
    secondPerson: row.approval_state === null ? null : row.approval_state === "refused" ? "refused" : "asked",
    isSettled: row.settled_at !== null,
    isPaid: row.payout_state !== null,
    isRateFrozen: row.wei_per_cent !== null,
    payableAt: row.payable_at,
    statusBlock: row.status_block,
    payoutBlock: row.payout_block,
    queued: kinds(operations),
    sent: kinds(operations.filter(({ status }) => status === "assigned")),
  };
}

/** What the store of a row is called now, as its tickets say; what the row has frozen if the store is gone. */
export function storeNameNow(table: "purchases" | "clicks"): RawBuilder<string> {
  const row = sql.table(table);
  return sql`coalesce((select stores.name from stores where stores.id = ${row}.store_id), ${row}.store_name)`;
}

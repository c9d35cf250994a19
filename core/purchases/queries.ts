import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { among } from "../database/among.ts";
import { databaseNow, engineOf } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import { listNewest, type NewestPage } from "../database/newest-page.ts";
import type { OperationKind } from "../database/operations.ts";
import type { Queries } from "../database/transaction.ts";
import type { AccountWait } from "../rules/account/payout-gate.ts";
import {
  CHAIN_STATUS,
  COUNTED_STATUS,
  isMove,
  lifeOf,
  MOVE_NAMES,
  MOVES,
  type PurchaseLife,
  type PurchaseStatus,
} from "../rules/purchase/life.ts";
import { idsOf } from "../rules/records.ts";
import type { PurchaseFacts, SaleState } from "../rules/sale/facts.ts";
import type { SalePurchaseStage } from "../rules/sale/plan.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { lockOperations } from "../sender/queue.ts";

/** Literally as in the conditions of indexes: no parameter. */
export const CONFIRMED = sql.lit(COUNTED_STATUS.confirmed);

/** A purchase with its ticket and payout. */
export type Purchase = Awaited<ReturnType<typeof listPurchases>>[number];

/** Some purchases with their indexed tickets and payouts, by id. */
function somePurchasesWithIndex(queries: Queries, ids: readonly bigint[]) {
  // PostgreSQL would scan all tokens and payouts rather than look up a thousand ids one by one, so they are looked up
  // in one step.
  const amongIds = (column: string) =>
    engineOf(queries) === "postgres" ? among(queries, column, ids) : sql<SqlBool>`true`;
  return joinIndex(queries, amongIds("nfts.token_id"), amongIds("payouts.token_id")).where(
    among(queries, "purchases.id", ids),
  );
}

/**
 * Purchases with their indexed tickets and payouts. A token belongs to a purchase by its id and its owner: one
 * with another owner was minted from an earlier database, and is not a purchase here.
 */
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
function selectLife(from: ReturnType<typeof joinIndex>) {
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
const accountWait = () =>
  sql<AccountWait | null>`(case when purchases.sale_id is not null and purchases.counted_status >= ${CONFIRMED} then
    (select account_waits.reason from account_waits where account_waits.purchase_id = purchases.id) end)`;
/** The last request about it that a second person refused, and that nobody has decided again since. */
const refusedRequest = () =>
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
  return selectLife(joinIndex(queries, sql<SqlBool>`true`, sql<SqlBool>`true`)).select([
    saleState().as("sale_state"),
    ...selectPayout(),
    "purchases.store_id",
    storeNameNow("purchases").as("store_name"),
    sql<string | null>`(select stores.club_slug from stores where stores.id = purchases.store_id)`.as("store_club"),
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
    .select([
      "stores.name as store_name",
      "stores.club_slug as store_club",
      "payouts.transaction_hash as payout_transaction",
    ])
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

/** The columns that record how a purchase was counted; only `purchase-rows.ts` interprets them. */
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
  for (const [status, some] of Map.groupBy(rows, (row) => lifeOf(row).status))
    operations.push(await listMoving(queries, status, some));
  const byPurchase = Map.groupBy(operations.flat(), (operation) => operation.subject_id);
  return rows.map((row) => ({ row, life: lifeOf(row, byPurchase.get(row.id) ?? []) }));
}

/** The operations that move purchases away from a status; all others are finished, or cannot be queued yet. */
async function listMoving(queries: Queries, status: PurchaseStatus, rows: readonly LifeRow[]) {
  const moves = MOVE_NAMES.filter((move) => MOVES[move].from === status);
  if (moves.length === 0) return [];
  return queries
    .selectFrom("operations")
    .select(["subject_id", "kind", "status"])
    .where(among(queries, "subject_id", idsOf(rows)))
    .where("kind", "in", moves)
    .where("status", "!=", "withdrawn")
    .execute();
}

/** What the store of a row is called now, as its tickets say; what the row has frozen if the store is gone. */
export function storeNameNow(table: "purchases" | "clicks"): RawBuilder<string> {
  const row = sql.table(table);
  return sql`coalesce((select stores.name from stores where stores.id = ${row}.store_id), ${row}.store_name)`;
}

// The purchases of sales ---------------------------------------------------------------------------------------------------

/** The purchases of a sale with their stages, oldest first; in a transaction. */
export async function readSalePurchases(queries: Queries, saleId: bigint): Promise<PurchaseFacts[]> {
  return (await readPurchasesOfSales(queries, [saleId], new Map())).map(({ facts }) => facts);
}

/** `returned`: the sum of its adjustments, which is its debt. */
export type SalePurchase = CountedLife & {
  facts: PurchaseFacts & { saleId: bigint };
  returned: { centBps: bigint; gwei: bigint };
};

/**
 * The purchases of sales, oldest first, with all that decides about them and their next steps. Locks their operations
 * until the transaction ends, so that none is sent while its purchase is being decided.
 */
export async function readPurchasesOfSales(
  queries: Queries,
  saleIds: readonly bigint[],
  stateOf: ReadonlyMap<bigint, SaleState>,
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
  const operations = Map.groupBy(await lockOperations(queries, ids, MOVE_NAMES), (one) => one.subject_id);
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
    const { centBps, gwei } = returned.get(row.id) ?? { centBps: 0n, gwei: 0n };
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
      returnedCentBps: centBps,
      wallet: row.wallet,
      storeId: row.store_id,
      createdAt: row.created_at,
      approvedAt: row.approved_at,
      payableAt: row.payable_at,
      isSettled: row.settled_at !== null,
      isTicketConfirmed: Number(token?.status ?? 0) === CHAIN_STATUS.confirmed,
      isReturnFinal: Number(token?.status ?? 0) === CHAIN_STATUS.returned || left.has("return"),
      offsetGwei: row.offset_gwei,
      queued: kinds(wanted),
      heldByStaff: row.held_at === null ? null : { by: row.held_by ?? "", at: row.held_at, reason: row.held_reason },
      refusedRequest: row.refused_request,
      payment: payout ? { gwei: payout.amount_gwei, weiPerCent: payout.wei_per_cent } : null,
      unsent: kinds(wanted.filter(({ status }) => !["assigned", "done"].includes(status))),
    };
    return { row: counted, life: lifeOf(counted, wanted), facts, returned: { centBps, gwei } };
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

/** The debt for each purchase: the sum of its adjustments. */
async function readReturned(queries: Queries, ids: readonly bigint[]): Promise<Map<bigint, SalePurchase["returned"]>> {
  const rows = await queries
    .selectFrom("adjustments")
    .select(["purchase_id", "cent_bps", "amount_gwei"])
    .where(among(queries, "purchase_id", ids))
    .execute();
  const sums = new Map<bigint, SalePurchase["returned"]>();
  for (const { purchase_id, cent_bps, amount_gwei } of rows) {
    const { centBps, gwei } = sums.get(purchase_id) ?? { centBps: 0n, gwei: 0n };
    sums.set(purchase_id, { centBps: centBps + cent_bps, gwei: gwei + amount_gwei });
  }
  return sums;
}

type Signs = { chainStatus: number; isPaid: boolean; hasLeft: (kind: OperationKind) => boolean };

function stageOf(row: Selectable<Schema["purchases"]>, { chainStatus, isPaid, hasLeft }: Signs): SalePurchaseStage {
  const isWhollyKept = row.settled_at !== null && row.offset_gwei > 0n;
  const wasConfirmed = chainStatus === CHAIN_STATUS.confirmed || chainStatus === CHAIN_STATUS.returned;
  if (isPaid || hasLeft("pay") || (wasConfirmed && isWhollyKept)) return "paid";
  if (chainStatus >= CHAIN_STATUS.cancelled || hasLeft("cancel") || hasLeft("return")) return "cancelled";
  if (chainStatus === CHAIN_STATUS.confirmed || hasLeft("confirm")) return "confirmed";
  return chainStatus === CHAIN_STATUS.pending || hasLeft("mint") ? "pending" : "planned";
}

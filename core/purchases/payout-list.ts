import { type SqlBool, sql } from "kysely";
import { engineOf } from "../database/clock.ts";
import { type ListPage, readPage } from "../database/lists/page.ts";
import { hashOf, idOf, type Match, walletPrefixOf, walletStartsWith, walletTest } from "../database/lists/search.ts";
import type { ListSource, PageQuery, SortColumn } from "../database/lists/source.ts";
import { OPERATION_KINDS, type OperationKind } from "../database/operations.ts";
import type { Queries } from "../database/transaction.ts";
import { type Operation, operationsIn } from "../sender/queue.ts";

export type PayoutRow = Awaited<ReturnType<typeof readPayouts>>[number];

/** Matching payouts in the queue, with their purchases. */
export async function listPayouts(queries: Queries, page: PageQuery): Promise<ListPage<PayoutRow>> {
  return readPage(queries, PAYOUTS, page, readPayouts, (row) => row.id);
}

/** Matching operations of any kind; without a state, those that wait or failed. */
export async function listOperationPage(queries: Queries, page: PageQuery): Promise<ListPage<Operation>> {
  const source = page.state ? OPERATIONS : STUCK_OPERATIONS;
  return readPage(queries, source, { ...page, state: page.state || "stuck" }, readOperations, (row) => row.id);
}

async function readOperations(queries: Queries, ids: readonly bigint[]): Promise<Operation[]> {
  return queries.selectFrom("operations").selectAll().where("id", "in", ids).execute();
}

const PURCHASE_KINDS = ["mint", "confirm", "cancel", "return", "pay"] as const;

/** The index begins with status and kind, so each list is a few stretches of it. */
const STATUSES = ["queued", "assigned", "waiting", "done", "failed", "withdrawn"] as const;
const BY_ID: SortColumn = { column: "id", type: "number", followsState: true, stateIndex: "operations_listed" };

const OPERATIONS: ListSource = {
  table: "operations",
  key: "id",
  keyType: "number",
  sorts: { id: BY_ID },
  stretches: (status) => OPERATION_KINDS.map((kind) => operationsIn(status, kind)),
  stateTest: (state) => sql<SqlBool>`(operations.status || '') = ${state}`,
  matches: (term, queries) => matchesOf(queries, term, OPERATION_KINDS),
};

const STUCK_OPERATIONS: ListSource = {
  ...OPERATIONS,
  stretches: () => OPERATION_KINDS.flatMap((kind) => [operationsIn("waiting", kind), operationsIn("failed", kind)]),
  stateTest: () => sql<SqlBool>`(operations.status || '') in ('waiting', 'failed')`,
};

const PAYOUTS: ListSource = {
  ...OPERATIONS,
  sorts: {
    id: {
      ...BY_ID,
      parts: STATUSES.map((status) => ({
        index: "operations_listed",
        where: sql<SqlBool>`operations.status = ${sql.lit(status)}`,
        has: (state) => state === status,
      })),
    },
    // Two indexes: new entries land anywhere in an index by amount, so in one large index each would dirty its own
    // page.
    amount: {
      column: "amount_gwei",
      type: "number",
      parts: [
        {
          index: "operations_pay_amount_done",
          where: sql<SqlBool>`operations.status = 'done'`,
          has: (state) => state === "done",
        },
        {
          index: "operations_pay_amount_open",
          where: sql<SqlBool>`operations.status <> 'done'`,
          has: (state) => state !== "done",
        },
      ],
    },
  },
  only: sql<SqlBool>`operations.kind = 'pay'`,
  stretches: (status) => [operationsIn(status, "pay")],
  matches: (term, queries) => matchesOf(queries, term, ["pay"]),
};

/** Matches by hash, by wallet, or by number: the purchase's or the store's. */
function matchesOf(queries: Queries, term: string, kinds: readonly OperationKind[]): Match[] {
  const isOfKinds = sql<SqlBool>`operations.kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))})`;
  const hash = hashOf(term);
  if (hash !== undefined) {
    const keys = sql`select operations.id as key from transaction_hashes
      cross join operations where operations.transaction_id = transaction_hashes.transaction_id
      and transaction_hashes.hash = ${hash} and ${isOfKinds}`;
    return [{ keys, test: sql<SqlBool>`operations.id in (${keys})` }];
  }
  const wallet = walletPrefixOf(term);
  if (wallet !== undefined) return [byWallet(queries, wallet, kinds)];
  const id = idOf(term);
  if (id === undefined) return [];
  const test = sql<SqlBool>`operations.subject_id = ${id}`;
  return [{ keys: sql`select operations.id as key from operations where ${isOfKinds} and ${test}`, test }];
}

function byWallet(queries: Queries, prefix: string, kinds: readonly OperationKind[]): Match {
  const ofPurchases = PURCHASE_KINDS.filter((kind) => kinds.includes(kind)).map((kind) => sql.lit(kind));
  const isOfKinds = sql<SqlBool>`operations.kind in (${sql.join(ofPurchases)})`;
  const isWallet = walletStartsWith("purchases.wallet", prefix);
  const isOfPurchase = sql<SqlBool>`${isOfKinds} and operations.subject_id = purchases.id`;
  return {
    // Looked up purchase by purchase; PostgreSQL would otherwise read all operations.
    keys:
      engineOf(queries) === "postgres"
        ? sql`select operation.id as key from purchases cross join lateral
            (select operations.id from operations where ${isOfPurchase} limit ${sql.lit(ofPurchases.length)}) as operation
            where ${isWallet}`
        : sql`select operations.id as key from purchases cross join operations where ${isOfPurchase} and ${isWallet}`,
    // For `exists`, PostgreSQL would build a hash of all purchases.
    test: sql<SqlBool>`(${isOfKinds} and (select count(*) from purchases where purchases.id = operations.subject_id
      and ${walletTest("purchases.wallet", prefix)}) > 0)`,
  };
}

async function readPayouts(queries: Queries, ids: readonly bigint[]) {
  return queries
    .selectFrom("operations")
    .innerJoin("purchases", "purchases.id", "operations.subject_id")
    .leftJoin("transactions", "transactions.id", "operations.transaction_id")
    .selectAll("operations")
    .select(["purchases.wallet", "purchases.store_name", "transactions.mined_hash"])
    .select((select) =>
      select
        .selectFrom("transaction_hashes")
        .select("transaction_hashes.hash")
        .whereRef("transaction_hashes.transaction_id", "=", "operations.transaction_id")
        .orderBy("transaction_hashes.created_at", "desc")
        .limit(1)
        .as("last_hash"),
    )
    .where("operations.id", "in", ids)
    .execute();
}

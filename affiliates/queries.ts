import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import type { SaleState } from "../domain/sale/state.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";

/** Lists count so far; one more means that there are more. */
const COUNTED_ROWS = 10_000;

export type SaleFilter = {
  state?: SaleState | undefined;
  network?: string | undefined;
  query?: string | undefined;
};

/** Sales that match, newest first, and how many there are. */
export async function listSales(
  queries: Queries,
  filter: SaleFilter,
  page: { limit: number; before?: bigint | undefined },
) {
  const matching = () => {
    let found = queries.selectFrom("sales").leftJoin("clicks", "clicks.id", "sales.click_id");
    if (filter.state) found = found.where("sales.state", "=", filter.state);
    if (filter.network) found = found.where("sales.network", "=", filter.network);
    const { query } = filter;
    if (query) {
      found = found.where(({ or, eb }) =>
        or([
          eb("sales.sale_key", "=", query),
          startsWith("sales.wallet", query.toLowerCase()),
          startsWith("sales.order_ref", query),
          eb("clicks.token", "=", query.toLowerCase()),
          ...(/^\d{1,15}$/.test(query) ? [eb("sales.id", "=", BigInt(query))] : []),
        ]),
      );
    }
    return found;
  };
  let rows = matching().selectAll("sales").select("clicks.token as click_token");
  if (page.before !== undefined) rows = rows.where("sales.id", "<", page.before);
  return {
    rows: await rows.orderBy("sales.id", "desc").limit(page.limit).execute(),
    total: await countTo(matching().select("sales.id")),
  };
}

/** A prefix as a range, which an index can answer. */
function startsWith(column: string, prefix: string): Expression<SqlBool> {
  return sql<SqlBool>`(${sql.ref(column)} >= ${prefix} and ${sql.ref(column)} < ${`${prefix}\u{10ffff}`})`;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever tables are joined, ids are counted
async function countTo(ids: SelectQueryBuilder<any, any, { id: bigint }>): Promise<number> {
  return (await ids.limit(COUNTED_ROWS + 1).execute()).length;
}

export async function findSale(queries: Queries, id: bigint) {
  return queries
    .selectFrom("sales")
    .leftJoin("clicks", "clicks.id", "sales.click_id")
    .selectAll("sales")
    .select("clicks.token as click_token")
    .where("sales.id", "=", id)
    .executeTakeFirst();
}

const REVISIONS = 200;

/** What was read of a sale, newest first. */
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
    .select(["clicks.token as click_token", "stores.name as store_name"]);
}

export type ClaimRow = Awaited<ReturnType<typeof listClaims>>[number];

/** A wallet's claims, newest first. */
export async function listClaims(
  queries: Queries,
  wallet: WalletAddress,
  page: { limit: number; before?: bigint | undefined },
) {
  let query = selectClaims(queries).where("claims.wallet", "=", wallet);
  if (page.before !== undefined) query = query.where("claims.id", "<", page.before);
  return query.orderBy("claims.id", "desc").limit(page.limit).execute();
}

export async function findClaim(queries: Queries, id: bigint): Promise<ClaimRow | undefined> {
  return selectClaims(queries).where("claims.id", "=", id).executeTakeFirst();
}

/** Everybody's claims that match, newest first, and how many there are. */
export async function listAllClaims(
  queries: Queries,
  filter: { state?: "open" | "matched" | "refused" | undefined; query?: string | undefined },
  page: { limit: number; before?: bigint | undefined },
) {
  const { state, query } = filter;
  const matches: Expression<SqlBool>[] = [];
  if (state) matches.push(sql<SqlBool>`claims.state = ${state}`);
  if (query) {
    const id = /^\d{1,15}$/.test(query) ? BigInt(query) : 0n;
    matches.push(
      sql<SqlBool>`(claims.id = ${id} or ${startsWith("claims.wallet", query.toLowerCase())} or ${startsWith("claims.order_ref", query)})`,
    );
  }
  const where = ({ and }: { and: (all: Expression<SqlBool>[]) => Expression<SqlBool> }) => and(matches);
  let rows = selectClaims(queries).where(where as never);
  if (page.before !== undefined) rows = rows.where("claims.id", "<", page.before);
  return {
    rows: await rows.orderBy("claims.id", "desc").limit(page.limit).execute(),
    total: await countTo(
      queries
        .selectFrom("claims")
        .select("claims.id")
        .where(where as never),
    ),
  };
}

/** How many sales each click has. */
export async function countSales(queries: Queries, clickIds: readonly bigint[]): Promise<Map<bigint, number>> {
  if (clickIds.length === 0) return new Map();
  const rows = await queries
    .selectFrom("sales")
    .select(({ fn }) => ["click_id", fn.countAll<bigint>().as("n")])
    .where("click_id", "in", clickIds)
    .groupBy("click_id")
    .execute();
  return new Map(rows.flatMap(({ click_id, n }) => (click_id === null ? [] : [[click_id, Number(n)] as const])));
}

import { type Selectable, sql } from "kysely";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import type { SaleState } from "../rules/sale/facts.ts";
import { markRead } from "./reports.ts";

/** A time that never comes: the sale is not reread. */
const NEVER = 8_640_000_000_000_000n;
const LOOKED_AT = 500;
const LOOKS = 10;

type Unread = { network: string; account: string; states: readonly SaleState[] };
type UnreadSale = Pick<
  Selectable<Schema["sales"]>,
  "id" | "sale_key" | "occurred_at" | "created_at" | "changed_at" | "state"
>;

/**
 * An account's sales that were not read since `unreadSince`, longest unread first. Those that are paid or declined, and
 * did not change since `changeableSince`, which their network no longer changes, leave the queue; no other one does,
 * however old it is. docs/product.md#sales-budget
 */
export async function listLongestUnread(
  queries: Queries,
  of: Unread,
  { unreadSince, changeableSince, limit }: { unreadSince: number; changeableSince: number; limit: number },
): Promise<UnreadSale[]> {
  for (let look = 0; look < LOOKS; look++) {
    const longest = await listLongest(queries, of, unreadSince, Math.max(limit, LOOKED_AT));
    const isOver = ({ state, created_at, changed_at }: UnreadSale) =>
      (state === "settled" || state === "declined") &&
      created_at < BigInt(changeableSince) &&
      (changed_at ?? created_at) < BigInt(changeableSince);
    await markRead(
      queries,
      longest.filter(isOver).map((sale) => sale.id),
      NEVER,
    );
    const changeable = longest.filter((sale) => !isOver(sale));
    if (changeable.length > 0 || longest.length === 0) return changeable.slice(0, limit);
  }
  return [];
}

/** Each state is a stretch of one index, so no sale in another state is read. */
async function listLongest(
  queries: Queries,
  { network, account, states }: Unread,
  unreadSince: number,
  limit: number,
): Promise<UnreadSale[]> {
  const stretches = states.map(
    (state) => sql`select * from (select id, sale_key, occurred_at, created_at, changed_at, state, read_at from sales
      where network = ${network} and account = ${account} and state = ${state} and read_at <= ${BigInt(unreadSince)}
      order by read_at limit ${limit}) as ${sql.ref(state)}`,
  );
  const { rows } = await sql<UnreadSale>`${sql.join(stretches, sql` union all `)}
    order by read_at limit ${limit}`.execute(queries);
  return rows;
}

import { type RawBuilder, sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import { isPart } from "../rules/sale/order.ts";
import { merchantOf } from "./locks.ts";

/** What 1.0.0 decided otherwise than today's rules would; ids of sales. docs/upgrading.md#what-1-0-0-left */
export type OldFacts = {
  /** Sales of one order that are all paid, and that nobody released. */
  paidTwice: { order: string; sales: bigint[] }[];
  /** Declined, and what was paid of it is not owed back. */
  paidDeclined: bigint[];
  /** A person holds one of its purchases, and another one goes on. */
  halfHeld: bigint[];
};

const LISTED = 100;

/** Paid or kept, and not owed back. */
const IS_KEEPING: RawBuilder<boolean> = sql`exists (select 1 from purchases where purchases.sale_id = sales.id
  and settled_at is not null and reversed_at is null and cashback_cent_bps > (
    select coalesce(sum(cent_bps), 0) from adjustments where purchase_id = purchases.id))`;

/** Reads all sales, with the schema of any 1.x: for the doctor. Nothing is changed by it. */
export async function listOldFacts(queries: Queries): Promise<OldFacts> {
  const declined = await sql<{ id: bigint }>`select id from sales where state = 'declined' and ${IS_KEEPING}
    order by id limit ${LISTED}`.execute(queries);
  const stopped = await sql<{ id: bigint }>`select distinct held.sale_id as id from purchases held
    join purchases other on other.sale_id = held.sale_id and other.held_at is null and other.settled_at is null
      and other.reversed_at is null
    where held.held_at is not null and held.settled_at is null and held.reversed_at is null
    order by id limit ${LISTED}`.execute(queries);
  return {
    paidTwice: await listPaidTwice(queries),
    paidDeclined: declined.rows.map(({ id }) => id),
    halfHeld: stopped.rows.map(({ id }) => id),
  };
}

type Kept = { id: bigint; order_key: string; network: string; account: string } & Record<
  "clickId" | "createdAt" | "store_id",
  bigint
> &
  Record<"merchant" | "store_url", string | null>;

async function listPaidTwice(queries: Queries): Promise<OldFacts["paidTwice"]> {
  const { rows } =
    await sql<Kept>`with kept as (select * from sales where order_key is not null and click_id is not null
      and state <> 'declined' and released_reasons not like '%order_twice%' and ${IS_KEEPING})
    select kept.id, order_key, kept.network, kept.account, click_id as "clickId", kept.created_at as "createdAt",
      store_id, merchant, store_url
    from kept join stores on stores.id = store_id
    where order_key in (select order_key from kept group by order_key having count(*) > 1)
    order by order_key, kept.id limit ${LISTED}`.execute(queries);
  const ofOrders = Map.groupBy(rows, (row) =>
    JSON.stringify([merchantOf({ ...row, id: row.store_id }), row.order_key]),
  );
  return [...ofOrders.values()].flatMap((sales) => {
    const [first, ...others] = sales;
    if (!first || others.every((one) => isPart(first, one))) return [];
    return [{ order: first.order_key, sales: sales.map(({ id }) => id) }];
  });
}

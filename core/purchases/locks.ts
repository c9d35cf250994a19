import { type Selectable, sql } from "kysely";
import { among } from "../database/among.ts";
import { engineOf } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import { BeginAnewError, type Queries } from "../database/transaction.ts";
import { idsOf } from "../rules/records.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/*
 * The one order in which rows are locked: buyers by address, then sales by id, then what belongs to them (purchases,
 * operations, totals). What decides about a buyer, a sale or a purchase locks all that it will need by `lockSales` or
 * `lockPurchasesWithSales`, before it reads or writes anything of them: two that need the same wait for each other, and
 * neither ever for a third. SQLite has one writer. docs/architecture.md#locks
 */

/** What is about to be decided. */
export type Deciding = {
  sales?: Iterable<bigint>;
  /** Of purchases that are decided without a sale, or of a click that a sale will get. */
  wallets?: Iterable<WalletAddress>;
  /** Of a report that is not applied yet: the click that it names, and its order. */
  clickRef?: string | null;
  orderKey?: string | null;
};

/** `at once`: fails if somebody else holds one of them, so that others need not wait for it too. */
type Waiting = "waits" | "at once";
const NOWAIT = { waits: sql``, "at once": sql`nowait` };

/** PostgreSQL's code of an error: rows could not be locked at once. */
export const HELD_ELSEWHERE = "55P03";

type Rows = { wallets: ReadonlySet<WalletAddress>; sales: ReadonlySet<bigint> };

/** What each transaction holds. */
const held = new WeakMap<Queries, Rows>();

/**
 * Locks, until the transaction ends, these sales, the others of their orders, those that carry what an invitation gave for
 * them, and everybody whose sale one of them is or may become. Costs nothing if the transaction holds them already. Returns the sales that it holds then; undefined: all.
 */
export async function lockSales(
  queries: Queries,
  deciding: Deciding,
  waiting: Waiting = "waits",
): Promise<ReadonlySet<bigint> | undefined> {
  if (engineOf(queries) === "sqlite") return undefined;
  const has = held.get(queries);
  let wanted = await readRelated(queries, deciding);
  // Somebody else has recorded a sale of the order since: its buyer's turn would have been before.
  if (has && !isWithin(wanted.wallets, has.wallets)) throw new BeginAnewError("A sale of the order is new");
  if (has && isWithin(wanted.sales, has.sales)) return has.sales;
  // Who was waited for may have recorded a further sale of the order: its buyer's turn can be before the others'.
  for (;;) {
    await sql`savepoint locks`.execute(queries);
    await lockBuyers(queries, wanted.wallets, waiting);
    const now = await readRelated(queries, deciding);
    const isWhole = isWithin(now.wallets, wanted.wallets);
    wanted = { wallets: new Set([...wanted.wallets, ...now.wallets]), sales: now.sales };
    if (isWhole) break;
    if (has) throw new BeginAnewError("A sale of the order is new");
    await sql`rollback to savepoint locks`.execute(queries);
  }
  await sql`select id from sales where ${among(queries, "id", wanted.sales)} order by id for no key update
    ${NOWAIT[waiting]}`.execute(queries);
  const sales = new Set([...(has?.sales ?? []), ...wanted.sales]);
  held.set(queries, { wallets: new Set([...(has?.wallets ?? []), ...wanted.wallets]), sales });
  return sales;
}

/** A purchase, and its sale if it has one. */
export type LockedPurchase = { id: bigint; sale_id: bigint | null };

function isWithin<T>(some: ReadonlySet<T>, all: ReadonlySet<T>): boolean {
  return [...some].every((one) => all.has(one));
}

/** The same for purchases, which are locked too. Returns them, oldest first. */
export async function lockPurchasesWithSales(
  queries: Queries,
  ids: readonly bigint[],
  waiting: Waiting = "waits",
): Promise<LockedPurchase[]> {
  if (ids.length === 0) return [];
  const select = queries
    .selectFrom("purchases")
    .select(["id", "sale_id"])
    .where(among(queries, "id", ids))
    .orderBy("id");
  if (engineOf(queries) === "sqlite") return select.execute();
  const rows = await queries
    .selectFrom("purchases")
    .select(["sale_id", "wallet"])
    .where(among(queries, "id", ids))
    .execute();
  const sales = new Set(rows.flatMap(({ sale_id }) => sale_id ?? []));
  await lockSales(queries, { sales, wallets: new Set(rows.map(({ wallet }) => wallet)) }, waiting);
  return select.forUpdate().execute();
}

async function lockBuyers(queries: Queries, wallets: ReadonlySet<WalletAddress>, waiting: Waiting): Promise<void> {
  await sql`select wallet from users where ${among(queries, "wallet", [...wallets].sort())}
    order by wallet for update ${NOWAIT[waiting]}`.execute(queries);
}

/** Sales of one order number at one store that are looked at: of each, so that none hides those of another. */
export const SAME_NUMBER = 100;

type Related = {
  id: bigint;
  wallet: WalletAddress | null;
  named_wallet: WalletAddress | null;
  is_wanted: boolean;
  is_invited: boolean;
  is_held_twice: boolean;
} & Record<"store_id" | "named_store_id", bigint | null> &
  Record<"merchant" | "store_url" | "named_merchant" | "named_store_url", string | null>;

/** In one statement: it runs twice for each decision. */
async function readRelated(
  queries: Queries,
  { sales = [], wallets = [], clickRef = null, orderKey = null }: Deciding,
): Promise<Rows> {
  const ids = [...sales];
  const clicks =
    clickRef === null
      ? []
      : await queries
          .selectFrom("clicks")
          .innerJoin("stores", "stores.id", "clicks.store_id")
          .select(["clicks.wallet", "stores.id", "stores.merchant", "stores.store_url"])
          .where("token", "=", clickRef)
          .execute();
  const keys = orderKey === null ? [] : [orderKey];
  const { rows } =
    await sql<Related>`with wanted as (select id, order_key, click_ref from sales where ${among(queries, "id", ids)}),
      numbers as (select order_key from wanted where order_key is not null union select unnest(${keys}::text[])),
      numbered as (select sales.id, row_number() over (partition by sales.order_key, store_id order by sales.id) as place
        from numbers join sales on sales.order_key = numbers.order_key
        where click_id is not null and state <> 'declined'),
      invited as (select inviter_sale_id as id from invites join wanted on wanted.id = invites.friend_sale_id
        union select inviter_sale_id from invites join wanted on wanted.click_ref = invites.friend_click
        union select inviter_sale_id from invites where friend_click = ${clickRef}::text),
      related as (select id from wanted union select id from invited
        union select id from numbered where place <= ${sql.lit(SAME_NUMBER)})
    select sales.id, sales.wallet, sales.store_id, stores.merchant, stores.store_url,
      named.wallet as named_wallet, named.store_id as named_store_id,
      seller.merchant as named_merchant, seller.store_url as named_store_url,
      exists (select 1 from wanted where wanted.id = sales.id) as is_wanted,
      exists (select 1 from invited where invited.id = sales.id) as is_invited,
      state = 'held' and hold_reasons like '%order_twice%' as is_held_twice
    from related join sales on sales.id = related.id left join stores on stores.id = sales.store_id
      left join clicks named on named.token = sales.click_ref left join stores seller on seller.id = named.store_id`.execute(
      queries,
    );
  const own = rows.filter((row) => row.is_wanted);
  const merchants = new Set([
    ...own.flatMap((row) => [sellerOf(row), namedSellerOf(row)].flatMap((one) => one ?? [])),
    ...clicks.map(merchantOf),
  ]);
  // Another merchant's order has the same number by chance.
  const isWithThem = (row: Related) => row.is_invited || row.is_held_twice || merchants.has(sellerOf(row) ?? "");
  const others = rows.filter((row) => !row.is_wanted && isWithThem(row));
  const related = [...own, ...others];
  const buyers = related.flatMap((row) => [row.wallet, row.named_wallet].flatMap((one) => one ?? []));
  return {
    wallets: new Set([...wallets, ...buyers, ...clicks.map(({ wallet }) => wallet)]),
    sales: new Set(idsOf(related)),
  };
}

type Seller = Pick<Selectable<Schema["stores"]>, "id" | "merchant" | "store_url">;

/** Under whose name an order of a store pays once. docs/product.md#sales-once */
export function merchantOf({ id, merchant, store_url }: Seller): string {
  const host = (store_url && URL.parse(store_url)?.hostname.replace(/^www\./, "")) || null;
  return merchant?.normalize("NFC").toLowerCase() ?? host ?? `store ${id}`;
}

function sellerOf({ store_id: id, merchant, store_url }: Related): string | undefined {
  return id === null ? undefined : merchantOf({ id, merchant, store_url });
}

function namedSellerOf({ named_store_id: id, named_merchant: merchant, named_store_url: store_url }: Related) {
  return id === null ? undefined : merchantOf({ id, merchant, store_url });
}

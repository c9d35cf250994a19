import { type RawBuilder, sql } from "kysely";
import { hashToken } from "../../../api/people/sessions.ts";
import type { Database } from "../../../core/database/connect.ts";
import { inTransaction } from "../../../core/database/transaction.ts";
import { recountPurchases } from "../../../core/purchases/purchase-rows.ts";
import { addToShop } from "../../../core/purchases/shop-totals.ts";
import type { WalletAddress } from "../../../core/rules/wallet-address.ts";

const HEAVY_PURCHASES = 10_000;
const PURCHASES_PER_USER = 5;
/** Of every hundred purchases, by number: paid, in their hold, pending, without a ticket, reversed and cancelled. */
const MIX = { paid: 72, confirmed: 85, pending: 90, processing: 95, cancelled: 100 } as const;
/** Of every hundred, the first ones are sales of a network; the others are simulated. */
const LIVE = 30;
const WEI_PER_CENT = 10n ** 16n;
/** Cents × basis points at that rate, in gwei. */
const GWEI_PER_CENT_BPS = 1_000n;
const YEAR_MS = 365 * 24 * 3_600_000;
const BATCH_SIZE = 50;
const COUNTED_AT_ONCE = 5_000;

export type Filled = {
  purchases: number;
  users: number;
  heavyWallet: WalletAddress;
  heavyPurchases: number;
};

/** The purchases that have tickets on the real chain: the newest ones, confirmed and in their hold. */
export type OnChain = { count: number; valueCents: bigint; cashbackBps: bigint; buyer: WalletAddress; storeId: bigint };

/**
 * Fills a database with the history of a shop: users, lapsed clicks, sales and their revisions,
 * purchases in all states, their operations, tickets, payouts and the events behind them.
 * The history is in negative block numbers, so that the real chain's blocks follow it.
 */
export async function fill(
  database: Database,
  purchases: number,
  onChain: OnChain,
  tell: (line: string) => void = console.log,
): Promise<Filled> {
  const users = Math.max(100, Math.floor(purchases / PURCHASES_PER_USER));
  const heavyPurchases = Math.min(HEAVY_PURCHASES, Math.floor(purchases / 10));
  const history = purchases - onChain.count;
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    tell(`  ${name}: ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  };
  const { statements, statistics } = statementsFor(database.engine, { users, heavyPurchases, history, onChain });
  const indexes = await dropIndexes(database);
  for (const [name, statement] of Object.entries(statements)) {
    await timed(name, () => statement.execute(database.kysely));
  }
  await timed("indexes", async () => {
    for (const definition of indexes) await sql.raw(definition).execute(database.kysely);
  });
  await timed("statistics", () => statistics.execute(database.kysely));
  await timed("counted", () => count(database, purchases));
  return { purchases, users, heavyPurchases, heavyWallet: walletOf(1) };
}

/**
 * Drops the indexes that no constraint needs, and returns the statements that create them again: building them at the
 * end is far faster.
 */
async function dropIndexes({ kysely, engine }: Database): Promise<string[]> {
  const all =
    engine === "sqlite"
      ? sql`select name, sql as definition from sqlite_master where type = 'index' and sql is not null`
      : sql`select indexname as name, indexdef as definition from pg_indexes where schemaname = 'public'`;
  const { rows } = await sql<{ name: string; definition: string }>`select * from (${all}) as indexes
    where upper(definition) not like 'CREATE UNIQUE%'`.execute(kysely);
  for (const { name } of rows) await sql`drop index ${sql.ref(name)}`.execute(kysely);
  return rows.map((row) => row.definition);
}

/** After a fill, which rewrites every purchase in the end: new statistics, and nothing is left to write to the disk. */
export async function settle({ kysely, engine }: Database): Promise<void> {
  const isSqlite = engine === "sqlite";
  for (const statement of isSqlite ? ["analyze", "pragma wal_checkpoint(truncate)"] : ["vacuum analyze", "checkpoint"])
    await sql.raw(statement).execute(kysely);
}

/** The sums of buyers and shop, by the product's own rule; nothing of this history is due. */
async function count({ kysely }: Database, purchases: number): Promise<void> {
  for (let first = 1; first <= purchases; first += COUNTED_AT_ONCE) {
    const size = Math.min(COUNTED_AT_ONCE, purchases - first + 1);
    const ids = Array.from({ length: size }, (_, index) => BigInt(first + index));
    await inTransaction(kysely, (queries) => recountPurchases(queries, ids));
  }
  await sql`delete from due_purchases`.execute(kysely);
  await sql`insert into due_purchases (purchase_id, due_at)
    select id, payable_at from purchases where settled_at is null and payable_at is not null`.execute(kysely);
  const paid = await sql<{ chz: bigint; gwei: bigint }>`select cast(sum(amount_gwei / 1000000000) as bigint) as chz,
    cast(sum(amount_gwei % 1000000000) as bigint) as gwei from payouts`.execute(kysely);
  const { chz = 0n, gwei = 0n } = paid.rows[0] ?? {};
  await addToShop(kysely, { payouts_paid_chz: BigInt(chz), payouts_paid_gwei: BigInt(gwei) });
  await sql`delete from shop_totals where name = 'users'`.execute(kysely);
  await sql`insert into shop_totals (name, slot, value) select 'users', 0, count(*) from users`.execute(kysely);
}

/** A session that needs no signature, for the bench's own callers. */
export async function signIn({ kysely }: Database, wallet: WalletAddress): Promise<string> {
  const token = `bench-${wallet}`;
  const now = BigInt(Date.now());
  await kysely
    .insertInto("users")
    .values({
      wallet,
      email: "ana@example.com",
      first_name: "Ana",
      last_name: "Silva",
      created_at: now,
      nonce_seen: 1n,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await kysely
    .insertInto("sessions")
    .values({ token_hash: hashToken(token), wallet, kind: "nonce", created_at: now, last_seen_at: now })
    .onConflict((conflict) => conflict.column("token_hash").doUpdateSet({ created_at: now, last_seen_at: now }))
    .execute();
  return token;
}

export function walletOf(user: number): WalletAddress {
  return `0x${user.toString(16).padStart(40, "0")}`;
}

type Sizes = { users: number; heavyPurchases: number; history: number; onChain: OnChain };

function statementsFor(
  engine: Database["engine"],
  { users, heavyPurchases, history, onChain }: Sizes,
): { statements: Record<string, RawBuilder<unknown>>; statistics: RawBuilder<unknown> } {
  const isSqlite = engine === "sqlite";
  const total = history + onChain.count;
  const number = (value: number | bigint) => sql.lit(Number(value));
  /** The numbers 1 to `count`, as `s (i)`. */
  const numbers = (count: number, from = 1) =>
    isSqlite
      ? sql`(with recursive n (i) as (select ${number(from)} union all select i + 1 from n where i < ${number(count)}) select i from n) s`
      : sql`generate_series(${number(from)}::bigint, ${number(count)}::bigint) s (i)`;
  const wallet = (user: RawBuilder<unknown>) =>
    isSqlite ? sql`printf('0x%040x', ${user})` : sql`'0x' || lpad(to_hex(${user}), 40, '0')`;
  const hex = (value: RawBuilder<unknown>, prefix: string) =>
    isSqlite
      ? sql`printf(${sql.lit(`0x${prefix}%062x`)}, ${value})`
      : sql`${sql.lit(`0x${prefix}`)} || lpad(to_hex(${value}), 62, '0')`;
  const i = sql.ref("i");
  // The heavy buyer is the first user.
  const everyHeavy = number(Math.max(1, Math.floor(total / heavyPurchases)));
  // Over all places of a hundred, so that their purchases are in every state.
  const buyer = sql`case when (i + i / 100) % ${everyHeavy} = 0 then ${wallet(sql`1`)} else ${wallet(sql`2 + (i * 7919) % ${number(users - 1)}`)} end`;
  const now = Date.now();
  const createdAt = sql`${number(now - YEAR_MS)} + i * ${number(Math.max(1, Math.floor(YEAR_MS / total)))}`;
  const cents = sql`(1000 + (i * 37) % 50000)`;
  const bps = sql`(300 + (i % 8) * 100)`;
  const centBps = sql`${cents} * ${bps}`;
  const kind = sql`i % 100`;
  const store = sql`1 + i % 8`;
  const block = sql`i / 100 - ${number(Math.floor(total / 100) + 10_000)}`;
  const between = (least: number, below: number) => sql`${kind} >= ${number(least)} and ${kind} < ${number(below)}`;
  const saleState = sql`case when ${between(0, LIVE)} then 'settled' else 'declined' end`;
  const isOnChain = { from: history + 1, to: total };

  const statements = {
    users: sql`insert into users (wallet, email, first_name, last_name, nonce_seen, created_at)
      select ${wallet(i)}, 'ana' || i || '@example.com', 'Ana', 'Silva', 1, ${createdAt} from ${numbers(users)}`,
    clicks: sql`insert into clicks (id, token, wallet, store_id, store_name, terms, created_at, expires_at)
      select i, ${hex(i, "c1")}, ${buyer}, ${store}, 'Loja ' || (${store}), '{"groups":{},"defaultBps":"500","bonusBps":"0"}',
        ${createdAt}, ${createdAt} + 1 from ${numbers(history)}`,
    sales: sql`insert into sales (id, network, account, sale_key, click_ref, click_id, wallet, store_id, status, payable,
        currency, amount_micros, commission_micros, report, amount_cents, commission_cents, cashback_cent_bps, state,
        return_due_at, occurred_at, changed_at, read_at, revision_id, created_at, updated_at)
      select i, 'awin', 'main', 'key-' || i, ${hex(i, "c1")}, i, ${buyer}, ${store}, 'approved', 1, 'BRL', ${cents} * 10000,
        ${cents} * 900, '{"saleKey":"key-' || i || '","currency":"BRL","parts":[]}', ${cents}, ${cents} * 9 / 100, ${centBps},
        ${saleState}, -1, ${createdAt}, ${createdAt}, ${createdAt}, i, ${createdAt}, ${createdAt}
      from ${numbers(history)} where ${between(0, LIVE)}`,
    "sale revisions": sql`insert into sale_revisions (id, sale_id, source, hash, report, changed_at, read_at, is_applied)
      select i, i, 'poll', ${hex(i, "5a")}, '{"saleKey":"key-' || i || '","currency":"BRL","parts":[]}', ${createdAt},
        ${createdAt}, 1 from ${numbers(history)} where ${between(0, LIVE)}`,
    purchases: sql`insert into purchases (id, wallet, store_id, store_name, amount_cents, cashback_bps, bonus_bps, source,
        wei_per_cent, payable_at, click_id, approved_at, reversed_at, settled_at, created_at, sale_id, cashback_cent_bps)
      select i, ${buyer}, ${store}, 'Loja ' || (${store}), ${cents}, ${bps}, 0,
        case when ${between(0, LIVE)} then 'live' else 'simulated' end,
        case when ${between(0, MIX.confirmed)} then ${number(WEI_PER_CENT)} end,
        case when ${between(0, MIX.paid)} then ${createdAt}
          when ${between(MIX.paid, MIX.confirmed)} then ${number(now + YEAR_MS)} end,
        ${hex(i, "c1")}, ${createdAt},
        case when ${between(MIX.processing, MIX.cancelled)} then ${createdAt} end,
        case when ${between(0, MIX.paid)} or ${between(MIX.processing, MIX.cancelled)} then ${createdAt} end,
        ${createdAt}, case when ${between(0, LIVE)} then i end, ${centBps}
      from ${numbers(history)}`,
    "purchases on the chain": sql`insert into purchases (id, wallet, store_id, store_name, amount_cents, cashback_bps,
        bonus_bps, source, wei_per_cent, payable_at, click_id, approved_at, created_at, cashback_cent_bps)
      select i, ${sql.lit(onChain.buyer)}, ${number(onChain.storeId)}, 'Loja', ${number(onChain.valueCents)},
        ${number(onChain.cashbackBps)}, 0, 'simulated', ${number(WEI_PER_CENT)}, ${number(now + YEAR_MS)}, ${hex(i, "c1")},
        ${createdAt}, ${createdAt}, ${number(onChain.valueCents * onChain.cashbackBps)}
      from ${numbers(isOnChain.to, isOnChain.from)}`,
    transactions: sql`insert into transactions (id, sender, nonce, to_address, data, gas_limit, status, succeeded, mined_hash,
        block_number, block_hash, fencing_token, created_at, updated_at)
      select i, ${wallet(sql`99999999`)}, i, ${wallet(sql`7`)}, '0x', 5000000, 'confirmed', 1, ${hex(i, "aa")},
        i - ${number(Math.floor(total / 20))} - 10000, ${hex(i, "bb")}, 1, ${createdAt}, ${createdAt}
      from ${numbers(Math.max(1, Math.floor((history * 2.5) / BATCH_SIZE)))}`,
    operations: sql`insert into operations (kind, subject_id, amount_gwei, status, not_before, since, created_at,
        updated_at)
      select kind.name, i, case when kind.name = 'pay' then ${centBps} * ${number(GWEI_PER_CENT_BPS)} end, 'done', 1,
        ${createdAt}, ${createdAt}, ${createdAt}
      from ${numbers(history)}
      join (select 'mint' as name, ${number(MIX.pending)} as below union all select 'confirm', ${number(MIX.confirmed)}
        union all select 'pay', ${number(MIX.paid)}) kind on ${kind} < kind.below`,
    tokens: sql`insert into nfts (token_id, owner, store_id, value_cents, cashback_bps, bonus_bps, status, mint_transaction,
        minted_block, minted_at, status_transaction, status_block, status_at)
      select i, ${buyer}, ${store}, ${cents}, ${bps}, 0,
        case when ${between(0, MIX.confirmed)} then 2 when ${between(MIX.confirmed, MIX.pending)} then 1 else 3 end,
        ${hex(i, "a1")}, ${block}, ${createdAt},
        case when not (${between(MIX.confirmed, MIX.pending)}) then ${hex(i, "a2")} end,
        case when not (${between(MIX.confirmed, MIX.pending)}) then ${block} end,
        case when not (${between(MIX.confirmed, MIX.pending)}) then ${createdAt} end
      from ${numbers(history)} where not (${between(MIX.pending, MIX.processing)})`,
    payouts: sql`insert into payouts (token_id, recipient, amount_gwei, state, transaction_hash, block_number, log_index,
        paid_at)
      select i, ${buyer}, ${centBps} * ${number(GWEI_PER_CENT_BPS)}, 'paid', ${hex(i, "a3")}, ${block}, i % 100, ${createdAt}
      from ${numbers(history)} where ${between(0, MIX.paid)}`,
    blocks: sql`insert into chain_blocks (number, hash, timestamp)
      select ${block}, ${hex(i, "b1")}, ${createdAt} / 1000 from ${numbers(history)} where i % 100 = 0`,
    events: sql`insert into chain_events (block_number, log_index, transaction_hash, kind, token_id, arguments)
      select ${block}, (i % 100) * 3 + kind.nth, ${hex(i, "a1")}, kind.name, i,
        case kind.nth
          when 0 then '{"buyer":"' || (${buyer}) || '","storeId":' || (${store}) || ',"valueCents":' || ${cents}
            || ',"cashbackBps":' || ${bps} || ',"bonusBps":0,"saleRef":0}'
          when 1 then '{"to":2}'
          else '{"recipient":"' || (${buyer}) || '","amountWei":"' || (${centBps} * ${number(GWEI_PER_CENT_BPS)}) || '000000000"}'
        end
      from ${numbers(history)}
      join (select 'PurchaseMinted' as name, 0 as nth, ${number(MIX.pending)} as below
        union all select 'StatusUpdated', 1, ${number(MIX.confirmed)}
        union all select 'CashbackPaid', 2, ${number(MIX.paid)}) kind on ${kind} < kind.below`,
    ...(!isSqlite && {
      "ids of purchases": sql`select setval(pg_get_serial_sequence('purchases', 'id'), ${number(total)})`,
      "ids of clicks": sql`select setval(pg_get_serial_sequence('clicks', 'id'), ${number(total)})`,
      "ids of sales": sql`select setval(pg_get_serial_sequence('sales', 'id'), ${number(total)})`,
      "ids of revisions": sql`select setval(pg_get_serial_sequence('sale_revisions', 'id'), ${number(total)})`,
      "ids of transactions": sql`select setval(pg_get_serial_sequence('transactions', 'id'), ${number(total)})`,
    }),
  };
  return { statements, statistics: isSqlite ? sql`analyze` : sql`vacuum analyze` };
}

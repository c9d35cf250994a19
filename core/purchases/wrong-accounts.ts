import { sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import { ACCOUNT_SUMS } from "../rules/account/payout-gate.ts";
import { nameOf, readSums } from "./account-books.ts";

/** One sentence for each sum of an account that its rows do not add up to, for `npm run reconcile -- --full`. */
export async function findWrongAccounts(queries: Queries): Promise<string[]> {
  const accounts = await queries.selectFrom("account_books").selectAll().orderBy("id").execute();
  const kept = await readSums(
    queries,
    accounts.map(({ id }) => id),
  );
  const differences: string[] = [];
  for (const account of accounts) {
    const counted = await countAfresh(queries, account.id);
    for (const name of ACCOUNT_SUMS) {
      const sum = kept.get(account.id)?.[name] ?? 0n;
      if (sum === counted[name]) continue;
      differences.push(`${name} of ${nameOf(account)} is ${sum}, and ${counted[name]} by a recount`);
    }
  }
  return [...differences, ...(await listUnbooked(queries)), ...(await listWrongDays(queries))];
}

async function countAfresh(queries: Queries, id: bigint) {
  const { rows } = await sql<Record<"drawn" | "recovered" | "waiting" | "booked", bigint | string>>`select
    (select coalesce(sum(cent_bps), 0) from account_draws where account_id = ${id}) as drawn,
    (select coalesce(sum(cent_bps), 0) from account_recoveries where account_id = ${id}) as recovered,
    (select coalesce(sum(cent_bps), 0) from account_waits where account_id = ${id}) as waiting,
    (select coalesce(sum(amount_cents), 0) from account_bookings where account_id = ${id}) as booked`.execute(queries);
  const [row] = rows;
  return {
    paid_cent_bps: BigInt(row?.drawn ?? 0) - BigInt(row?.recovered ?? 0),
    waiting_cent_bps: BigInt(row?.waiting ?? 0),
    booked_cents: BigInt(row?.booked ?? 0),
  };
}

/** Payouts of sales that no account's books contain, and the other way round. */
async function listUnbooked(queries: Queries): Promise<string[]> {
  // One that was withdrawn is taken out of the books when its purchase is next looked at.
  const isPaying = sql`(exists (select 1 from payouts where payouts.token_id = purchases.id)
    or exists (select 1 from operations where operations.kind = 'pay' and operations.subject_id = purchases.id))`;
  const { rows } = await sql<{ id: bigint; is_drawn: unknown }>`
    select purchases.id, account_draws.purchase_id is not null as is_drawn from purchases
      join sales on sales.id = purchases.sale_id
      join account_books on account_books.network = sales.network and account_books.account = sales.account
      left join account_draws on account_draws.purchase_id = purchases.id
    where (account_draws.purchase_id is not null and not ${isPaying} and purchases.offset_gwei = 0
        and purchases.approval_id is null)
      or (account_draws.purchase_id is null and exists (select 1 from operations where operations.kind = 'pay'
        and operations.subject_id = purchases.id and operations.status <> 'withdrawn'
        and operations.created_at >= account_books.began_at))
    order by purchases.id limit 20`.execute(queries);
  return rows.map(({ id, is_drawn }) =>
    is_drawn
      ? `Purchase ${id} is in its account's books and is not paid`
      : `Purchase ${id} is paid and not in its account's books`,
  );
}

/** Days since the books began; the earlier ones are not of these rows. */
async function listWrongDays(queries: Queries): Promise<string[]> {
  const { rows } = await sql<{ id: bigint; day: bigint; sum: bigint | string; counted: bigint | string }>`
    select account_days.account_id as id, account_days.day, sum(account_days.cent_bps) as sum,
      (select coalesce(sum(cent_bps), 0) from account_draws where account_draws.account_id = account_days.account_id
        and account_draws.day = account_days.day) as counted
    from account_days join account_books on account_books.id = account_days.account_id
    where account_days.day > account_books.began_at / 86400000
    group by account_days.account_id, account_days.day`.execute(queries);
  return rows
    .filter(({ sum, counted }) => BigInt(sum) !== BigInt(counted))
    .map(({ id, day, sum, counted }) => `Day ${day} of account ${id} is ${sum}, and ${counted} by a recount`);
}

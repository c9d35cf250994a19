import type { Queries } from "../database/transaction.ts";
import { idsOf } from "../rules/records.ts";
import { type Account, readSums } from "./account-books.ts";

/** An account with its sums, in cents. `promised`: what its payable sales cost that has not arrived. */
export type ListedAccount = Account & Record<"promised" | "paid" | "waiting" | "booked", bigint>;

const BPS = 10_000n;

/** All accounts with books, in the order of their names. docs/product.md#accounts */
export async function listAccounts(queries: Queries): Promise<ListedAccount[]> {
  const accounts = await queries
    .selectFrom("account_books")
    .selectAll()
    .orderBy("network")
    .orderBy("account")
    .execute();
  const sums = await readSums(queries, idsOf(accounts));
  return accounts.map((account) => {
    const of = sums.get(account.id);
    const [paid, waiting] = [(of?.paid_cent_bps ?? 0n) / BPS, (of?.waiting_cent_bps ?? 0n) / BPS];
    const booked = of?.booked_cents ?? 0n;
    const promised = paid + waiting - booked;
    return { ...account, paid, waiting, booked, promised: promised > 0n ? promised : 0n };
  });
}

/** Nobody has set the credit that it began with. */
export const isCreditUnset = ({ opening_cents, is_credit_set }: Account): boolean =>
  opening_cents > 0n && is_credit_set === 0n;

import { cashbackDistributorAbi } from "../../chain/generated/cashback-distributor.ts";
import type { Queries } from "../../database/transaction.ts";
import { chzTextFromGwei } from "../../domain/money.ts";
import type { Services } from "../services.ts";

/** How long the wallets and the pool last at the pace of the last week. */
export type Runway = { wallets: { key: string; daysLeft: number }[]; pool: { chz: number; daysLeft: number } };

/** So many of the newest rows are looked at, whatever the table holds. */
const TRANSACTIONS = 1_000;
const OPERATIONS = 6_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** What lasts longer is told as this. */
const LONGEST_DAYS = 9_999;
/** The highest fee of a transaction is twice the base fee; the rest of its gas limit is not charged. */
const FEE_PARTS = 2n;

type Spent = { amount: bigint; atMs: number };

/** Days until `balance` is spent at the pace of these, which are the newest; `isAll` says that none are left out. */
export function daysLeft(
  balance: bigint,
  spent: readonly Spent[],
  { nowMs, isAll }: { nowMs: number; isAll: boolean },
) {
  const recent = spent.filter(({ atMs }) => nowMs - atMs <= WEEK_MS);
  const sum = recent.reduce((total, { amount }) => total + amount, 0n);
  if (sum === 0n) return LONGEST_DAYS;
  const oldestMs = Math.min(...recent.map(({ atMs }) => atMs));
  // A shop's first hour, or a busy one, is no day.
  const isWhole = isAll || recent.length < spent.length;
  const spanMs = Math.max(nowMs - oldestMs, isWhole ? DAY_MS : 1);
  return Math.min(LONGEST_DAYS, (Number(balance) / Number(sum)) * (spanMs / DAY_MS));
}

export async function readRunway({ client, contracts, database, senders }: Services): Promise<Runway> {
  const { kysely } = database;
  const at = { nowMs: Date.now() };
  const fees = await readFees(kysely);
  const wallets: Runway["wallets"] = [];
  for (const { name, address } of senders.keys) {
    const balance = await client.getBalance({ address });
    const spent = fees.filter(({ sender }) => sender === address);
    wallets.push({ key: name, daysLeft: daysLeft(balance, spent, { ...at, isAll: fees.length < TRANSACTIONS }) });
  }
  const availableWei = await client.readContract({
    ...{ address: contracts.cashbackDistributor, abi: cashbackDistributorAbi, functionName: "available" },
  });
  const { payouts, isAll } = await readPayouts(kysely);
  const availableGwei = availableWei / 10n ** 9n;
  return {
    wallets,
    pool: { chz: Number(chzTextFromGwei(availableGwei)), daysLeft: daysLeft(availableGwei, payouts, { ...at, isAll }) },
  };
}

/** At most what the newest transactions cost. */
async function readFees(queries: Queries): Promise<(Spent & { sender: string })[]> {
  const newest = queries.selectFrom("transactions").selectAll().orderBy("id", "desc").limit(TRANSACTIONS).as("newest");
  const rows = await queries
    .selectFrom(newest)
    .innerJoin("transaction_hashes", "transaction_hashes.transaction_id", "newest.id")
    .select(({ fn }) => ["newest.sender", "newest.gas_limit", "newest.created_at", fn.max("max_fee_wei").as("fee")])
    .groupBy(["newest.id", "newest.sender", "newest.gas_limit", "newest.created_at"])
    .execute();
  return rows.map(({ sender, gas_limit, created_at, fee }) => {
    return { sender, amount: (gas_limit * BigInt(fee)) / FEE_PARTS, atMs: Number(created_at) };
  });
}

async function readPayouts(queries: Queries): Promise<{ payouts: Spent[]; isAll: boolean }> {
  const rows = await queries
    .selectFrom("operations")
    .select(["kind", "status", "amount_gwei", "since"])
    .orderBy("id", "desc")
    .limit(OPERATIONS)
    .execute();
  const paid = rows.filter(({ kind, status }) => kind === "pay" && status === "done");
  const payouts = paid.map(({ amount_gwei, since }) => ({ amount: amount_gwei ?? 0n, atMs: Number(since) }));
  return { payouts, isAll: rows.length < OPERATIONS };
}

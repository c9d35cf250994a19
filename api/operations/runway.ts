import type { Hex } from "viem";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { chzTextFromGwei } from "../../core/rules/money.ts";
import type { Services } from "../services.ts";

/** How long the balances of the wallets and the distributor last at last week's spending rate. */
export type Runway = { wallets: { key: string; daysLeft: number }[]; pool: { chz: number; daysLeft: number } };

/** How many of the newest rows are read, whatever the size of the table. */
const TRANSACTIONS = 1_000;
const OPERATIONS = 6_000;
const WEEK_MS = 7 * DAY_MS;
/** Upper bound of the reported days. */
const LONGEST_DAYS = 9_999;
/** The maximum fee of a transaction is twice the base fee; used while no receipt shows what is actually charged. */
const FEE_PARTS = 2n;
/** How many of a wallet's receipts are used to measure the share of the maximum fee that is charged. */
const RECEIPTS = 10;

type Spent = { amount: bigint; atMs: number };
/** The period covered by the rows that were read, and whether those are all the rows. */
type Looked = { fromMs: number; isAll: boolean };

/** Days until `balance` is spent at the spending rate of the last week, or of the part of it that was read. */
export function daysLeft(balance: bigint, spent: readonly Spent[], { fromMs, isAll }: Looked, nowMs: number): number {
  const sum = spent.reduce((total, { amount, atMs }) => (nowMs - atMs <= WEEK_MS ? total + amount : total), 0n);
  if (sum === 0n) return LONGEST_DAYS;
  // A new shop's first hour must not count as a full day, and nothing is known about rows that were not read.
  const spanMs = Math.min(WEEK_MS, Math.max(nowMs - fromMs, isAll ? DAY_MS : 1));
  return Math.min(LONGEST_DAYS, (Number(balance) / Number(sum)) * (spanMs / DAY_MS));
}

/**
 * Reads how long the wallets' gas and the distributor's CHZ last.
 * @throws if the chain or the database does not respond
 */
export async function readRunway({ client, contracts, database, senders }: Services): Promise<Runway> {
  const { reader } = database;
  const nowMs = Date.now();
  const sent = await readTransactions(reader);
  const wallets: Runway["wallets"] = [];
  for (const { name, address } of senders.keys) {
    const balance = await client.getBalance({ address });
    const own = sent.rows.filter(({ sender }) => sender === address);
    const [charged, highest] = await readShare(client, own);
    const spent = own.map(({ amount, atMs }) => ({ amount: (amount * charged) / highest, atMs }));
    wallets.push({ key: name, daysLeft: daysLeft(balance, spent, sent, nowMs) });
  }
  const availableWei = await client.readContract({
    address: contracts.cashbackDistributor,
    abi: cashbackDistributorAbi,
    functionName: "available",
  });
  const paid = await readPayouts(reader);
  const availableGwei = availableWei / 10n ** 9n;
  return {
    wallets,
    pool: { chz: Number(chzTextFromGwei(availableGwei)), daysLeft: daysLeft(availableGwei, paid.rows, paid, nowMs) },
  };
}

type Sent = Spent & { sender: string; minedHash: Hex | null };

async function readTransactions(queries: Queries): Promise<Looked & { rows: Sent[] }> {
  const newest = queries.selectFrom("transactions").selectAll().orderBy("id", "desc").limit(TRANSACTIONS).as("newest");
  const rows = await queries
    .selectFrom(newest)
    .innerJoin("transaction_hashes", "transaction_hashes.transaction_id", "newest.id")
    .select(["newest.sender", "newest.gas_limit", "newest.created_at", "newest.mined_hash"])
    .select(({ fn }) => fn.max("max_fee_wei").as("fee"))
    .groupBy(["newest.id", "newest.sender", "newest.gas_limit", "newest.created_at", "newest.mined_hash"])
    .orderBy("newest.id", "desc")
    .execute();
  const sent = rows.map(({ sender, gas_limit, fee, created_at, mined_hash }) => {
    return { sender, amount: gas_limit * BigInt(fee), atMs: Number(created_at), minedHash: mined_hash };
  });
  return { rows: sent, fromMs: sent.at(-1)?.atMs ?? 0, isAll: sent.length < TRANSACTIONS };
}

/** The share of the maximum fees that is charged, as numerator and denominator. */
async function readShare(client: Services["client"], sent: readonly Sent[]): Promise<[bigint, bigint]> {
  const mined = sent
    .flatMap((one) => (one.minedHash === null ? [] : { ...one, minedHash: one.minedHash }))
    .slice(0, RECEIPTS);
  const receipts = await Promise.all(
    mined.map(({ minedHash }) => client.getTransactionReceipt({ hash: minedHash }).catch(() => undefined)),
  );
  let [charged, highest] = [0n, 0n];
  for (const [index, receipt] of receipts.entries()) {
    if (!receipt) continue;
    charged += receipt.gasUsed * receipt.effectiveGasPrice;
    highest += mined[index]?.amount ?? 0n;
  }
  return charged > 0n && highest > 0n ? [charged, highest] : [1n, FEE_PARTS];
}

async function readPayouts(queries: Queries): Promise<Looked & { rows: Spent[] }> {
  const rows = await queries
    .selectFrom("operations")
    .select(["kind", "status", "amount_gwei", "since"])
    .orderBy("id", "desc")
    .limit(OPERATIONS)
    .execute();
  const paid = rows.filter(({ kind, status }) => kind === "pay" && status === "done");
  return {
    rows: paid.map(({ amount_gwei, since }) => ({ amount: amount_gwei ?? 0n, atMs: Number(since) })),
    fromMs: Number(rows.at(-1)?.since ?? 0),
    isAll: rows.length < OPERATIONS,
  };
}

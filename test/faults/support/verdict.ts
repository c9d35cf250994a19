import { sql } from "kysely";
import { parseEventLogs } from "viem";
import { cashbackDistributorAbi } from "../../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../../core/chain/generated/purchase-nft.ts";
import { connect, type Database } from "../../../core/database/connect.ts";
import { findWrongTotals } from "../../../core/purchases/wrong-totals.ts";
import { WEI_PER_GWEI } from "../../../core/rules/product.ts";
import { readEvents } from "../../testing/ledger.ts";

type Where = {
  rpcUrl: string;
  purchaseNft: `0x${string}`;
  cashbackDistributor: `0x${string}`;
  databaseUrl: string;
};

export type Verdict = {
  purchases: number;
  minted: number;
  paid: number;
  /** Checks that every purchase is minted and paid, and that nothing contradicts. */
  isComplete: boolean;
  /** One sentence per difference; empty if database and chain agree. */
  differences: string[];
};

const COUNTS = sql<Record<"purchases" | "tickets" | "payouts", bigint>>`select
  (select count(*) from purchases) as purchases,
  (select count(*) from nfts) as tickets,
  (select count(*) from payouts) as payouts`;

/** Without reading a row or a block: a verdict is complete only if the index has as many tickets and payouts as purchases. */
export async function canBeComplete({ kysely }: Database): Promise<boolean> {
  const { rows } = await COUNTS.execute(kysely);
  return rows.every(({ purchases, tickets, payouts }) => purchases === tickets && purchases === payouts);
}

/**
 * Compares a new fold of the chain's events with the database: every purchase is minted at most once and
 * paid at most once, to its buyer, the right amount; and the index matches the chain.
 */
export async function judge(where: Where): Promise<Verdict> {
  const logs = await readEvents(where);
  const minted = parseEventLogs({ abi: purchaseNftAbi, logs, eventName: "PurchaseMinted" });
  const moves = parseEventLogs({ abi: purchaseNftAbi, logs, eventName: "StatusUpdated" });
  const payments = parseEventLogs({
    abi: cashbackDistributorAbi,
    logs,
    eventName: ["CashbackPaid", "CashbackDeferred"],
  });
  const mintsById = Map.groupBy(minted, (one) => one.args.tokenId);
  const movesById = Map.groupBy(moves, (one) => one.args.tokenId);
  const paymentsById = Map.groupBy(payments, (one) => one.args.purchaseId);
  const database = await connect(where.databaseUrl);
  try {
    const purchases = await database.kysely.selectFrom("purchases").selectAll().orderBy("id").execute();
    const nfts = await database.kysely.selectFrom("nfts").selectAll().execute();
    const payouts = await database.kysely.selectFrom("payouts").selectAll().execute();
    const nftsById = new Map(nfts.map((one) => [one.token_id, one]));
    const payoutsById = new Map(payouts.map((one) => [one.token_id, one]));
    const differences: string[] = [];
    const report = (isRight: boolean, sentence: string) => {
      if (!isRight) differences.push(sentence);
    };

    for (const mint of minted) {
      const id = mint.args.tokenId;
      const row = nftsById.get(id);
      const status = movesById.get(id)?.at(-1)?.args.to ?? 1;
      report(row !== undefined, `token ${id} is on the chain and not in the index`);
      report(row === undefined || row.owner === mint.args.buyer.toLowerCase(), `token ${id} has another owner`);
      report(row === undefined || row.value_cents === BigInt(mint.args.valueCents), `token ${id} has another value`);
      report(
        row === undefined || row.status === BigInt(status),
        `token ${id} has status ${row?.status}, not ${status}`,
      );
    }
    report(nfts.length === minted.length, `the index has ${nfts.length} tokens, the chain ${minted.length}`);
    for (const payment of payments) {
      const { purchaseId, amount } = payment.args;
      const row = payoutsById.get(purchaseId);
      report(row !== undefined, `payment of ${purchaseId} is on the chain and not in the index`);
      report(row === undefined || row.amount_gwei === amount / WEI_PER_GWEI, `payment of ${purchaseId} differs`);
    }
    report(
      payouts.length === payments.length,
      `the index has ${payouts.length} payments, the chain ${payments.length}`,
    );

    let paid = 0;
    for (const purchase of purchases) {
      const mints = mintsById.get(purchase.id) ?? [];
      const own = paymentsById.get(purchase.id) ?? [];
      paid += own.length;
      report(mints.length <= 1, `purchase ${purchase.id} was minted ${mints.length} times`);
      report(own.length <= 1, `purchase ${purchase.id} was paid ${own.length} times`);
      report(
        mints.every((one) => one.args.buyer.toLowerCase() === purchase.wallet),
        `purchase ${purchase.id} went to another wallet`,
      );
      const bps = purchase.cashback_bps + purchase.bonus_bps;
      const owedWei = (purchase.amount_cents * bps * (purchase.wei_per_cent ?? 0n)) / 10_000n;
      const owedGwei = owedWei / WEI_PER_GWEI - purchase.offset_gwei;
      for (const payment of own) {
        const isRight =
          payment.args.amount / WEI_PER_GWEI === owedGwei && payment.args.recipient.toLowerCase() === purchase.wallet;
        report(
          isRight,
          `purchase ${purchase.id} was paid ${payment.args.amount} wei, not ${owedGwei} gwei, to its buyer`,
        );
      }
    }
    differences.push(...(await findWrongTotals(database.kysely)));
    const isComplete = differences.length === 0 && minted.length === purchases.length && paid === purchases.length;
    return { purchases: purchases.length, minted: minted.length, paid, isComplete, differences };
  } finally {
    await database.close();
  }
}

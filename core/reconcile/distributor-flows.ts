import { getAbiItem } from "viem";
import { z } from "zod";
import { distributorsOf } from "../chain/deployment.ts";
import { cashbackDistributorAbi } from "../chain/generated/cashback-distributor.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import { jsonOf } from "../rules/records.ts";
import type { ReconcileOptions } from "./reconcile.ts";

/** Deposits to and withdrawals from all distributors together, other than payouts. */
export type Flows = { fundedWei: bigint; sweptWei: bigint; withdrawnWei: bigint };

type FlowsOptions = Pick<ReconcileOptions, "database" | "client" | "contracts" | "startBlock">;

const RANGE_BLOCKS = 2_000n;
/** Payouts are not requested: there may be more of them than fit a response. */
const EVENTS = [
  getAbiItem({ abi: cashbackDistributorAbi, name: "Funded" }),
  getAbiItem({ abi: cashbackDistributorAbi, name: "Swept" }),
  getAbiItem({ abi: cashbackDistributorAbi, name: "CreditWithdrawn" }),
] as const;
/** The stored sum covers only blocks that are final. */
const SETTLED_DEPTH = 64n;

const storedSchema = z.object({
  contract: z.string(),
  block: z.coerce.bigint(),
  fundedWei: z.coerce.bigint(),
  sweptWei: z.coerce.bigint(),
  withdrawnWei: z.coerce.bigint(),
});

/**
 * Adds up the distributors' events up to a block, continuing from the last stored sum. With `isFresh` it restarts at
 * the first block, because an earlier response may have been incomplete.
 */
export async function readFlows(
  options: FlowsOptions,
  upTo: bigint,
  { isFresh = false }: { isFresh?: boolean } = {},
): Promise<Flows> {
  const { kysely } = options.database;
  const stored = storedSchema.safeParse(JSON.parse((await readSetting(kysely, "distributor_flows")) ?? "null")).data;
  const isUsable = !isFresh && stored?.contract === options.contracts.cashbackDistributor && stored.block <= upTo;
  const sum: Flows = isUsable
    ? { fundedWei: stored.fundedWei, sweptWei: stored.sweptWei, withdrawnWei: stored.withdrawnWei }
    : { fundedWei: 0n, sweptWei: 0n, withdrawnWei: 0n };
  let from = isUsable ? stored.block + 1n : options.startBlock;
  const settled = upTo - SETTLED_DEPTH;
  if (from <= settled) {
    for (; from <= settled; from += RANGE_BLOCKS) {
      const to = from + RANGE_BLOCKS - 1n;
      await addRange(options, sum, from, to < settled ? to : settled);
    }
    from = settled + 1n;
    const value = { contract: options.contracts.cashbackDistributor, block: settled, ...sum };
    await writeSetting(kysely, "distributor_flows", jsonOf(value));
  }
  await addRange(options, sum, from, upTo);
  return sum;
}

async function addRange(
  { client, contracts }: FlowsOptions,
  sum: Flows,
  fromBlock: bigint,
  toBlock: bigint,
): Promise<void> {
  if (fromBlock > toBlock) return;
  const address = distributorsOf(contracts);
  const events = await client.getLogs({ address, events: EVENTS, fromBlock, toBlock, strict: true });
  for (const event of events) {
    if (event.eventName === "Funded") sum.fundedWei += event.args.amount;
    else if (event.eventName === "Swept") sum.sweptWei += event.args.amount;
    else sum.withdrawnWei += event.args.amount;
  }
}

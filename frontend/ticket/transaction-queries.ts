import { queryOptions, skipToken } from "@tanstack/react-query";
import type { Hex } from "viem";
import { getBlock, getTransaction, getTransactionReceipt } from "viem/actions";
import { isTransactionHash, payoutsIn } from "../../core/chain/proof/payouts.ts";
import { client } from "../chain/client.ts";
import { distributors } from "../chain/contracts.ts";

/** Apart from `queries.ts`: a ticket is shown without any code for the chain. */
export const transactionQuery = (hash: string) =>
  queryOptions({
    queryKey: ["tx", hash],
    queryFn: isTransactionHash(hash) ? () => readTransaction(hash) : skipToken,
  });

/** A transaction with its receipt, the payouts in it, and when it was mined. */
export async function readTransaction(hash: Hex) {
  const [transaction, receipt] = await Promise.all([
    getTransaction(client, { hash }),
    getTransactionReceipt(client, { hash }),
  ]);
  const block = await getBlock(client, { blockNumber: receipt.blockNumber });
  const at = new Date(Number(block.timestamp) * 1_000).toISOString();
  return { transaction, receipt, payouts: payoutsIn(receipt.logs, distributors()), at };
}

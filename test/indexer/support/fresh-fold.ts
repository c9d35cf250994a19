import { createPublicClient, http, parseEventLogs } from "viem";
import { cashbackDistributorAbi } from "../../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../../core/chain/generated/purchase-nft.ts";
import type { Database } from "../../../core/database/connect.ts";
import { CASHBACK_DISTRIBUTOR, PURCHASE_NFT } from "../../testing/event-chain.ts";
import { readIndex } from "./running-indexer.ts";

/** The expected index, one line per row, so that a difference is easy to read. */
export type IndexText = { events: string[]; nfts: string[]; payouts: string[] };

const INT64_MAX = 2n ** 63n - 1n;
const KINDS = ["PurchaseMinted", "StatusUpdated", "CashbackPaid", "CashbackDeferred"];

/** Folds the canonical chain with another decoder and without the indexer's code. */
export async function foldChain(rpcUrl: string): Promise<IndexText> {
  const client = createPublicClient({ transport: http(rpcUrl) });
  const raw = await client.getLogs({
    address: [PURCHASE_NFT, CASHBACK_DISTRIBUTOR],
    fromBlock: 0n,
    toBlock: "latest",
  });
  const nftLogs = parseEventLogs({ abi: purchaseNftAbi, logs: raw.filter((log) => log.address === PURCHASE_NFT) });
  const paymentLogs = parseEventLogs({
    abi: cashbackDistributorAbi,
    logs: raw.filter((log) => log.address === CASHBACK_DISTRIBUTOR),
  });
  const logs = [...nftLogs, ...paymentLogs]
    .filter((log) => KINDS.includes(log.eventName))
    .sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex);
  const times = new Map<bigint, bigint>();
  for (const number of new Set(logs.map((log) => log.blockNumber))) {
    times.set(number, (await client.getBlock({ blockNumber: number })).timestamp * 1_000n);
  }

  const events: string[] = [];
  const nfts = new Map<bigint, { fixed: string; status: string }>();
  const payouts = new Map<bigint, string>();
  for (const log of logs) {
    const at = times.get(log.blockNumber);
    const { blockNumber: block, transactionHash: transaction } = log;
    const note = (id: bigint) => events.push(`${block}/${log.logIndex} ${log.eventName} ${id} ${transaction}`);
    if (log.eventName === "CashbackPaid" || log.eventName === "CashbackDeferred") {
      const { purchaseId, recipient, amount } = log.args;
      if (purchaseId > INT64_MAX) continue;
      note(purchaseId);
      const state = log.eventName === "CashbackPaid" ? "paid" : "deferred";
      payouts.set(
        purchaseId,
        `${purchaseId} ${recipient.toLowerCase()} ${amount / 10n ** 9n} ${state} ${transaction} ${block} ${log.logIndex} ${at}`,
      );
    } else if (log.eventName === "PurchaseMinted") {
      const { tokenId, buyer, storeId, valueCents, baseBps, bonusBps, saleRef } = log.args;
      if (tokenId > INT64_MAX) continue;
      note(tokenId);
      nfts.set(tokenId, {
        fixed: `${tokenId} ${buyer.toLowerCase()} ${storeId} ${valueCents} ${baseBps} ${bonusBps} ${BigInt.asIntN(64, saleRef)} ${transaction} ${block} ${at}`,
        status: "1 null null null",
      });
    } else if (log.eventName === "StatusUpdated") {
      const { tokenId, to } = log.args;
      if (tokenId > INT64_MAX) continue;
      note(tokenId);
      const nft = nfts.get(tokenId);
      if (nft) nft.status = `${to} ${transaction} ${block} ${at}`;
    }
  }
  const byId = <T>(rows: Map<bigint, T>) => [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return { events, nfts: byId(nfts).map(({ fixed, status }) => `${fixed} ${status}`), payouts: byId(payouts) };
}

/** The actual index, in the same form. */
export async function readIndexText(database: Database): Promise<IndexText> {
  const { events, nfts, payouts } = await readIndex(database);
  return {
    events: events.map((e) => `${e.block_number}/${e.log_index} ${e.kind} ${e.token_id} ${e.transaction_hash}`),
    nfts: nfts.map((n) =>
      [
        n.token_id,
        n.owner,
        n.store_id,
        n.value_cents,
        n.cashback_bps,
        n.bonus_bps,
        n.sale_ref,
        n.mint_transaction,
        n.minted_block,
        n.minted_at,
        n.status,
        n.status_transaction,
        n.status_block,
        n.status_at,
      ]
        .map(String)
        .join(" "),
    ),
    payouts: payouts.map((p) =>
      [p.token_id, p.recipient, p.amount_gwei, p.state, p.transaction_hash, p.block_number, p.log_index, p.paid_at]
        .map(String)
        .join(" "),
    ),
  };
}

import { paidWord } from "../../core/chain/generated/cashback-distributor.ts";
import { storeName, ticketsOf } from "../../core/chain/generated/purchase-nft.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { readContract } from "./client.ts";
import { distributor, ticketContracts } from "./contracts.ts";
import type { TicketRecord } from "./ticket-differences.ts";

/** `paidWord` has the bits of 256 purchases. */
const WORD_BITS = 8n;

/**
 * Tickets as the contracts have them, in their order, whoever says that they exist: each at the first contract that has it,
 * from the current one back.
 */
export async function readTickets(ids: readonly bigint[]): Promise<TicketRecord[]> {
  const [payer, words] = [distributor(), [...new Set(ids.map((id) => id >> WORD_BITS))]];
  const paidWords = words.map((word) =>
    readContract({ address: payer, abi: [paidWord], functionName: "paidWord", args: [word] }),
  );
  const found = new Map<bigint, Omit<TicketRecord, "isPaid">>();
  const find = async () => {
    for (const contract of ticketContracts()) {
      const left = ids.filter((id) => (found.get(id)?.status ?? CHAIN_STATUS.none) === CHAIN_STATUS.none);
      if (left.length === 0) return;
      for (const [id, record] of await readAt(contract, left)) found.set(id, record);
    }
  };
  const [paid] = await Promise.all([Promise.all(paidWords), find()]);
  return ids.map((id) => {
    const record = found.get(id);
    if (!record) throw new Error("The node answered for other tickets than it was asked for");
    return { ...record, isPaid: (((paid[words.indexOf(id >> WORD_BITS)] ?? 0n) >> (id & 255n)) & 1n) === 1n };
  });
}

async function readAt(contract: WalletAddress, ids: readonly bigint[]) {
  const tickets = await readContract({ address: contract, abi: [ticketsOf], functionName: "ticketsOf", args: [ids] });
  const minted = tickets.filter(({ status }) => status !== CHAIN_STATUS.none);
  const stores = [...new Set(minted.map(({ storeId }) => storeId))];
  const names = await Promise.all(
    stores.map((id) => readContract({ address: contract, abi: [storeName], functionName: "storeName", args: [id] })),
  );
  return tickets.flatMap((ticket, index) => {
    const id = ids[index];
    const name = names[stores.indexOf(ticket.storeId)] ?? "";
    return id === undefined ? [] : [[id, { ...ticket, contract, storeName: name }] as const];
  });
}

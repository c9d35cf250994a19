import { zeroAddress } from "viem";
import type { PurchaseNft } from "../../core/rules/api/people.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import { nftFacts } from "../api/nft-facts.ts";

/**
 * What of a ticket is compared with the contracts. `ticket`: that it exists, in this contract; `amount`: what was paid;
 * `transaction`: that the transactions which are named minted, settled and paid it.
 */
export type ComparedFact = (typeof RECORDED)[number] | "ticket" | "amount" | "transaction";
const RECORDED = ["store", "value", "cashback", "bonus", "status", "paid", "wallet"] as const;

/** A ticket as a page shows it. */
export type ShownTicket = {
  nft: PurchaseNft;
  /** Undefined if the page does not say. */
  isPaid: boolean | undefined;
  /** The wallet as whose it is shown, if not that of the ticket's own words. */
  wallet?: string;
};

/** A ticket as the contracts have it; one that does not exist, or is burnt, has no buyer. */
export type TicketRecord = {
  /** The tickets' contract. */
  contract: string;
  buyer: string;
  storeId: number;
  storeName: string;
  valueCents: number;
  baseBps: number;
  bonusBps: number;
  status: number;
  isPaid: boolean;
};

/** What a page says otherwise than the contracts. `isPassing`: each of it can come from one being a moment ahead. */
export type Difference = { id: string; facts: readonly ComparedFact[]; isPassing: boolean };

/** Undefined if the ticket is shown as the contracts have it. */
export function differenceOf({ nft, isPaid, wallet }: ShownTicket, record: TicketRecord): Difference | undefined {
  const shown = nftFacts(nft);
  const status = CHAIN_STATUS[shown.status];
  if (nft.contract.toLowerCase() !== record.contract.toLowerCase())
    return { id: nft.tokenId, facts: ["ticket"], isPassing: false };
  // A node that has not seen it yet.
  if (record.status === CHAIN_STATUS.none) return { id: nft.tokenId, facts: ["ticket"], isPassing: true };
  const isBurnt = record.buyer === zeroAddress;
  const buyers = [shown.buyer, wallet ?? shown.buyer].map((one) => one.toLowerCase());
  const totalBps = BigInt(record.baseBps + record.bonusBps);
  const holds: Record<(typeof RECORDED)[number], boolean> = {
    wallet: isBurnt || buyers.every((one) => one === record.buyer.toLowerCase()),
    store: shown.store === record.storeName || shown.store === `Loja ${record.storeId}`,
    value: shown.valueCents === BigInt(record.valueCents),
    cashback: shown.cashbackBps === totalBps,
    bonus: shown.bonusBps === BigInt(record.bonusBps),
    status: status === record.status,
    paid: isPaid === undefined || isPaid === record.isPaid,
  };
  const facts = RECORDED.filter((fact) => !holds[fact]);
  if (facts.length === 0) return undefined;
  // One of the two reads the chain a moment later; a store is renamed on both, one after the other.
  const isPassing = facts.every(
    (fact) => fact === "store" || fact === "paid" || (fact === "status" && canFollow(status, record.status)),
  );
  return { id: nft.tokenId, facts, isPassing };
}

/** Whether one status leads to the other, on whichever side it is. */
function canFollow(one: number, other: number): boolean {
  const { pending, confirmed, returned } = CHAIN_STATUS;
  const [before, after] = one < other ? [one, other] : [other, one];
  return before === pending || (before === confirmed && after === returned);
}

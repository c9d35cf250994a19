import { zeroAddress } from "viem";
import type { PurchaseNft } from "../../core/rules/api/people.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import { nftFacts } from "../api/nft-facts.ts";

/** A ticket as the contract's `ticketsOf` returns it; a token that does not exist, or is burnt, has no buyer. */
export type TicketRecord = { buyer: string; valueCents: number; baseBps: number; bonusBps: number; status: number };

/**
 * The ids of tickets that the contract has otherwise than the server says. A status that is further on the chain is no
 * difference: the server reads the chain a moment later.
 */
export function ticketDifferences(tickets: readonly PurchaseNft[], records: readonly TicketRecord[]): string[] {
  return tickets.flatMap((ticket, index) => (isSame(ticket, records[index]) ? [] : [ticket.tokenId]));
}

function isSame(ticket: PurchaseNft, record: TicketRecord | undefined): boolean {
  if (!record) return false;
  const { buyer, valueCents, cashbackBps, status } = nftFacts(ticket);
  const isAhead = record.status !== CHAIN_STATUS.none && CHAIN_STATUS[status] === CHAIN_STATUS.pending;
  const isBurnt = record.status !== CHAIN_STATUS.none && record.buyer === zeroAddress;
  return (
    (isBurnt || record.buyer.toLowerCase() === buyer.toLowerCase()) &&
    BigInt(record.valueCents) === valueCents &&
    BigInt(record.baseBps + record.bonusBps) === cashbackBps &&
    (record.status === CHAIN_STATUS[status] || isAhead)
  );
}

/** Of the differences, those of a node that has not seen yet what the server has: a ticket, or how it was settled. */
export function ticketsBehind(tickets: readonly PurchaseNft[], records: readonly TicketRecord[]): string[] {
  return tickets.flatMap((ticket, index) => {
    const record = records[index];
    const isBehind =
      record?.status === CHAIN_STATUS.none ||
      (record?.status === CHAIN_STATUS.pending &&
        isSame(ticket, { ...record, status: CHAIN_STATUS[nftFacts(ticket).status] }));
    return isBehind && !isSame(ticket, record) ? [ticket.tokenId] : [];
  });
}

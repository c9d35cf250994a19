import { parseEventLogs, zeroAddress } from "viem";
import { PurchaseMinted, StatusUpdated } from "../../core/chain/generated/purchase-nft.ts";
import { payoutsIn } from "../../core/chain/proof/payouts.ts";
import { parseDecimal } from "../../core/rules/money.ts";
import { CHZ_DECIMALS, WEI_PER_GWEI } from "../../core/rules/product.ts";
import { type Outcome, outcomesOf, type ProofBooks, type ProvenTicket } from "../../core/rules/proof.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import { toWalletAddress } from "../../core/rules/wallet-address.ts";
import { getWalletTickets } from "../api/calls.ts";
import { nftFacts } from "../api/nft-facts.ts";
import type { PublicTicket } from "../api/shapes.ts";
import { distributors, ticketContracts } from "../chain/contracts.ts";
import { readWalletBooks } from "../chain/read-books.ts";
import { readTickets } from "../chain/read-tickets.ts";
import { type ComparedFact, type Difference, differenceOf, type TicketRecord } from "../chain/ticket-differences.ts";
import { type ChainTicket, type NamedLogs, readLogs } from "./read-chain-ticket.ts";

/** A ticket as the chain has it, with why less was paid, and what its page says otherwise. */
export async function compareTicket(ticket: PublicTicket, record: TicketRecord, logs: NamedLogs): Promise<ChainTicket> {
  const own = provenOf(BigInt(ticket.tokenId), record, { logs: logs.paid, buyer: nftFacts(ticket).buyer });
  const difference = differenceIn(ticket, { record, own, logs });
  return { ...own, isPaid: record.isPaid, outcome: await outcomeWithBooks(own), difference };
}

type Read = { record: TicketRecord; own: ProvenTicket; logs: NamedLogs };

function differenceIn(ticket: PublicTicket, { record, own, logs }: Read): Difference | undefined {
  const did =
    isIn(logs.minted, own.id) &&
    (ticket.settled === null || isIn(logs.settled, own.id, CHAIN_STATUS[nftFacts(ticket).status])) &&
    (ticket.paid === null || own.payouts.length > 0);
  const saidWei = ticket.paid && parseDecimal(ticket.paid.amount, CHZ_DECIMALS);
  // The site says whole gwei, rounded up.
  const isSum =
    saidWei === null ||
    own.payouts.every(({ amountWei }) => saidWei - amountWei < WEI_PER_GWEI && saidWei >= amountWei);
  const differs = differenceOf({ nft: ticket, isPaid: ticket.paid !== null }, record);
  const facts: ComparedFact[] = [
    ...(differs?.facts ?? []),
    ...(isSum ? [] : (["amount"] as const)),
    ...(did ? [] : (["transaction"] as const)),
  ];
  if (facts.length === 0) return undefined;
  const isAway = Object.values(logs).includes("unknown");
  return { id: ticket.tokenId, facts, isPassing: (differs?.isPassing ?? true) && isSum && (did || isAway) };
}

/** Whether a transaction minted the ticket, or gave it this status. */
function isIn(logs: NamedLogs[keyof NamedLogs], id: bigint, status?: number): boolean {
  if (!Array.isArray(logs)) return false;
  const own = logs.filter(({ address }) => ticketContracts().includes(toWalletAddress(address)));
  return parseEventLogs({ abi: [PurchaseMinted, StatusUpdated], logs: own }).some((event) =>
    event.eventName === "StatusUpdated"
      ? event.args.tokenId === id && event.args.to === status
      : status === undefined && event.args.tokenId === id,
  );
}

/** A burnt ticket names nobody: whose it was, the site says. */
function provenOf(
  id: bigint,
  { buyer, status, valueCents, baseBps, bonusBps }: TicketRecord,
  said: { logs: NamedLogs["paid"]; buyer: string },
): ProvenTicket {
  const payouts = Array.isArray(said.logs) ? payoutsIn(said.logs, distributors()) : [];
  return {
    id,
    buyer: toWalletAddress(buyer === zeroAddress ? said.buyer : buyer),
    status,
    valueCents: BigInt(valueCents),
    totalBps: BigInt(baseBps) + BigInt(bonusBps),
    payouts: payouts.filter(({ purchaseId }) => purchaseId === id),
  };
}

/** As the proof page has it: what was kept back counts only if the debts of the wallet's other tickets cover it. */
async function outcomeWithBooks(own: ProvenTicket): Promise<Outcome> {
  const [alone = { kind: "open" as const }] = outcomesOf([own]);
  if (alone.kind !== "less" && alone.kind !== "missing") return alone;
  const books = await readWalletBooks(toWalletAddress(own.buyer));
  const entry = books?.get(own.id);
  if (!books || !entry) return alone;
  const others = entry.keptGwei > 0n ? await readOthers(own, books) : [];
  return outcomesOf([own, ...others], books)[0] ?? alone;
}

/** The wallet's tickets of which the books say something. */
async function readOthers(own: ProvenTicket, books: ProofBooks): Promise<ProvenTicket[]> {
  const ids = [...books.keys()].filter((id) => id !== own.id);
  const said = new Map((await getWalletTickets(own.buyer)).map((one) => [BigInt(one.token_id), one.paid?.tx]));
  const [records, logs] = await Promise.all([readTickets(ids), Promise.all(ids.map((id) => readLogs(said.get(id))))]);
  return records.flatMap((record, index) => {
    const id = ids[index] ?? 0n;
    const other = provenOf(id, record, { logs: logs[index], buyer: own.buyer });
    // Another wallet's debts cover nothing.
    return other.buyer === own.buyer ? [other] : [];
  });
}

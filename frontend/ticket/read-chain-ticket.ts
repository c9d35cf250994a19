import { isHash, TransactionReceiptNotFoundError } from "viem";
import { getTransactionReceipt } from "viem/actions";
import type { Outcome, ProvenTicket } from "../../core/rules/proof.ts";
import type { PublicTicket } from "../api/shapes.ts";
import { client } from "../chain/client.ts";
import { readTickets } from "../chain/read-tickets.ts";
import type { Difference } from "../chain/ticket-differences.ts";

/** A ticket from the chain, with what its payout comes to, and what the page says otherwise. */
export type ChainTicket = ProvenTicket & { isPaid: boolean; outcome: Outcome; difference: Difference | undefined };

/** Of the transactions that a page names. */
export type NamedLogs = Record<"minted" | "settled" | "paid", Logs>;

/** Reads from the chain what the site says of a ticket; the site's books say why less was paid, or nothing. */
export async function readChainTicket(ticket: PublicTicket): Promise<ChainTicket> {
  const id = BigInt(ticket.tokenId);
  const [[record], minted, settled, paid] = await Promise.all([
    readTickets([id]),
    readLogs(ticket.minted.tx),
    readLogs(ticket.settled?.tx),
    readLogs(ticket.paid?.tx),
  ]);
  if (!record) throw new Error("The node answers for no ticket");
  // Without an answer of the chain there is nothing to compare.
  const { compareTicket } = await import("./compare-ticket.ts");
  return compareTicket(ticket, record, { minted, settled, paid });
}

type Logs = Awaited<ReturnType<typeof getTransactionReceipt>>["logs"] | "unknown" | undefined;

/** `unknown`: this node does not know the transaction, or not yet. */
export async function readLogs(hash: string | undefined): Promise<Logs> {
  if (hash === undefined) return undefined;
  if (!isHash(hash)) return [];
  return getTransactionReceipt(client, { hash }).then(
    ({ logs }) => logs,
    (error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return "unknown";
      throw error;
    },
  );
}

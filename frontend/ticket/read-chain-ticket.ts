import { isHash, TransactionReceiptNotFoundError } from "viem";
import { getTransactionReceipt } from "viem/actions";
import type { Outcome, ProvenTicket } from "../../core/rules/proof.ts";
import type { PublicTicket } from "../api/shapes.ts";
import { client } from "../chain/client.ts";
import type { Difference, TicketRecord } from "../chain/ticket-differences.ts";

/** A ticket from the chain, with what its payout comes to, and what the page says otherwise. */
export type ChainTicket = ProvenTicket & { isPaid: boolean; outcome: Outcome; difference: Difference | undefined };

/** Of the transactions that a page names. */
export type NamedLogs = Record<"minted" | "settled" | "paid", Logs>;

/** Reads the transactions that the site names of a ticket; the site's books say why less was paid, or nothing. */
export async function readChainTicket(ticket: PublicTicket, record: TicketRecord): Promise<ChainTicket> {
  const [minted, settled, paid] = await Promise.all([
    readLogs(ticket.minted.tx),
    readLogs(ticket.settled?.tx),
    readLogs(ticket.paid?.tx),
  ]);
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

import { queryOptions, skipToken } from "@tanstack/react-query";
import type { PublicTicket } from "../api/shapes.ts";
import type { TicketRecord } from "../chain/ticket-differences.ts";

/** What the server says of a ticket now. */
export const learnedOf = ({ contract, metadata, minted, settled, paid }: PublicTicket): string =>
  JSON.stringify([contract, metadata.attributes, minted.tx, settled?.tx, paid?.tx]);

/** A ticket's record on the chain with the transactions that the page names, compared with what the server says now. */
export const chainTicketQuery = (ticket: PublicTicket, record: TicketRecord | undefined) =>
  queryOptions({
    queryKey: ["chain-ticket", ticket.tokenId, learnedOf(ticket), record],
    queryFn: record
      ? async () => {
          const { readChainTicket } = await import("./read-chain-ticket.ts");
          return readChainTicket(ticket, record);
        }
      : skipToken,
    staleTime: 5_000,
  });

import { queryOptions } from "@tanstack/react-query";
import type { PublicTicket } from "../api/shapes.ts";

/** A ticket as the chain has it, compared with what the server says now. */
export const chainTicketQuery = (ticket: PublicTicket) => {
  const { tokenId, contract, metadata, minted, settled, paid } = ticket;
  const learned = JSON.stringify([contract, metadata.attributes, minted.tx, settled?.tx, paid?.tx]);
  return queryOptions({
    queryKey: ["chain-ticket", tokenId, learned],
    queryFn: async () => {
      // Loaded with the proof, because the ticket is shown without any code for the chain.
      const { readChainTicket } = await import("./read-chain-ticket.ts");
      return readChainTicket(ticket);
    },
    staleTime: 5_000,
  });
};

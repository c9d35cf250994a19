import { queryOptions } from "@tanstack/react-query";
import type { PublicTicket } from "../api/shapes.ts";

/** A ticket as the chain has it. */
export const chainTicketQuery = ({ tokenId, paid }: PublicTicket) =>
  queryOptions({
    queryKey: ["chain-ticket", tokenId, paid?.tx],
    queryFn: async () => {
      // Loaded with the proof, because the ticket is shown without any code for the chain.
      const { readChainTicket } = await import("./read-chain-ticket.ts");
      return readChainTicket(BigInt(tokenId), paid?.tx);
    },
    staleTime: 5_000,
  });

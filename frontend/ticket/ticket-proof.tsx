import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { ticketQuery } from "../api/queries.ts";
import { reasonOf } from "../api/reason-of.ts";
import type { PublicTicket } from "../api/shapes.ts";
import { useTickets } from "../chain/use-tickets.ts";
import { useText } from "../i18n/language.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import ProofResult from "./proof-result.tsx";
import { chainTicketQuery, learnedOf } from "./queries.ts";

/** Where something differs that may pass. */
const AGAIN_MS = 3_000;

/** What the chain says of a ticket, read in the browser. */
export default function TicketProof({ ticket }: { ticket: PublicTicket }) {
  const t = useText();
  const read = useTickets([ticket], { learned: learnedOf(ticket) });
  const record = read.isRead ? read.recordOf(ticket) : undefined;
  const chain = useQuery({ ...chainTicketQuery(ticket, record), placeholderData: (previous) => previous });
  const isDiffering = chain.data?.difference !== undefined;
  const { readAgain } = read;
  const { refetch } = chain;
  useEffect(() => {
    if (!isDiffering) return;
    const timer = setInterval(() => Promise.all([readAgain(), refetch()]), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isDiffering, readAgain, refetch]);
  // The server may have learned by now what the chain has.
  useQuery({ ...ticketQuery(ticket.tokenId), refetchInterval: isDiffering ? AGAIN_MS : false });
  const error = read.error ?? chain.error;
  if (error) {
    return (
      <div role="alert" className="problem">
        <p>{reasonOf(error, t)}</p>
        <button type="button" className="button button-small" onClick={() => (read.isError ? readAgain() : refetch())}>
          {t("common.retry")}
        </button>
      </div>
    );
  }
  if (!chain.data) return <Skeletons count={1} className="h-24" />;
  return <ProofResult chain={chain.data} isOver={ticket.is_over} readAt={chain.dataUpdatedAt} />;
}

import { drawTicket } from "../../core/chain/ticket-drawing.ts";
import { NO_LOOK, ticketLook } from "../../core/rules/clubs/ticket-look.ts";
import { toWalletAddress } from "../../core/rules/wallet-address.ts";
import type { NftFacts } from "../api/nft-facts.ts";
import type { PublicTicket } from "../api/shapes.ts";
import { useClubOf } from "../club/use-clubs.ts";

/** The ticket as its contract would draw it, of what the page says. docs/product.md#ticket-picture */
export default function DrawnHere({ ticket, facts }: { ticket: PublicTicket; facts: NftFacts }) {
  const club = useClubOf(ticket.club_slug ?? undefined);
  const { valueCents = 0n, cashbackBps = 0n, bonusBps = 0n } = facts;
  const drawing = drawTicket({
    id: BigInt(ticket.tokenId),
    storeId: ticket.store_id,
    store: facts.store,
    valueCents,
    baseBps: cashbackBps - bonusBps,
    bonusBps,
    buyer: toWalletAddress(facts.buyer),
    drawn: facts.status === "confirmed" && ticket.paid ? "paid" : facts.status,
    look: club ? ticketLook(club) : NO_LOOK,
  });
  return <img src={`data:image/svg+xml,${encodeURIComponent(drawing)}`} alt="" width="600" height="600" />;
}

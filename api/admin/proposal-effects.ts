import { moveContract } from "../../core/catalogue/fan-tokens.ts";
import { requireAgreedLink } from "../../core/catalogue/percent-approvals.ts";
import { moveStore } from "../../core/catalogue/store-moves.ts";
import type { Proposal, ProposedFields } from "../../core/database/proposals.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import { agreeInvite } from "../../core/purchases/invites.ts";
import type { ProposalKind } from "../../core/rules/proposals.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { eraseNow } from "../people/leaving.ts";
import { revokeSessions } from "../people/sessions.ts";
import type { Services } from "../services.ts";
import { bookAgreed } from "./large-bookings.ts";

/** What was agreed to, and by whom; nobody if its day came. */
export type Agreed = { proposal: Proposal; from: ProposedFields; to: ProposedFields; by: string | undefined };

/** Carries it out, in the transaction that decides. False: what it was about has changed, so it lapses. */
type Effect = (services: Services, queries: Queries, agreed: Agreed) => Promise<boolean>;

/** What happens on agreement, or on the day, by kind: a new kind of proposal registers its effect here. */
const EFFECTS: Readonly<Partial<Record<ProposalKind, Effect>>> = {
  store_link: moveStoreOf,
  store_account: moveStoreOf,
  store_merchant: moveStoreOf,
  token_contract: (_services, queries, { proposal, from, to }) =>
    moveContract(queries, BigInt(proposal.subject_id), { from, to }),
  booking: (_services, queries, { proposal, to, by }) =>
    bookAgreed(queries, { to, askedBy: proposal.asked_by, agreedBy: by }),
  async invite({ saleRules }, queries, { proposal }) {
    const sales = await agreeInvite(queries, BigInt(proposal.subject_id));
    if (sales) await decideSales(queries, sales, saleRules);
    return sales !== undefined;
  },
  erase: (services, queries, { proposal }) => eraseNow(services, queries, proposal.subject_id as WalletAddress),
  async sessions(_services, queries, { proposal }) {
    await revokeSessions(queries, proposal.subject_id as WalletAddress);
    return true;
  },
};

async function moveStoreOf(services: Services, queries: Queries, { proposal, from, to, by }: Agreed): Promise<boolean> {
  const id = BigInt(proposal.subject_id);
  await requireAgreedLink(queries, id, to, BigInt(services.environment.BOOST_APPROVAL_ABOVE_PERCENT) * 100n);
  return moveStore(queries, id, { from, to }, [proposal.asked_by, ...(by === undefined ? [] : [by])]);
}

export async function carryOut(
  services: Services,
  queries: Queries,
  proposal: Proposal,
  by: string | undefined,
): Promise<boolean> {
  const [from, to] = [JSON.parse(proposal.from_fields), JSON.parse(proposal.to_fields)];
  return (await EFFECTS[proposal.kind]?.(services, queries, { proposal, from, to, by })) ?? false;
}

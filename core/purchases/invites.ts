import { sql } from "kysely";
import { among } from "../database/among.ts";
import type { Queries } from "../database/transaction.ts";
import { BOOST_SALE_MS } from "../rules/boost.ts";
import { inviteCentBps, type SaleInvite } from "../rules/invites.ts";
import type { ClickFacts, SaleFacts } from "../rules/sale/facts.ts";
import type { SimulatedPurchase } from "../rules/sale/simulated.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { newClickToken } from "./click-token.ts";

/* What invitations give: which click carries one, and what a sale gets by it. docs/product.md#invite */

/** A click or a simulated purchase that is about to be stored; `inviteBps`: what the operator gives now. */
export type Invitable = { token: string; wallet: WalletAddress; at: bigint; inviteBps: bigint };

/**
 * The invitations that these clicks carry, by token: the friend's first one, and the inviter's next one once the friend's
 * purchase is paid. Of two at once, one carries it. In the transaction that stores them, before they are.
 */
export async function claimInvites(queries: Queries, some: readonly Invitable[]): Promise<Map<string, SaleInvite>> {
  const carried = new Map<string, SaleInvite>();
  const wanted = some.filter(({ inviteBps }) => inviteBps > 0n);
  if (wanted.length === 0) return carried;
  const open = await readOpenInvites(queries, new Set(wanted.map(({ wallet }) => wallet)));
  for (const one of wanted) {
    if (open.every(({ wallet }) => wallet !== one.wallet)) continue;
    for (const invite of open) {
      if (invite.wallet !== one.wallet || carried.has(one.token)) continue;
      const taken = await claim(queries, invite, one);
      if (taken) carried.set(one.token, taken);
    }
  }
  return carried;
}

/** What a wallet's next click would carry, in basis points. docs/product.md#invite */
export async function nextInviteBps(queries: Queries, wallet: WalletAddress, inviteBps: bigint): Promise<bigint> {
  const [next] = inviteBps === 0n ? [] : await readOpenInvites(queries, new Set([wallet]));
  if (next === undefined) return 0n;
  return next.role === "friend" || next.bps > inviteBps ? inviteBps : next.bps;
}

type OpenInvite = { id: bigint; role: "friend" | "inviter"; wallet: WalletAddress; bps: bigint };

/** What no click carries yet: a friend's own comes before what they have earned. */
async function readOpenInvites(queries: Queries, wallets: ReadonlySet<WalletAddress>): Promise<OpenInvite[]> {
  // Who has visited a store or bought since is no new friend.
  const ofFriends = await queries
    .selectFrom("invites")
    .select(["id", "friend as wallet", "bps"])
    .where(among(queries, "friend", wallets))
    .where("friend_click", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("clicks").select("clicks.id").whereRef("clicks.wallet", "=", "invites.friend"))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("purchases").select("purchases.id").whereRef("purchases.wallet", "=", "invites.friend"))),
    )
    .execute();
  const ofInviters = await queries
    .selectFrom("invites")
    .select(["id", "inviter as wallet", "bps"])
    .where(among(queries, "inviter", wallets))
    .where("friend_click", "is not", null)
    .where("inviter_click", "is", null)
    .where("state", "=", "open")
    .where("bps", ">", 0n)
    .where(IS_EARNED)
    .orderBy("id")
    .execute();
  return [
    ...ofFriends.map((one) => ({ ...one, role: "friend" as const })),
    ...ofInviters.map((one) => ({ ...one, role: "inviter" as const, wallet: one.wallet as WalletAddress })),
  ];
}

/** The friend's purchase is paid, and was not returned. */
const IS_EARNED = sql<boolean>`(exists (select 1 from purchases join payouts on payouts.token_id = purchases.id
    where purchases.sale_id = invites.friend_sale_id and purchases.settled_at is not null)
  or exists (select 1 from purchases join payouts on payouts.token_id = purchases.id
    where purchases.click_id = invites.friend_click and purchases.settled_at is not null))
  and not exists (select 1 from sales where sales.id = invites.friend_sale_id
    and (sales.status = 'declined' or sales.declined_by is not null))`;

async function claim(queries: Queries, invite: OpenInvite, one: Invitable): Promise<SaleInvite | undefined> {
  const isFriend = invite.role === "friend";
  const column = isFriend ? "friend_click" : "inviter_click";
  const bps = isFriend || invite.bps > one.inviteBps ? one.inviteBps : invite.bps;
  const taken = await queries
    .updateTable("invites")
    .set({ [column]: one.token, ...(isFriend && { bps }) })
    .where("id", "=", invite.id)
    .where(column, "is", null)
    .returning("state")
    .executeTakeFirst();
  return (
    taken && { id: invite.id, role: invite.role, bps, until: one.at + BOOST_SALE_MS, isInForce: taken.state === "open" }
  );
}

/** With what invitations add. A person's later word comes too late: they are paid at once. docs/product.md#invite */
export async function inviteSimulated(queries: Queries, purchases: readonly SimulatedPurchase[], at: bigint) {
  const named = purchases.map((purchase) => ({ ...purchase, clickId: newClickToken() }));
  const invites = await claimInvites(
    queries,
    named.map(({ clickId, wallet, inviteBps = 0n }) => ({ token: clickId, wallet, at, inviteBps })),
  );
  return named.map((purchase) => {
    const invite = invites.get(purchase.clickId);
    if (!invite?.isInForce) return purchase;
    const { amountCents, cashbackBps, bonusBps, bonusRead } = purchase;
    const centBps = inviteCentBps(invite, {
      amountCents,
      centBps: amountCents * (cashbackBps + bonusBps),
      boughtAt: at,
    });
    const invitedBps = centBps / amountCents;
    const left = bonusRead && { ...bonusRead, mostBps: bonusRead.mostBps - invitedBps, invitedBps };
    return { ...purchase, bonusBps: bonusBps + invitedBps, bonusRead: left ?? null };
  });
}

// What a sale gets --------------------------------------------------------------------------------------------------------

/** `linked`: the inviter's sale, which is decided with the friend's. */
type FoundInvite = { invite: SaleInvite | null; linked: bigint[] };

/**
 * The invitations that the clicks of some sales carry, by sale. The first of a click is the one that is decided first, and
 * stays it, whichever click the network names later; of several now, the oldest. docs/product.md#invite
 */
export async function readSaleInvites(
  queries: Queries,
  drafts: readonly { row: { id: bigint }; known: Pick<SaleFacts, "click" | "kept">; buyer: ClickFacts | null }[],
): Promise<Map<bigint, FoundInvite>> {
  const carrying = drafts.flatMap(({ row, buyer }) =>
    buyer?.terms.invite ? [[row.id, buyer.terms.invite] as const] : [],
  );
  const moved = drafts.filter(hasMoved).map(({ row }) => row.id);
  if (carrying.length === 0 && moved.length === 0) return new Map();
  const ids = new Set(carrying.map(([, { id }]) => id));
  const rows = await queries
    .selectFrom("invites")
    .leftJoin("sales", "sales.id", "invites.friend_sale_id")
    .select(["invites.id", "invites.state", "friend_sale_id", "inviter_sale_id", "sales.status", "sales.declined_by"])
    .where(({ or }) => or([among(queries, "invites.id", [...ids]), among(queries, "friend_sale_id", moved)]))
    .execute();
  const found = new Map<bigint, FoundInvite>();
  for (const [saleId, terms] of carrying) {
    const row = rows.find(({ id }) => id === terms.id);
    if (!row) continue;
    const column = `${terms.role}_sale_id` as const;
    if (row[column] === null) {
      row[column] = saleId;
      await queries
        .updateTable("invites")
        .set({ [column]: saleId })
        .where("id", "=", terms.id)
        .execute();
    }
    const isReturned = row.status === "declined" || row.declined_by !== null;
    const isInForce = row[column] === saleId && row.state === "open" && (terms.role === "friend" || !isReturned);
    found.set(saleId, { invite: { ...terms, isInForce }, linked: [] });
  }
  for (const { friend_sale_id, inviter_sale_id } of rows) {
    if (friend_sale_id === null || inviter_sale_id === null) continue;
    const { invite = null, linked = [] } = found.get(friend_sale_id) ?? {};
    found.set(friend_sale_id, { invite, linked: [...linked, inviter_sale_id] });
  }
  return found;
}

/** Whether a sale may have been another click's before. */
function hasMoved({ known: { click, kept }, buyer }: Parameters<typeof readSaleInvites>[1][number]): boolean {
  return click !== null && (kept.moves > 0 || kept.assignedOver !== null || click.id !== buyer?.id);
}

/** The sales that an invitation's clicks led to, which count. */
export async function agreeInvite(queries: Queries, id: bigint): Promise<bigint[] | undefined> {
  const row = await queries
    .updateTable("invites")
    .set({ state: "open" })
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .returning(["friend_sale_id", "inviter_sale_id"])
    .executeTakeFirst();
  return row && [row.friend_sale_id, row.inviter_sale_id].flatMap((one) => one ?? []);
}

/**
 * What of an erased profile goes: the link, where from, and whose friend somebody is. That a wallet was once a friend stays
 * once its click carries it. docs/product.md#erase
 */
export async function forgetInvites(queries: Queries, wallet: WalletAddress): Promise<void> {
  await queries.deleteFrom("invite_codes").where("wallet", "=", wallet).execute();
  await queries.deleteFrom("invite_marks").where("wallet", "=", wallet).execute();
  await queries.updateTable("invites").set({ inviter: null }).where("inviter", "=", wallet).execute();
  await queries.deleteFrom("invites").where("friend", "=", wallet).where("friend_click", "is", null).execute();
}

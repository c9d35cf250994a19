import { DAY_MS } from "../../core/rules/iso-time.ts";
import type { Profile } from "../api/shapes.ts";

export type PaidTicket = { tokenId: string; store: string; amount: string; paidAt: number };

/** A browser that has celebrated nothing yet celebrates no older payment. */
const FIRST_MS = DAY_MS;

/** The last payment, if it came after the one that was celebrated last; `celebrated` is what was kept of that. */
export function newlyPaid(
  { purchases, nfts }: Pick<Profile, "purchases" | "nfts">,
  celebrated: string | null,
  now: number,
) {
  const minted = new Set(nfts.map(({ tokenId }) => tokenId));
  const since = Number(celebrated) || now - FIRST_MS;
  let newest: PaidTicket | undefined;
  for (const { id, store, paid_amount, paid_at } of purchases) {
    const paidAt = Date.parse(paid_at ?? "");
    if (!paid_amount || !minted.has(String(id)) || !(paidAt > (newest?.paidAt ?? since))) continue;
    newest = { tokenId: String(id), store, amount: paid_amount, paidAt };
  }
  return newest;
}

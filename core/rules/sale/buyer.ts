import type { WalletAddress } from "../wallet-address.ts";
import type { ClickFacts, PurchaseFacts, SaleFacts, TicketFacts } from "./decide.ts";

/** The sale's time and the click's window come from different clocks, so allow a day. */
export const WINDOW_GRACE_MS = 86_400_000n;
export const MOST_MOVES = 2;

/** Whose a sale is: the click that its last read names. docs/product.md#sales-buyer */
export function buyerOf(
  facts: Pick<SaleFacts, "report" | "createdAt" | "click" | "named" | "kept"> & {
    purchases: readonly Pick<PurchaseFacts, "stage" | "queued">[];
  },
): { click: ClickFacts | null; other: ClickFacts | null; isMoved: boolean } {
  const { report, click, kept } = facts;
  const named = facts.named && isInWindow(facts.named, report.occurredAt ?? facts.createdAt) ? facts.named : null;
  const stays = { click, other: null, isMoved: false };
  if (!named || named.id === click?.id) return stays;
  if (!click) return { click: named, other: null, isMoved: false };
  if (kept.assignedOver !== null && kept.assignedOver === (report.clickRef ?? "")) return stays;
  if (facts.purchases.some(hasPayout) || kept.moves >= MOST_MOVES) return { click, other: named, isMoved: false };
  return { click: named, other: null, isMoved: true };
}

/** From then on its sale belongs to its buyer and store: a payout cannot be taken back. docs/product.md#sales-buyer */
export function hasPayout({ stage, queued }: Pick<PurchaseFacts, "stage" | "queued">): boolean {
  return stage === "paid" || queued.has("pay");
}

/** Whether a sale may be assigned to a click: nobody else was paid for it, nor its buyer by another store's ticket. */
export function isAssignable(
  purchases: readonly Pick<PurchaseFacts, "stage" | "queued" | "wallet" | "storeId">[],
  to: { wallet: WalletAddress; storeId: bigint },
): boolean {
  return purchases.filter(hasPayout).every(({ wallet, storeId }) => wallet === to.wallet && storeId === to.storeId);
}

/**
 * The tickets of the sale's buyer and store that the database does not know: it was lost, restored or moved back. They
 * become purchases of the sale before anything else is decided. docs/product.md#sale-ref
 */
export function adoptable(facts: SaleFacts): readonly TicketFacts[] {
  const { click } = buyerOf(facts);
  return facts.tickets.filter((one) => isOf(one, click));
}

export function isOf({ isTaken, owner, storeId }: TicketFacts, click: ClickFacts | null): boolean {
  return !isTaken && owner === click?.wallet && storeId === click.store.id;
}

function isInWindow(click: ClickFacts, occurredAt: bigint): boolean {
  return occurredAt <= click.expiresAt + WINDOW_GRACE_MS;
}

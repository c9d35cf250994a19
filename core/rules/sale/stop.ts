/** A person's no to a sale: nothing of it is confirmed or paid. docs/product.md#panel-hold */
export type StaffHold = { by: string; at: bigint; reason: string | null };

/** A hold that a person ended, for the click that the sale had and no higher cashback. */
export type LetGo = { hold: StaffHold; clickId: bigint; centBps: bigint };

/** A purchase, as far as a person said no to its sale. */
type Stopped = {
  heldByStaff: StaffHold | null;
  /** The request about it that a second person refused, and that nobody has decided again since. */
  refusedRequest: bigint | null;
};

/**
 * What people said no to, of a sale: whichever purchase they named, it counts for all that the sale has and will have. Only
 * a person ends it: a hold for the cashback that they saw, beyond which it holds again. docs/product.md#panel-hold
 */
export function stopsOf(
  purchases: readonly Stopped[],
  letGo: LetGo | null,
  now: { clickId: bigint; centBps: bigint },
): { hold: StaffHold | null; refusedRequest: bigint | null } {
  const isBeyond = letGo !== null && (letGo.clickId !== now.clickId || letGo.centBps < now.centBps);
  const holds = purchases.flatMap(({ heldByStaff }) => heldByStaff ?? []);
  const last = holds.reduce<StaffHold | null>((last, one) => (last !== null && last.at >= one.at ? last : one), null);
  const requests = purchases.flatMap(({ refusedRequest }) => refusedRequest ?? []);
  return {
    hold: last ?? (isBeyond ? letGo.hold : null),
    refusedRequest: requests.reduce<bigint | null>((last, id) => (last !== null && last >= id ? last : id), null),
  };
}

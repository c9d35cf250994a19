import { DAY_MS } from "./iso-time.ts";

/**
 * `waiting` for a second person, then `planned`, `running` and `over` by the clock; `refused` by the second person,
 * `withdrawn` before its start. docs/product.md#boost
 */
export const BOOST_STATES = ["waiting", "planned", "running", "over", "refused", "withdrawn"] as const;
export type BoostState = (typeof BOOST_STATES)[number];

/** Of these, the database keeps what people decided; the clock decides the rest. */
export type BoostDecision = "waiting" | "agreed" | "refused" | "withdrawn";

/** A higher percent for a time: from `startsAt` to just before `endsAt`, milliseconds UTC. */
export type Boost = {
  /** Null: for the whole store. */
  categoryId: bigint | null;
  bps: bigint;
  startsAt: bigint;
  endsAt: bigint;
};

/** How long after its click a sale gets the boost that ran at the click. docs/product.md#boost-terms */
export const BOOST_SALE_MS = BigInt(7 * DAY_MS);

/** The last day that a boost may end on, from the day it is planned. */
export const BOOST_DAYS = 366;

/** The first moment counts, the last one does not. */
export function isRunning({ startsAt, endsAt }: Boost, at: bigint): boolean {
  return startsAt <= at && at < endsAt;
}

export function boostStateOf(
  decision: BoostDecision,
  boost: Pick<Boost, "startsAt" | "endsAt">,
  at: bigint,
): BoostState {
  if (decision !== "agreed") return decision === "waiting" && boost.endsAt <= at ? "over" : decision;
  if (at < boost.startsAt) return "planned";
  return at < boost.endsAt ? "running" : "over";
}

/** A store's categories, raised by the boosts that run at a moment. docs/product.md#boost */
export function boosted<C extends { id: bigint; plainBps: bigint }, B extends Boost>(
  categories: readonly C[],
  boosts: readonly B[],
  at: bigint,
): (C & { cashbackBps: bigint; boost: B | null })[] {
  return categories.map((category) => {
    const { bps, boost } = boostedPercent({ id: category.id, bps: category.plainBps }, boosts, at);
    return { ...category, cashbackBps: bps, boost };
  });
}

/**
 * A category's percent at a moment: the highest of its own and those of the boosts that run for it or for its store.
 * `boost` is the one that raises it.
 * @example
 * // 5 %, and 10 % for the whole store: 10 %.
 * boostedPercent({ id: 7n, bps: 500n }, [{ categoryId: null, bps: 1_000n, startsAt: 0n, endsAt: 100n }], 99n).bps // 1_000n
 */
export function boostedPercent<B extends Boost>(
  category: { id: bigint; bps: bigint },
  boosts: readonly B[],
  at: bigint,
): { bps: bigint; boost: B | null } {
  let best: { bps: bigint; boost: B | null } = { bps: category.bps, boost: null };
  for (const boost of boosts) {
    const isFor = boost.categoryId === null || boost.categoryId === category.id;
    if (isFor && isRunning(boost, at) && isBetter(boost, best)) best = { bps: boost.bps, boost };
  }
  return best;
}

/** Of two with the same percent, the one that lasts. */
function isBetter(one: Boost, { bps, boost }: { bps: bigint; boost: Boost | null }): boolean {
  return one.bps > bps || (boost !== null && one.bps === bps && one.endsAt > boost.endsAt);
}

import { BIG_DAY_MS, DAY_MS } from "../iso-time.ts";
import type { SalePurchase } from "./plan.ts";

/** The longest time during which a network that is polled may still change a sale. docs/product.md#sales-budget */
export const CHANGEABLE_MS = 120 * DAY_MS;
/** Also where nothing is waited for before a payout: a shop takes back a mistake. */
const LEAST_MS = BIG_DAY_MS;

/** What the last decision knew of a sale's return. */
export type KnownReturn = {
  /** Whether it was declined then. */
  isKnown: boolean;
  /** When it is to be decided again; 0: not known yet; null: nothing is left to say. */
  dueAt: bigint | null;
};

/** A purchase as far as its ticket can say that its return is final. */
export type ReturnablePurchase = Pick<SalePurchase, "id" | "stage" | "isSettled" | "isReturnFinal"> & {
  queued: ReadonlySet<string>;
  /** By the index; not only sent. */
  isTicketConfirmed: boolean;
};

type DeclinedSale = {
  isDeclined: boolean;
  network: string;
  /** From approval to payout, of its store. */
  holdMs: bigint;
  /** When its network changed it last, in ms. */
  changedAt: bigint;
  known: KnownReturn;
  purchases: readonly ReturnablePurchase[];
};

/**
 * When a declined sale is decided again for its return, and the purchases whose tickets say from now on that it is final:
 * their sale has been declined for longer than its network may change it. docs/product.md#return-final
 */
export function returnOf(
  { isDeclined, network, holdMs, changedAt, known, purchases }: DeclinedSale,
  now: bigint,
): { dueAt: bigint | null; ids: ReadonlySet<bigint> } {
  const none: ReadonlySet<bigint> = new Set();
  if (!isDeclined) return { dueAt: 0n, ids: none };
  // Their tickets are, or may become, Confirmed, and do not say so yet.
  const open = purchases.filter(
    ({ stage, isReturnFinal, queued }) =>
      stage !== "planned" && stage !== "cancelled" && !isReturnFinal && !queued.has("return"),
  );
  if (open.length === 0) return { dueAt: null, ids: none };
  const windowMs = network === "direct" ? greater(holdMs, LEAST_MS) : BigInt(CHANGEABLE_MS);
  // An earlier version declined it, and nobody knows when: at the latest as it was changed.
  const since = known.isKnown ? greater(changedAt + windowMs, now + LEAST_MS) : now + windowMs;
  const dueAt = known.isKnown && known.dueAt ? known.dueAt : since;
  if (dueAt > now) return { dueAt, ids: none };
  // What is not settled is looked at again: its payout or its confirmation is still on its way.
  const ready = open.filter((one) => one.isSettled && one.isTicketConfirmed);
  const ids = new Set(ready.map(({ id }) => id));
  return { dueAt: ready.length === open.length ? null : now + LEAST_MS, ids };
}

const greater = (one: bigint, other: bigint) => (one > other ? one : other);

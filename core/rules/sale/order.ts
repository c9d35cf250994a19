import type { OrderFacts, SameOrder } from "./facts.ts";
import type { AccountKey } from "./rules.ts";

/* Once an order. docs/product.md#sales-once */

/** Rows of one order that are first recorded within this time are its parts. */
const PARTS_MS = 600_000n;

/**
 * By which sales of one order are found; null if it has no order number. Whose order it is follows from the stores, whose
 * merchants can change. docs/product.md#sales-once
 */
export function orderKeyOf(orderRef: string | null): string | null {
  return orderRef?.normalize("NFC").trim().toLowerCase() || null;
}

/**
 * Whether a sale has its order, and which other sales it is held for. The order is that of the sale whose payout was
 * queued first, until nothing of it stands: what was once paid counts no more than what never was. Beside it, another one
 * is paid only what a person releases. `mayHave`: what it is given makes the order its own. docs/product.md#sales-once
 */
export function placeInOrder(facts: OrderFacts): {
  current: string;
  has: string | null;
  mayHave: boolean;
  heldFor: bigint[];
} {
  const others = facts.sameOrder.filter((one) => !isPart(facts, one));
  const current = orderNamed(facts.merchant, orderKeyOf(facts.orderRef));
  // Of two that are paid and have none yet, the first one has it.
  const hasOf = ({ id, had, isKeeping, keyBefore }: SameOrder) =>
    had ?? (isKeeping && id < facts.id ? orderNamed(facts.merchant, keyBefore) : null);
  const mayHave = !others.some((one) => hasOf(one) === current);
  const has = orderAfter(facts, current, { hasOthers: others.length > 0, mayHave });
  return { current, has, mayHave, heldFor: has === current ? [] : others.map(({ id }) => id) };
}

/** Which order is its own, its amount known or not. Once it pays, it takes another one only if nobody else does. */
function orderAfter(
  facts: OrderFacts,
  order: string,
  { hasOthers, mayHave }: { hasOthers: boolean; mayHave: boolean },
): string | null {
  const { isKeeping, isEntitled } = facts;
  if (isEntitled === false) return null;
  const paidFor = isKeeping ? orderNamed(facts.merchant, facts.keyBefore) : null;
  const had = facts.had ?? (paidFor === order && !mayHave ? null : paidFor);
  if (had === order || isEntitled === undefined) return had;
  if (had === null || !isKeeping) return null;
  return hasOthers ? had : order;
}

/** One without a number is nobody else's. */
function orderNamed(merchant: string, key: string | null): string {
  return `${merchant} ${key ?? ""}`;
}

type Row = AccountKey & { clickId: bigint | null; createdAt: bigint };

/** Rows of one account, order and click that are recorded soon after one another. */
export function isPart(facts: Row, one: Row): boolean {
  const apart = one.createdAt - facts.createdAt;
  return (
    one.network === facts.network &&
    one.account === facts.account &&
    one.clickId === facts.clickId &&
    (apart < 0n ? -apart : apart) <= PARTS_MS
  );
}

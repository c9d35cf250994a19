import type { Queries } from "../database/transaction.ts";
import { type CommissionGroup, follow, followedPercent } from "../rules/commission.ts";
import { percentText } from "../rules/money.ts";
import { groupKey } from "../rules/sale/value.ts";
import { type CategoryFields, updateCategory } from "./categories.ts";
import { askToFollow, changeCategory, lapse, type PercentRule } from "./percent-approvals.ts";
import { readCategories, type StoreCategory } from "./stores.ts";

/** The part of commissions that buyers get, from the nearest that says it; `shop` is the account's or the shop's. */
export type Share = { store: bigint | null; shop: bigint };

export function shareOf(category: Pick<StoreCategory, "sharePercent">, { store, shop }: Share): bigint {
  return category.sharePercent ?? store ?? shop;
}

/** What the network pays for a category: that of its group, else of the group that pays least. Null: no percent. */
export function commissionOf(
  { groupCode }: Pick<StoreCategory, "groupCode">,
  groups: readonly CommissionGroup[],
): { bps: bigint | null; isGone: boolean } {
  const key = groupCode === null ? null : groupKey(groupCode);
  const own = key === null ? groups : groups.filter(({ code }) => groupKey(code) === key);
  const percents = own.map(({ bps }) => bps);
  const lowest = percents.reduce((least, bps) => (bps === null || (least !== null && least < bps) ? least : bps), null);
  const isUnbounded = key === null && percents.includes(null);
  return { bps: lowest === null || isUnbounded ? null : BigInt(lowest), isGone: own.length === 0 };
}

/**
 * What a change of a category asks for: without a commission its percent stays until the next reading, and a form that
 * sends the percent of now sets none by hand. docs/product.md#followed-percent
 */
export function wantedPercent<
  Wanted extends Pick<CategoryFields, "isByHand" | "sharePercent"> & { cashbackBps?: bigint },
>(wanted: Wanted, before: StoreCategory, share: Share): Wanted {
  const isSame = wanted.cashbackBps === undefined || wanted.cashbackBps === before.plainBps;
  const isByHand = wanted.isByHand ?? (before.isByHand || !isSame);
  if (isByHand) return { ...wanted, isByHand };
  const { sharePercent = before.sharePercent } = wanted;
  const isNew = before.isByHand || sharePercent !== before.sharePercent;
  const { cashbackBps: _, ...others } = wanted;
  if (!isNew || before.commissionBps === null) return { ...others, isByHand } as Wanted;
  const cashbackBps = followedPercent(before.commissionBps, shareOf({ sharePercent }, share));
  return { ...wanted, isByHand, cashbackBps };
}

/** A person changed a store's share: its followed percents with none of their own follow at once. docs/product.md#followed-percent */
export async function followShare(queries: Queries, storeId: bigint, share: Share, rule: PercentRule): Promise<void> {
  const categories = (await readCategories(queries, [storeId])).get(storeId) ?? [];
  for (const { id, isByHand, sharePercent, commissionBps } of categories) {
    if (isByHand || sharePercent !== null || commissionBps === null) continue;
    const cashbackBps = followedPercent(commissionBps, shareOf({ sharePercent }, share));
    await changeCategory(queries, { storeId, categoryId: id }, { cashbackBps }, rule);
  }
}

/** A percent that moved by itself, for the log. */
export type Moved = { categoryId: bigint; category: string; from: string; to: string };

/**
 * Notes what the network pays for a store's categories, and lets their percents follow. Where it pays nothing for any of
 * them, percents stay: the store is paused instead. docs/product.md#followed-percent
 */
export async function followCommissions(
  queries: Queries,
  storeId: bigint,
  groups: readonly CommissionGroup[],
  share: Share,
): Promise<{ moved: Moved[]; earns: boolean }> {
  const categories = (await readCategories(queries, [storeId])).get(storeId) ?? [];
  const earns = groups.length === 0 || groups.some(({ bps }) => bps === null || bps > 0);
  const planned = categories.map((category) => plan(category, groups, share));
  // The last percent is never taken away: a store without one would be gone.
  const staysOnOffer = planned.some(({ category, bps }) => (bps ?? category.plainBps) > 0n);
  const moved: Moved[] = [];
  for (const { category, bps = category.plainBps, proposed, isOver = false, commissionBps, isGone } of planned) {
    const key = { storeId, categoryId: category.id };
    const next = earns && staysOnOffer ? bps : category.plainBps;
    const isNew = commissionBps !== category.commissionBps || isGone !== category.isGroupGone;
    const isMoving = next !== category.plainBps;
    if (isMoving || isOver) await lapse(queries, "category_id", category.id);
    if (isNew || isMoving || isOver) {
      await updateCategory(queries, key, {
        commissionBps,
        cashbackBps: next,
        ...(isGone === category.isGroupGone ? {} : { groupGoneAt: isGone ? BigInt(Date.now()) : null }),
        ...(next < category.plainBps || isOver ? { proposedBps: null } : {}),
      });
    }
    if (next !== category.plainBps) {
      const percents = { from: percentText(category.plainBps), to: percentText(next) };
      moved.push({ categoryId: category.id, category: category.category, ...percents });
    }
    if (proposed === undefined || !earns) continue;
    await askToFollow(queries, key, proposed);
    await updateCategory(queries, key, { proposedBps: proposed });
  }
  return { moved, earns: earns && staysOnOffer };
}

type Planned = {
  category: StoreCategory;
  commissionBps: bigint | null;
  isGone: boolean;
  bps?: bigint;
  proposed?: bigint;
  /** What was proposed is more than the network pays for now. */
  isOver?: boolean;
};

function plan(category: StoreCategory, groups: readonly CommissionGroup[], share: Share): Planned {
  const { bps: commissionBps, isGone: isMissing } = commissionOf(category, groups);
  // A group that never was one is somebody's own word for it.
  const isGone = isMissing && (category.commissionBps !== null || category.isGroupGone || !category.isByHand);
  const noted = { category, isGone, commissionBps: isMissing && isGone ? category.commissionBps : commissionBps };
  if (category.isByHand || commissionBps === null) return noted;
  const { plainBps: bps, agreedBps, proposedBps } = category;
  const wanted = followedPercent(commissionBps, shareOf(category, share));
  const isOver = proposedBps !== null && wanted <= bps;
  return { ...noted, isOver, ...follow(wanted, { bps, agreedBps: agreedBps ?? bps, proposedBps }) };
}

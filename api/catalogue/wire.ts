import type { ClubRow } from "../../core/catalogue/club-rows.ts";
import { PAUSE_REASONS } from "../../core/catalogue/pauses.ts";
import { fieldsOf, lacksOf, type StoreCategory, type StoreWithCategories } from "../../core/catalogue/stores.ts";
import {
  CATEGORY_TRANSLATIONS,
  RARE_STORE_TEXTS,
  type StaffCashback,
  type StaffStore,
  type Store,
  type StoreBoost,
  type StoreCashback,
  type StorePromise,
} from "../../core/rules/api/catalogue.ts";
import type { Club } from "../../core/rules/api/clubs.ts";
import { cashbackRange, cashbackRangeText } from "../../core/rules/cashback.ts";
import { CLUB_PATTERNS } from "../../core/rules/clubs/club.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { parsePercent, percentText } from "../../core/rules/money.ts";
import { type PromiseReader, payableOf, promiseOf } from "../../core/rules/promise.ts";
import { keysOf, recordOf } from "../../core/rules/records.ts";
import type { SaleRules } from "../../core/rules/sale/rules.ts";

/** Whether sales are real, so that networks say how they count. */
type Mode = Pick<SaleRules, "isLive">;

/** A store as the API returns it: percents as text, their range also as numbers. docs/product.md#api-shapes */
export function toWireStore(store: StoreWithCategories, mode: Mode): Store {
  const payable = payableOf(store.categories, mode);
  const allBps = payable.map((category) => category.cashbackBps);
  const range = cashbackRange(allBps) ?? { minBps: 0n, maxBps: 0n };
  const boost = badgeOf(payable);
  const { cashback_share_percent: _, ...fields } = fieldsOf(store);
  return {
    id: Number(store.id),
    ...fields,
    ...recordOf(keysOf(RARE_STORE_TEXTS), (field) => fields[field] ?? undefined),
    domains: fields.domains?.split(",") ?? [],
    paused: toWirePause(store),
    club_slug: store.club_slug,
    club_accepted: store.club_accepted === 1n,
    club_token_slug: store.clubToken,
    is_draft: lacksOf(store).length > 0,
    cashback: cashbackRangeText(allBps),
    cashback_min: Number(percentText(range.minBps)),
    cashback_max: Number(percentText(range.maxBps)),
    max_cashback: Number(percentText(range.maxBps)),
    cashbacks: store.categories.map((one) => ({ ...toWireCategory(one), ...unpaidBut(payable, one) })),
    ...(boost === undefined ? {} : { boost }),
  };
}

/** An unknown reason is a newer version's. */
function toWirePause({ paused_since, paused_reason }: StoreWithCategories): Store["paused"] {
  if (paused_since === null) return null;
  const reason = PAUSE_REASONS.find((one) => one === paused_reason) ?? "paused";
  return { since: isoTime(paused_since), reason };
}

/** With what only the staff sees: how its percents follow the commissions. docs/product.md#followed-percent */
export function toWireStaffStore(store: StoreWithCategories, mode: Mode): StaffStore {
  const payable = payableOf(store.categories, mode);
  return {
    ...toWireStore(store, mode),
    cashback_share_percent: numberOf(store.cashback_share_percent),
    cashbacks: store.categories.map((one) => ({ ...toWireStaffCategory(one), ...unpaidBut(payable, one) })),
  };
}

const unpaidBut = (payable: readonly StoreCategory[], category: StoreCategory) =>
  payable.includes(category) ? {} : { is_unpaid: true as const };

const numberOf = (percent: bigint | null) => (percent === null ? null : Number(percent));

function toWireStaffCategory(category: StoreCategory): StaffCashback {
  return {
    ...toWireCategory(category),
    is_by_hand: category.isByHand,
    cashback_share_percent: numberOf(category.sharePercent),
    commission_percent: category.commissionBps === null ? null : percentText(category.commissionBps),
    is_group_gone: category.isGroupGone,
  };
}

export function toWireCategory(category: StoreCategory): StoreCashback {
  return {
    id: Number(category.id),
    category: category.category,
    ...recordOf(CATEGORY_TRANSLATIONS, (name) => category[name] ?? undefined),
    cashback_percent: percentText(category.cashbackBps),
    ...(category.boost === null
      ? {}
      : { boost: { plain_percent: percentText(category.plainBps), ends_at: isoTime(category.boost.endsAt) } }),
    ...(category.groupCode === null ? {} : { group_code: category.groupCode }),
    ...(category.isDefault ? { is_default: true as const } : {}),
  };
}

/** What a reader can earn at a store as `toWireStore` shows it. docs/product.md#promise */
export function toWirePromise(
  { club, club_token_slug: clubToken = null, cashbacks }: Store,
  reader: PromiseReader,
): StorePromise {
  const payable = cashbacks.filter((one) => !one.is_unpaid);
  const categories = payable.map(({ cashback_percent, boost }) => ({
    bps: parsePercent(cashback_percent),
    boostEndsAt: boost === undefined ? null : BigInt(Date.parse(boost.ends_at)),
  }));
  const { baseBps, bonusBps, totalBps, token, boostEndsAt } = promiseOf({ club, clubToken, categories }, reader);
  return {
    base_percent: percentText(baseBps),
    bonus_percent: percentText(bonusBps),
    total_percent: percentText(totalBps),
    token_slug: token?.slug ?? null,
    boost_ends_at: isoTime(boostEndsAt),
  };
}

/** The boost of the store's highest percent, for its badge; of several, the one that ends last. */
function badgeOf(categories: readonly StoreCategory[]): StoreBoost | undefined {
  const raised = categories.filter((one) => one.boost !== null);
  const maxBps = raised.reduce((most, one) => (one.cashbackBps > most ? one.cashbackBps : most), 0n);
  const ends = raised.flatMap(({ cashbackBps, boost }) => (boost && cashbackBps === maxBps ? [boost.endsAt] : []));
  const [first, ...others] = ends;
  if (first === undefined) return undefined;
  const endsAt = others.reduce((last, end) => (end > last ? end : last), first);
  return { percent: percentText(maxBps), ends_at: isoTime(endsAt), is_whole: raised.length === categories.length };
}

export function toWireClub({ slug, name, aliases, colours, pattern, country, token_slug }: ClubRow): Club {
  return {
    ...{ slug, name, country, token_slug },
    aliases: JSON.parse(aliases),
    colours: colours.split(" "),
    pattern: CLUB_PATTERNS.find((known) => known === pattern) ?? "plain",
  };
}

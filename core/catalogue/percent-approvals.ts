import { type Selectable, sql } from "kysely";
import { among } from "../database/among.ts";
import type { Schema } from "../database/generated/schema.ts";
import { type ListPage, readPage } from "../database/lists/page.ts";
import { byId, ofKeys, walletPrefixOf, walletStartsWith } from "../database/lists/search.ts";
import type { ListSource, PageQuery } from "../database/lists/source.ts";
import { closeRequests } from "../database/requests.ts";
import type { Queries } from "../database/transaction.ts";
import { CATEGORY_TRANSLATIONS } from "../rules/api/catalogue.ts";
import { BIG_DAY_MS } from "../rules/iso-time.ts";
import { percentText } from "../rules/money.ts";
import { NETWORK_ACTOR } from "../rules/proposals.ts";
import { keysOf, recordOf } from "../rules/records.ts";
import { networkOf, type RateChange, raiseOf, WITHOUT_COMMISSION } from "../rules/sale/value.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import { decideBoost } from "./boosts.ts";
import { type CategoryFields, insertCategory, updateCategory } from "./categories.ts";
import { readCategories, type StoreCategory } from "./stores.ts";
import { bumpCatalogueVersion } from "./version.ts";

/** Above which percent, in basis points, a second person must agree to what one sets. */
export type PercentRule = { aboveBps: bigint; actor: string };

export type PercentApprovalRow = Selectable<Schema["percent_approvals"]> & {
  store: string;
  starts_at: bigint | null;
  ends_at: bigint | null;
};

/** What was done at once, and what waits for a second person. */
type Outcome = { id: bigint | null; approvalId: bigint | null };

/** A store's percents that one person set alone would be paid without a commission that covers them. */
export class UnagreedPercentError extends TorcidaError {
  override readonly docs = "docs/product.md#percent-approvals";

  constructor(aboveBps: bigint) {
    super(
      `Lower the store's percents to ${percentText(aboveBps)} % first: above it, two people agree at a direct shop`,
    );
  }
}

/** @throws UnagreedPercentError if the change makes a direct shop of a store with a percent above the limit */
export async function requireAgreedLink(
  queries: Queries,
  storeId: bigint,
  fields: { network?: string | null | undefined; account?: string | null | undefined },
  aboveBps: bigint,
): Promise<void> {
  const store = await queries
    .selectFrom("stores")
    .select(["network", "unlinked_is_direct", "account"])
    .where("id", "=", storeId)
    .executeTakeFirst();
  const before = store && networkOf(store);
  const { network = before, account = store?.account } = fields;
  if (network !== WITHOUT_COMMISSION || (network === before && account === store?.account)) return;
  const categories = (await readCategories(queries, [storeId])).get(storeId) ?? [];
  if (categories.some(({ plainBps }) => plainBps > aboveBps)) throw new UnagreedPercentError(aboveBps);
}

/**
 * Adds a category. Those of a store's first day need nobody else, since next to nothing was promised there yet, and a
 * network's commission bounds what is paid; above the limit, any other is created when a second person agrees.
 * docs/product.md#percent-approvals
 */
export async function addCategory(
  queries: Queries,
  storeId: bigint,
  { category, ...fields }: { category: string } & CategoryFields,
  rule: PercentRule,
): Promise<Outcome> {
  const bps = fields.cashbackBps;
  const store = await queries
    .selectFrom("stores")
    .select(["created_at", "network", "unlinked_is_direct"])
    .where("id", "=", storeId)
    .executeTakeFirst();
  if (!store || !addingWaits({ ...store, network: networkOf(store) }, bps, rule.aboveBps))
    return { id: await insertCategory(queries, storeId, { category, ...fields }), approvalId: null };
  const text = JSON.stringify({ ...fields, cashbackBps: undefined });
  return { id: null, approvalId: await ask(queries, { storeId, category, bps, fields: text }, rule) };
}

/** Whether a new category of a store takes a second person. */
export function addingWaits(
  store: { created_at: bigint; network: string | null },
  bps: bigint,
  aboveBps: bigint,
): boolean {
  const isFirstDay = store.created_at >= BigInt(Date.now()) - BIG_DAY_MS;
  return bps > aboveBps && !(isFirstDay && store.network !== WITHOUT_COMMISSION);
}

type CategoryChange = { category?: string; deleted?: true } & Partial<CategoryFields>;

/**
 * Changes a category. What raises a percent above the limit waits for a second person: its own, or that of sales which
 * get another one by its group, its mark or its deletion. What else changes does so at once. Undefined: the store has no
 * such category.
 */
export async function changeCategory(
  queries: Queries,
  key: { storeId: bigint; categoryId: bigint },
  wanted: CategoryChange,
  rule: PercentRule,
): Promise<Outcome | undefined> {
  const { categories, before } = await readCategory(queries, key);
  if (!before) return undefined;
  const { category } = wanted;
  const { cashbackBps, ...place } = withoutSame(wanted, before);
  const waitsFor = (change: RateChange) => (raiseOf(categories, key.categoryId, change)?.bps ?? 0n) > rule.aboveBps;
  const isPercentWaiting = waitsFor({ cashbackBps });
  const isPlaceWaiting = waitsFor(isPercentWaiting ? place : { ...place, cashbackBps });
  if (cashbackBps !== undefined || keysOf(place).length > 0) await lapse(queries, "category_id", key.categoryId);
  const atOnce = {
    category,
    ...recordOf(CATEGORY_TRANSLATIONS, (name) => wanted[name]),
    ...followingOf(wanted, before, isPercentWaiting),
    ...(isPercentWaiting ? {} : { cashbackBps }),
    ...(isPlaceWaiting ? {} : place),
  };
  const isWaiting = isPercentWaiting || isPlaceWaiting;
  if (!isWaiting || Object.values(atOnce).some((value) => value !== undefined))
    await updateCategory(queries, key, atOnce);
  if (!isWaiting) return { id: key.categoryId, approvalId: null };
  const waiting = { ...(isPercentWaiting ? { cashbackBps } : {}), ...(isPlaceWaiting ? place : {}) };
  const raise = raiseOf((await readCategory(queries, key)).categories, key.categoryId, waiting);
  const asked = { ...key, category: category ?? before.category, bps: raise?.bps ?? 0n, fromBps: raise?.fromBps ?? 0n };
  return { id: key.categoryId, approvalId: await ask(queries, { ...asked, fields: encodeChange(waiting) }, rule) };
}

/** Who lets a percent follow, or changes one that does, agrees to it so far as it needs nobody else. */
function followingOf(
  { isByHand, sharePercent, cashbackBps }: CategoryChange,
  before: StoreCategory,
  isPercentWaiting: boolean,
): Partial<CategoryFields> {
  const own = { isByHand, sharePercent };
  if (isByHand ?? before.isByHand) return own;
  if (cashbackBps === undefined) return before.isByHand ? { ...own, agreedBps: before.plainBps } : own;
  return isPercentWaiting
    ? { ...own, agreedBps: before.agreedBps ?? before.plainBps, proposedBps: cashbackBps }
    : { ...own, agreedBps: cashbackBps, proposedBps: null };
}

async function readCategory(queries: Queries, { storeId, categoryId }: { storeId: bigint; categoryId: bigint }) {
  const categories = (await readCategories(queries, [storeId])).get(storeId) ?? [];
  return { categories, before: categories.find(({ id }) => id === categoryId) };
}

function withoutSame({ cashbackBps, groupCode, isDefault, deleted }: RateChange, before: StoreCategory): RateChange {
  return {
    ...(cashbackBps === undefined || cashbackBps === before.plainBps ? {} : { cashbackBps }),
    ...(groupCode === undefined || groupCode === before.groupCode ? {} : { groupCode }),
    ...(isDefault === undefined || isDefault === before.isDefault ? {} : { isDefault }),
    ...(deleted ? { deleted } : {}),
  };
}

function encodeChange({ cashbackBps, ...place }: RateChange): string {
  return JSON.stringify({ ...place, cashbackBps: cashbackBps?.toString() });
}

/** What a request asks to change in a category that exists. */
export function readChange({ fields }: Pick<PercentApprovalRow, "fields">): RateChange {
  const { cashbackBps, ...place } = JSON.parse(fields ?? "{}");
  return { ...place, ...(cashbackBps === undefined ? {} : { cashbackBps: BigInt(cashbackBps) }) };
}

/** Asks for a second person's agreement to a boost. */
export function askForBoost(
  queries: Queries,
  boost: { storeId: bigint; boostId: bigint; categoryId: bigint | null; category: string | null; bps: bigint },
  rule: PercentRule,
): Promise<bigint> {
  return ask(queries, boost, rule);
}

/** Asks a person for the higher percent of a followed commission. docs/product.md#followed-percent */
export async function askToFollow(
  queries: Queries,
  key: { storeId: bigint; categoryId: bigint },
  bps: bigint,
): Promise<bigint | undefined> {
  const { categories, before } = await readCategory(queries, key);
  const change = { cashbackBps: bps };
  const raise = raiseOf(categories, key.categoryId, change);
  if (!before || !raise) return undefined;
  await lapse(queries, "category_id", key.categoryId);
  const asked = { ...key, category: before.category, ...raise, fields: encodeChange(change) };
  return ask(queries, asked, { aboveBps: 0n, actor: NETWORK_ACTOR });
}

/** One person took up what a network's word led to; above the limit it waits for another one. docs/product.md#followed-percent */
export async function takeUp(queries: Queries, { id }: PercentApprovalRow, actor: string): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("percent_approvals")
    .set({ asked_by: actor })
    .where("id", "=", id)
    .where("state", "=", "open")
    .where("asked_by", "=", NETWORK_ACTOR)
    .executeTakeFirst();
  await bumpCatalogueVersion(queries);
  return numUpdatedRows === 1n;
}

type WantedPercent = {
  storeId: bigint;
  boostId?: bigint;
  categoryId?: bigint | null;
  category: string | null;
  bps: bigint;
  fromBps?: bigint;
  fields?: string;
};

async function ask(queries: Queries, wanted: WantedPercent, { actor }: PercentRule): Promise<bigint> {
  await bumpCatalogueVersion(queries);
  const { id } = await queries
    .insertInto("percent_approvals")
    .values({
      store_id: wanted.storeId,
      boost_id: wanted.boostId ?? null,
      category_id: wanted.categoryId ?? null,
      category: wanted.category,
      bps: wanted.bps,
      from_bps: wanted.fromBps ?? null,
      fields: wanted.fields ?? null,
      state: "open",
      asked_by: actor,
      created_at: BigInt(Date.now()),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** What was asked for a store, a boost or a category no longer counts. */
export async function lapse(
  queries: Queries,
  column: "store_id" | "boost_id" | "category_id",
  id: bigint,
): Promise<void> {
  await queries
    .updateTable("percent_approvals")
    .set({ state: "lapsed" })
    .where(column, "=", id)
    .where("state", "=", "open")
    .execute();
}

type Decision = { isApproved: boolean; actor: string; reason: string | null; isAskerAdmin: boolean };

/**
 * Applies a second person's decision. `lapsed`: the boost, the category or its percent is no longer what was asked
 * about, or who asked may no longer ask. Undefined: it is decided already.
 */
export async function decidePercent(
  queries: Queries,
  request: PercentApprovalRow,
  { isApproved, actor, reason, isAskerAdmin }: Decision,
): Promise<"done" | "lapsed" | undefined> {
  await bumpCatalogueVersion(queries);
  const isDone = isApproved ? isAskerAdmin && (await carryOut(queries, request)) : await refuse(queries, request);
  // Nobody could agree to it any more.
  if (isApproved && !isDone && request.boost_id !== null) await decideBoost(queries, request.boost_id, "withdrawn");
  const state = isDone ? (isApproved ? "approved" : "refused") : "lapsed";
  const decided = await closeRequests(queries, "percent_approvals", [request.id], { state, actor, reason });
  if (decided.length === 0) return undefined;
  return isDone ? "done" : "lapsed";
}

async function refuse(queries: Queries, { boost_id }: PercentApprovalRow): Promise<boolean> {
  return boost_id === null || (await decideBoost(queries, boost_id, "refused"));
}

async function carryOut(queries: Queries, request: PercentApprovalRow): Promise<boolean> {
  const { boost_id, category_id, store_id, category, bps, from_bps, fields } = request;
  const store = queries.selectFrom("stores").select("id").where("id", "=", store_id).where("deleted_at", "is", null);
  if ((await store.executeTakeFirst()) === undefined) return false;
  if (boost_id !== null) return decideBoost(queries, boost_id, "agreed");
  if (category_id === null) {
    await insertCategory(queries, store_id, {
      ...JSON.parse(fields ?? "{}"),
      category: category ?? "",
      cashbackBps: bps,
    });
    return true;
  }
  const key = { storeId: store_id, categoryId: category_id };
  const change = readChange(request);
  const { categories, before } = await readCategory(queries, key);
  const raise = raiseOf(categories, category_id, change);
  // Not what was asked about: other categories have changed since.
  if (!before || raise?.bps !== bps || raise.fromBps !== from_bps) return false;
  const isFollowed = !before.isByHand && change.cashbackBps !== undefined;
  return updateCategory(queries, key, { ...change, ...(isFollowed ? { agreedBps: change.cashbackBps } : {}) });
}

const PERCENT_APPROVALS: ListSource = {
  table: "percent_approvals",
  key: "id",
  keyType: "number",
  sorts: { id: { column: "id", type: "number" } },
  state: (state) => sql`percent_approvals.state = ${state}`,
  matches(term) {
    const wallet = walletPrefixOf(term);
    if (wallet === undefined) return byId("percent_approvals", term);
    const asked = walletStartsWith("percent_approvals.asked_by", wallet);
    return [ofKeys("percent_approvals", sql`select id as key from percent_approvals where ${asked}`)];
  },
};

export function listPercentApprovals(queries: Queries, page: PageQuery): Promise<ListPage<PercentApprovalRow>> {
  return readPage(queries, PERCENT_APPROVALS, page, readPercentApprovals, (row) => row.id);
}

export async function readPercentApprovals(queries: Queries, ids: readonly bigint[]): Promise<PercentApprovalRow[]> {
  return queries
    .selectFrom("percent_approvals")
    .innerJoin("stores", "stores.id", "percent_approvals.store_id")
    .leftJoin("store_boosts", "store_boosts.id", "percent_approvals.boost_id")
    .selectAll("percent_approvals")
    .select(["stores.name as store", "store_boosts.starts_at", "store_boosts.ends_at"])
    .where(among(queries, "percent_approvals.id", ids))
    .execute();
}

import { among } from "../database/among.ts";
import { appendAudit } from "../database/audit-log.ts";
import type { Queries } from "../database/transaction.ts";
import { spanProblem } from "../rules/api/boosts.ts";
import { isoTime } from "../rules/iso-time.ts";
import { percentText } from "../rules/money.ts";
import { BoostTooHighError, insertBoost } from "./boosts.ts";
import { type Catalogue, CatalogueFileError, type Found } from "./catalogue-file.ts";
import type { Change } from "./changes.ts";
import { askForBoost } from "./percent-approvals.ts";
import { readCategories, readMostBps, type StoreWithCategories } from "./stores.ts";

type BoostEntry = Catalogue["boosts"][number];
type Known = Awaited<ReturnType<typeof readKnown>>;

/**
 * The boosts of a file that are to be planned. One is identified by store, category and start; a known one stays as it
 * is, even if it was ended early since. docs/product.md#catalogue-file
 * @throws CatalogueFileError
 */
export async function boostChanges(
  queries: Queries,
  catalogue: Pick<Catalogue, "boosts" | "cashbacks">,
  stores: ReadonlyMap<string, StoreWithCategories>,
  aboveBps: bigint | undefined,
): Promise<Change[]> {
  const known = await readKnown(queries, catalogue.boosts, stores);
  const most = await readMostBps(queries);
  const found = catalogue.boosts.map((entry) => ({ entry, ...judge(entry, catalogue, stores, { known, most }) }));
  const problems = found.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) throw new CatalogueFileError(problems);
  return found.flatMap(({ entry, isKnown }) => (isKnown ? [] : [boostChange(entry, stores, aboveBps)]));
}

async function readKnown(
  queries: Queries,
  entries: readonly BoostEntry[],
  stores: ReadonlyMap<string, StoreWithCategories>,
) {
  const ids = entries.flatMap(({ store }) => stores.get(store.toLowerCase())?.id ?? []);
  const earliest = entries.reduce((first, one) => (one.starts_at < first ? one.starts_at : first), 2n ** 62n);
  return queries
    .selectFrom("store_boosts")
    .select(["store_id", "category_id", "boost_bps", "starts_at", "planned_end_at"])
    .where(among(queries, "store_id", ids))
    .where("starts_at", ">=", earliest)
    .where("decision", "in", ["waiting", "agreed"])
    .execute();
}

function judge(
  entry: BoostEntry,
  { cashbacks }: Pick<Catalogue, "cashbacks">,
  stores: ReadonlyMap<string, StoreWithCategories>,
  { known, most }: { known: Known; most: bigint },
): { isKnown: boolean; problem?: Found } {
  const { place, store: name, category, cashback_percent: bps, starts_at, ends_at } = entry;
  const store = stores.get(name.toLowerCase());
  const isCategory = (other: string) => other.toLowerCase() === category?.toLowerCase();
  const own = store?.categories.find((one) => isCategory(one.category));
  const isInFile = cashbacks.some((one) => one.store.toLowerCase() === name.toLowerCase() && isCategory(one.category));
  if (category !== undefined && !own && !isInFile) {
    const text = `the store ${name} has no category ${category}`;
    return { isKnown: false, problem: { problem: "no_category", place, values: [name, category], text } };
  }
  const same = known.find(
    (one) => one.store_id === store?.id && one.category_id === (own?.id ?? null) && one.starts_at === starts_at,
  );
  if (same && (same.boost_bps !== bps || same.planned_end_at !== ends_at)) {
    const text = "a boost that starts then is known with another percent or end: end that one and plan another";
    return { isKnown: true, problem: { problem: "boost_known", place, text } };
  }
  if (!same && bps > most) {
    const { message: text } = new BoostTooHighError(most);
    return { isKnown: false, problem: { problem: "boost_too_high", place, values: [percentText(most)], text } };
  }
  const span = same ? undefined : spanProblem({ startsAt: starts_at, endsAt: ends_at }, BigInt(Date.now()));
  if (!span) return { isKnown: same !== undefined };
  return { isKnown: false, problem: { problem: "boost_span", place, values: [span.field], text: span.message } };
}

function boostChange(
  { store: name, category, cashback_percent: bps, starts_at: startsAt, ends_at: endsAt }: BoostEntry,
  stores: ReadonlyMap<string, StoreWithCategories>,
  aboveBps: bigint | undefined,
): Change {
  const isWaiting = aboveBps !== undefined && bps > aboveBps;
  const fields = [
    { field: "cashback_percent", to: percentText(bps) },
    { field: "starts_at", to: isoTime(startsAt) },
    { field: "ends_at", to: isoTime(endsAt) },
  ];
  return {
    change: {
      kind: "create",
      what: "boost",
      name: category ?? name,
      ...(category === undefined ? {} : { of: name }),
      ...(isWaiting ? { waits: true as const } : {}),
      fields,
    },
    async apply(queries, { actor, madeStores }) {
      const storeId = stores.get(name.toLowerCase())?.id ?? madeStores.get(name.toLowerCase());
      if (storeId === undefined) throw new Error(`There is no store ${name}`);
      const own = (await readCategories(queries, [storeId])).get(storeId) ?? [];
      const its = own.find((one) => one.category.toLowerCase() === category?.toLowerCase());
      if (category !== undefined && !its) {
        const text = `the category ${category} of ${name} waits for a second person: import its boost after that`;
        throw new CatalogueFileError([{ problem: "no_category", values: [name, category], text }]);
      }
      const boost = { storeId, categoryId: its?.id ?? null, bps, startsAt, endsAt };
      const boostId = await insertBoost(queries, { ...boost, plannedBy: actor, isWaiting });
      const asked = { ...boost, boostId, category: category ?? null };
      const approvalId = isWaiting ? await askForBoost(queries, asked, { aboveBps: aboveBps ?? 0n, actor }) : null;
      await appendAudit(queries, {
        actor,
        action: "boost.plan",
        subject: `store:${storeId}/boost:${boostId}`,
        detail: {
          store: name,
          category,
          ...(approvalId === null ? {} : { approval_id: String(approvalId) }),
          ...Object.fromEntries(fields.map(({ field, to }) => [field, to])),
        },
      });
    },
  };
}

import { type Kysely, type Selectable, sql } from "kysely";
import { among } from "../database/among.ts";
import type { Schema } from "../database/generated/schema.ts";
import { listNewest, type NewestPage } from "../database/newest-page.ts";
import { writeSetting } from "../database/settings.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import { type Boost, isRunning } from "../rules/boost.ts";
import { percentText } from "../rules/money.ts";
import { idsOf } from "../rules/records.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import { indexStore } from "./store-search.ts";
import { readMostBps, toBoost } from "./stores.ts";
import { bumpCatalogueVersion } from "./version.ts";

export type BoostTableRow = Selectable<Schema["store_boosts"]>;
/** A boost with the name of its category, which may be deleted. */
export type NamedBoost = BoostTableRow & { category: string | null };

/** More than the shop allows any boost. docs/product.md#boost-bound */
export class BoostTooHighError extends TorcidaError {
  override readonly docs = "docs/product.md#boost-bound";

  constructor(mostBps: bigint) {
    super(`A boost is at most ${percentText(mostBps)} % (BOOST_MAX_PERCENT)`);
  }
}

/** Sets that, for later clicks of boosts that run already too. */
export async function boundBoosts(kysely: Kysely<Schema>, mostBps: bigint): Promise<void> {
  if ((await readMostBps(kysely)) === mostBps) return;
  await inTransaction(kysely, async (queries) => {
    await bumpCatalogueVersion(queries);
    await writeSetting(queries, "boost_max_bps", mostBps.toString());
    const toCome = queries.selectFrom("store_boosts").select("id").where("turns_at", "is not", null);
    const rows = await toCome.execute();
    await turn(queries, idsOf(rows));
  });
}

export function named(queries: Queries) {
  return queries
    .selectFrom("store_boosts")
    .leftJoin("store_cashbacks", "store_cashbacks.id", "store_boosts.category_id")
    .selectAll("store_boosts")
    .select("store_cashbacks.category");
}

export function listBoosts(queries: Queries, storeId: bigint, page: NewestPage): Promise<NamedBoost[]> {
  return listNewest(named(queries).where("store_boosts.store_id", "=", storeId), "store_boosts.id", page);
}

/** Plans a boost, which a second person must agree to if it `isWaiting`. Returns its id. @throws BoostTooHighError */
export async function insertBoost(
  queries: Queries,
  boost: Boost & { storeId: bigint; plannedBy: string; isWaiting: boolean },
): Promise<bigint> {
  await bumpCatalogueVersion(queries);
  const most = await readMostBps(queries);
  if (boost.bps > most) throw new BoostTooHighError(most);
  const { id } = await queries
    .insertInto("store_boosts")
    .values({
      store_id: boost.storeId,
      category_id: boost.categoryId,
      boost_bps: boost.bps,
      starts_at: boost.startsAt,
      ends_at: boost.endsAt,
      planned_end_at: boost.endsAt,
      decision: boost.isWaiting ? "waiting" : "agreed",
      planned_by: boost.plannedBy,
      created_at: BigInt(Date.now()),
      turns_at: null,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  if (!boost.isWaiting) await turn(queries, [id]);
  return id;
}

/**
 * What people decide about a boost: `agreed` and `refused` of one that waits, `withdrawn` before its start, `ended` while
 * it runs. Returns false if it is not there to be decided so.
 */
export async function decideBoost(
  queries: Queries,
  id: bigint,
  decision: "agreed" | "refused" | "withdrawn" | "ended",
): Promise<boolean> {
  await bumpCatalogueVersion(queries);
  const now = BigInt(Date.now());
  const boost = await queries.selectFrom("store_boosts").selectAll().where("id", "=", id).executeTakeFirst();
  if (!boost || boost.ends_at <= now) return false;
  const isDecided = boost.decision === "agreed";
  const isPossible = {
    agreed: boost.decision === "waiting" && boost.boost_bps <= (await readMostBps(queries)),
    refused: boost.decision === "waiting",
    withdrawn: boost.decision === "waiting" || (isDecided && now < boost.starts_at),
    ended: isDecided && isRunning(toBoost(boost), now),
  }[decision];
  if (!isPossible) return false;
  await queries
    .updateTable("store_boosts")
    .set(decision === "ended" ? { ends_at: now } : { decision })
    .where("id", "=", id)
    .execute();
  await turn(queries, [id]);
  return true;
}

/** A pass turns so many; the next ones follow. */
const TURNS = 200;

/**
 * Turns the highest percent of the stores where a boost has started or ended since. Returns whether there was one. Any
 * process may do it, several at once too. docs/product.md#boost-turn
 */
export async function turnBoosts(kysely: Kysely<Schema>): Promise<boolean> {
  if ((await listDueTurns(kysely, 1)).length === 0) return false;
  return inTransaction(kysely, async (queries) => {
    await bumpCatalogueVersion(queries);
    const ids = await listDueTurns(queries, TURNS);
    await turn(queries, ids);
    return ids.length > 0;
  });
}

/** The boosts that started or ended since their stores were last turned. */
export async function listDueTurns(queries: Queries, limit: number): Promise<bigint[]> {
  const rows = await queries
    .selectFrom("store_boosts")
    .select("id")
    .where("turns_at", "is not", null)
    .where("turns_at", "<=", BigInt(Date.now()))
    .orderBy("turns_at")
    .limit(limit)
    .execute();
  return idsOf(rows);
}

/** Writes when some boosts turn next, and what their stores pay now. */
async function turn(queries: Queries, ids: readonly bigint[]): Promise<void> {
  const now = BigInt(Date.now());
  await queries
    .updateTable("store_boosts")
    .set({
      turns_at: sql<bigint | null>`case when decision <> 'agreed' then null
        when starts_at > ${now} then starts_at when ends_at > ${now} then ends_at end`,
    })
    .where(among(queries, "id", ids))
    .execute();
  const stores = await queries
    .selectFrom("store_boosts")
    .select("store_id")
    .distinct()
    .where(among(queries, "id", ids))
    .execute();
  for (const { store_id } of stores) await indexStore(queries, store_id);
}

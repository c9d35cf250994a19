import { sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import { named, type StoreOffer } from "./offers.ts";
import { StoreDomains } from "./store-domains.ts";
import { IS_NAMED } from "./store-list.ts";
import type { StoreRow } from "./stores.ts";

/** Whether a page belongs to a store: its host is that of `store_url` or of one of its `domains`. */
export function isPageOf(store: Pick<StoreRow, "id" | "name" | "store_url" | "domains">, url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return new StoreDomains([store]).find(host).stores.length > 0;
}

export type OfferCursor = { endsAt: bigint; id: bigint };

/** The offers that run at a moment, of stores where one can buy, those that end first before the others. */
export async function listRunning(
  queries: Queries,
  {
    storeId,
    club,
    after,
    limit,
    now,
  }: { storeId?: bigint | undefined; club?: string | undefined; after?: OfferCursor; limit: number; now: bigint },
) {
  let query = queries
    .selectFrom("offers")
    .innerJoin("stores", "stores.id", "offers.store_id")
    .selectAll("offers")
    .select(["stores.name as store", "stores.store_url", "stores.domains"])
    .where("offers.shown", "=", 1n)
    .where("offers.ends_at", ">", now)
    .where("stores.paused_since", "is", null)
    .where(IS_NAMED);
  if (storeId !== undefined) query = query.where("offers.store_id", "=", storeId);
  if (club !== undefined) query = query.where("stores.club_slug", "=", club);
  if (after) query = query.where(sql<boolean>`(offers.ends_at, offers.id) > (${after.endsAt}, ${after.id})`);
  return query.orderBy("offers.ends_at").orderBy("offers.id").limit(limit).execute();
}

/** The next moment at which an offer begins or ends: what was shown before it is shown until then. */
export async function nextTurn(queries: Queries, now: bigint): Promise<bigint | null> {
  const { rows } = await sql<{ starts: bigint | null; ends: bigint | null }>`select
    (select turns_at from offers where turns_at is not null order by turns_at limit 1) as starts,
    (select ends_at from offers where shown = 1 and ends_at > ${now} order by ends_at limit 1) as ends`.execute(
    queries,
  );
  const { starts, ends } = rows[0] ?? { starts: null, ends: null };
  if (starts === null || ends === null) return starts ?? ends;
  return starts < ends ? starts : ends;
}

/** By hand, those of all stores that are not over, for a file. */
export function listByHand(queries: Queries): Promise<StoreOffer[]> {
  return named(queries)
    .where("offers.network", "is", null)
    .where("offers.ends_at", ">", BigInt(Date.now()))
    .orderBy("offers.store_id")
    .orderBy("offers.id")
    .execute();
}

export type RunningOffer = Awaited<ReturnType<typeof listRunning>>[number];

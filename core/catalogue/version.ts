import { sql } from "kysely";
import { readSetting, writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import { listUnnamed } from "./stores.ts";

/** Changes with every write, when a store's name is registered on chain, and when a boost starts or ends. */
export async function readCatalogueVersion(queries: Queries): Promise<string> {
  const written = (await readSetting(queries, "catalogue_version")) ?? "0";
  return `${written} ${await nextBoundary(queries, BigInt(Date.now()))} ${(await listUnnamed(queries)).join(" ")}`;
}

/** When the next boost starts or ends after a moment: what was shown at that moment is shown until then. */
async function nextBoundary(queries: Queries, now: bigint): Promise<bigint | null> {
  const first = (column: "starts_at" | "ends_at") => sql`(select ${sql.ref(column)} from store_boosts
    where decision = 'agreed' and ${sql.ref(column)} > ${now} order by ${sql.ref(column)} limit 1)`;
  const { rows } = await sql<{ starts: bigint | null; ends: bigint | null }>`
    select ${first("starts_at")} as starts, ${first("ends_at")} as ends`.execute(queries);
  const { starts, ends } = rows[0] ?? { starts: null, ends: null };
  if (starts === null || ends === null) return starts ?? ends;
  return starts < ends ? starts : ends;
}

/** Must be called in every catalogue write, so that other processes drop their cache. */
export async function bumpCatalogueVersion(queries: Queries): Promise<void> {
  await writeSetting(queries, "catalogue_version", crypto.randomUUID());
}

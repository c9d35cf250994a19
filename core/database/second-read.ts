import { readSetting, type SettingName, writeSetting } from "./settings.ts";
import type { Queries } from "./transaction.ts";

/**
 * A comparison that questions the index asks the indexer to reread the chain from a block up to its cursor. The request
 * stays in the settings until the indexer is done. docs/product.md#reconcile
 */
export type SecondRead = { from: number; request: string };

const NAME: SettingName = "second_read";

/** Requests a second read from a block on, or joins a pending request that starts no later. */
export async function requestSecondRead(queries: Queries, from: number): Promise<SecondRead> {
  const pending = await requestedSecondRead(queries);
  if (pending && pending.from <= from) return pending;
  const request = `${from} ${crypto.randomUUID()}`;
  await writeSetting(queries, NAME, request);
  return { from, request };
}

/** The pending request; undefined if there is none. */
export async function requestedSecondRead(queries: Queries): Promise<SecondRead | undefined> {
  const request = await readSetting(queries, NAME);
  return request ? { from: Number.parseInt(request, 10), request } : undefined;
}

/** Marks a request as done; a newer request stays pending. */
export async function endSecondRead(queries: Queries, { request }: SecondRead): Promise<void> {
  await queries
    .updateTable("settings")
    .set({ value: "", updated_at: BigInt(Date.now()) })
    .where("name", "=", NAME)
    .where("value", "=", request)
    .execute();
}

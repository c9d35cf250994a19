import { indexedBlock } from "./chain-cursor.ts";
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

/** A token's events are never before its mint; a token that the index lacks is assumed to be this recent. */
const AT_LEAST_BLOCKS = 1_024n;

/**
 * The block from which a second read finds everything the index lacks about these tokens; covers at least the newest
 * blocks.
 */
export async function blockToReadFrom(queries: Queries, tokenIds: readonly bigint[]): Promise<number> {
  const cursor = (await indexedBlock(queries)) ?? 0n;
  const newest = cursor > AT_LEAST_BLOCKS ? cursor - AT_LEAST_BLOCKS : 0n;
  const { first } = await queries
    .selectFrom("nfts")
    .select(({ fn }) => fn.min("minted_block").as("first"))
    .where("token_id", "in", tokenIds.length > 0 ? tokenIds : [0n])
    .executeTakeFirstOrThrow();
  return Number(first !== null && first < newest ? first : newest);
}

import { indexedBlock } from "./chain-cursor.ts";
import { readSetting, type SettingName, writeSetting } from "./settings.ts";
import type { Queries } from "./transaction.ts";

/**
 * What a comparison that doubts the index asks of the indexer: to read the chain a second time from a block up to its
 * cursor. The request stands in the settings until the indexer has done so. docs/product.md#reconcile
 */
export type SecondRead = { from: number; request: string };

const NAME: SettingName = "second_read";

/** Asks for a second read from a block on; a request that stands already and begins no later is joined. */
export async function requestSecondRead(queries: Queries, from: number): Promise<SecondRead> {
  const standing = await requestedSecondRead(queries);
  if (standing && standing.from <= from) return standing;
  const request = `${from} ${crypto.randomUUID()}`;
  await writeSetting(queries, NAME, request);
  return { from, request };
}

export async function requestedSecondRead(queries: Queries): Promise<SecondRead | undefined> {
  const request = await readSetting(queries, NAME);
  return request ? { from: Number.parseInt(request, 10), request } : undefined;
}

/** The chain was read again; another request that came meanwhile stands. */
export async function endSecondRead(queries: Queries, { request }: SecondRead): Promise<void> {
  await queries
    .updateTable("settings")
    .set({ value: "", updated_at: BigInt(Date.now()) })
    .where("name", "=", NAME)
    .where("value", "=", request)
    .execute();
}

/** Events of a token are not before the block that it was minted in; of one that the index lacks, about there. */
const AT_LEAST_BLOCKS = 1_024n;

/** The block from which a second read finds what the index lacks of these tokens: the newest blocks at least. */
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

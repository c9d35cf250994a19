import type { Queries } from "./transaction.ts";

/** The last indexed block; undefined before the first. */
export async function indexedBlock(queries: Queries): Promise<bigint | undefined> {
  const row = await queries.selectFrom("chain_cursor").select("block_number").where("id", "=", 1n).executeTakeFirst();
  return row?.block_number;
}

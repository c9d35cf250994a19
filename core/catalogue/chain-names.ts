import { sql } from "kysely";
import type { PublicClient } from "viem";
import type { Contracts } from "../chain/deployment.ts";
import { purchaseNftAbi } from "../chain/generated/purchase-nft.ts";
import { BatchLoader } from "../database/batching.ts";
import type { Database } from "../database/connect.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import { enqueueAgain } from "../sender/queue.ts";

/** Reads a store's name on the chain; empty if the store is not registered. */
export type ReadName = (storeId: bigint) => Promise<string>;

export type Misnamed = { id: bigint; name: string; onChain: string };

const STORES_A_PAGE = 500;
const IDS_PROBED = 100;
/** The init code of a contract creation is limited in size. */
const NAMES_PER_CALL = 100;

/**
 * Reads the name that tickets show; empty if the store is not registered. Names that are asked for at the same time are
 * one call of the node: there is no Multicall3 on Spicy, so it runs the init code of a helper that is never deployed.
 */
export function nameReader(client: PublicClient, { purchaseNft }: Contracts): ReadName {
  const contract = { address: purchaseNft, abi: purchaseNftAbi, functionName: "storeName" } as const;
  const names = new BatchLoader(async (storeIds: readonly bigint[]) => {
    const found = new Map<bigint, string>();
    for (let at = 0; at < storeIds.length; at += NAMES_PER_CALL) {
      const some = storeIds.slice(at, at + NAMES_PER_CALL);
      const contracts = some.map((id) => ({ ...contract, args: [Number(id)] as const }));
      const read = await client.multicall({ contracts, allowFailure: false, batchSize: 0, deployless: true });
      for (const [index, id] of some.entries()) found.set(id, read[index] ?? "");
    }
    return found;
  });
  return async (storeId) => (await names.find(storeId)) ?? "";
}

/** Stores whose name in the catalogue differs from the one on chain, a page at a time. */
export async function* listMisnamed(queries: Queries, readName: ReadName): AsyncGenerator<Misnamed[]> {
  for (let after = 0n; ; ) {
    const stores = await queries
      .selectFrom("stores")
      .select(["id", "name"])
      .where("deleted_at", "is", null)
      .where("id", ">", after)
      .orderBy("id")
      .limit(STORES_A_PAGE)
      .execute();
    const compared = await Promise.all(stores.map(async (store) => ({ ...store, onChain: await readName(store.id) })));
    const misnamed = compared.filter(({ name, onChain }) => name !== onChain);
    if (misnamed.length > 0) yield misnamed;
    after = stores.at(-1)?.id ?? after;
    if (stores.length < STORES_A_PAGE) return;
  }
}

/**
 * Queues the registration or renaming of every store whose on-chain name differs. Reads each difference twice, because
 * a node that is behind lacks names, and a queued store is not on offer. Returns what it found.
 */
export async function mendNames({ kysely }: Database, readName: ReadName): Promise<Misnamed[]> {
  const found: Misnamed[] = [];
  for await (const suspects of listMisnamed(kysely, readName)) {
    const again = await Promise.all(suspects.map(async (one) => ({ ...one, onChain: await readName(one.id) })));
    const page = again.filter(({ name, onChain }) => name !== onChain);
    if (page.length === 0) continue;
    await inTransaction(kysely, async (queries) => {
      for (const { id, onChain } of page) {
        await enqueueAgain(queries, { kind: onChain === "" ? "register_store" : "rename_store", subjectId: id });
      }
    });
    found.push(...page);
  }
  return found;
}

/**
 * Moves the next store id past those already registered on chain: tickets of those ids show another store's name, which
 * a rename would change.
 */
export async function skipRegisteredIds(database: Database, readName: ReadName): Promise<void> {
  for (;;) {
    const next = await readNextId(database);
    const ids = Array.from({ length: IDS_PROBED }, (_, index) => next + BigInt(index));
    const names = await Promise.all(ids.map(readName));
    const last = ids[names.findLastIndex((name) => name !== "")];
    if (last === undefined) return;
    await setLastId(database, last);
  }
}

/** Looks for a free id once per process: after that, only this system registers stores. */
export class StoreIds {
  readonly #database: Database;
  readonly #readName: ReadName;
  #skipping: Promise<void> | undefined;

  constructor(database: Database, readName: ReadName) {
    this.#database = database;
    this.#readName = readName;
  }

  /** Once it has succeeded, stores can be created while the chain is unavailable. */
  skipRegistered(): Promise<void> {
    this.#skipping ??= skipRegisteredIds(this.#database, this.#readName).catch((error: unknown) => {
      this.#skipping = undefined;
      throw error;
    });
    return this.#skipping;
  }
}

type Place = { kysely: Queries; engine: Database["engine"] };

async function readNextId({ kysely: queries, engine }: Place): Promise<bigint> {
  const { rows } =
    engine === "postgres"
      ? await sql<{ next: bigint }>`
          select case when is_called then last_value + 1 else last_value end as next from stores_id_seq`.execute(
          queries,
        )
      : await sql<{ next: bigint }>`
          select coalesce((select seq from sqlite_sequence where name = 'stores'), 0) + 1 as next`.execute(queries);
  return BigInt(rows[0]?.next ?? 1n);
}

async function setLastId({ kysely, engine }: Database, last: bigint): Promise<void> {
  if (engine === "postgres") {
    await sql`select setval('stores_id_seq', greatest(${last}, (select last_value from stores_id_seq)))`.execute(
      kysely,
    );
    return;
  }
  await inTransaction(kysely, async (queries) => {
    const next = await readNextId({ kysely: queries, engine });
    if (next > last) return;
    await sql`delete from sqlite_sequence where name = 'stores'`.execute(queries);
    await sql`insert into sqlite_sequence (name, seq) values ('stores', ${last})`.execute(queries);
  });
}

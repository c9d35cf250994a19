import type { PublicClient } from "viem";
import type { Contracts } from "../chain/deployment.ts";
import { purchaseNftAbi } from "../chain/generated/purchase-nft.ts";
import { BatchLoader } from "../database/batching.ts";
import type { Database } from "../database/connect.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import { CLUB_PATTERNS } from "../rules/clubs/club.ts";
import { NO_LOOK, sameLook, type TicketLook, ticketLook } from "../rules/clubs/ticket-look.ts";
import { enqueueAgain } from "../sender/queue.ts";

/** Reads how the chain draws a store's tickets; undefined where its contract cannot say, as one of before 1.0.0. */
type ReadLook = (storeId: bigint) => Promise<TicketLook | undefined>;

export type Unlike = { id: bigint; name: string; onChain: TicketLook; wanted: TicketLook };

const STORES_A_PAGE = 500;
/** The init code of a contract creation is limited in size. */
const LOOKS_PER_CALL = 100;

/** Looks that are asked for at the same time are one call of the node, as names are. */
export function lookReader(client: PublicClient, { purchaseNft }: Contracts): ReadLook {
  const contract = { address: purchaseNft, abi: purchaseNftAbi, functionName: "storeLook" } as const;
  const looks = new BatchLoader(async (storeIds: readonly bigint[]) => {
    const found = new Map<bigint, TicketLook>();
    for (let at = 0; at < storeIds.length; at += LOOKS_PER_CALL) {
      const some = storeIds.slice(at, at + LOOKS_PER_CALL);
      const contracts = some.map((id) => ({ ...contract, args: [Number(id)] as const }));
      const read = await client.multicall({ contracts, allowFailure: true, batchSize: 0, deployless: true });
      for (const [index, id] of some.entries()) {
        const look = read[index]?.result;
        if (look) found.set(id, look);
      }
    }
    return found;
  });
  return (storeId) => looks.find(storeId);
}

/** How a store's tickets should look: as its club today. Undefined if nothing is said: then the chain keeps what it has. */
export async function wantedLook(queries: Queries, storeId: bigint): Promise<TicketLook | undefined> {
  const [store] = await storesWithClubs(queries, storeId - 1n, 1);
  return store?.id === storeId ? store.wanted : undefined;
}

/**
 * The named stores whose tickets look otherwise on chain than their club does. A store without a club keeps what the chain
 * has, unless it is this that was sent for it. docs/product.md#ticket-look
 */
export async function* listUnlike(queries: Queries, readLook: ReadLook): AsyncGenerator<Unlike[]> {
  for (let after = 0n; ; ) {
    const stores = await storesWithClubs(queries, after, STORES_A_PAGE);
    const compared = await Promise.all(
      stores.map(async ({ id, name, wanted }) => ({ id, name, wanted, onChain: wanted && (await readLook(id)) })),
    );
    const unlike = compared.flatMap(({ wanted, onChain, ...store }) =>
      wanted && onChain && !sameLook(wanted, onChain) ? [{ ...store, wanted, onChain }] : [],
    );
    if (unlike.length > 0) yield unlike;
    after = stores.at(-1)?.id ?? after;
    if (stores.length < STORES_A_PAGE) return;
  }
}

/** Queues the look of every store whose tickets are drawn otherwise, a page at a time; again, it changes nothing. */
export async function sendLooks({ kysely }: Database, readLook: ReadLook): Promise<Unlike[]> {
  const found: Unlike[] = [];
  for await (const page of listUnlike(kysely, readLook)) {
    await inTransaction(kysely, async (queries) => {
      for (const { id } of page) await enqueueAgain(queries, { kind: "set_store_look", subjectId: id });
    });
    found.push(...page);
  }
  return found;
}

/** Queues the look of every store with a club for which none was sent yet, without asking the chain. */
export async function sendFirstLooks({ kysely }: Database): Promise<void> {
  for (let after = 0n, length = STORES_A_PAGE; length === STORES_A_PAGE; ) {
    const stores = await storesWithClubs(kysely, after, STORES_A_PAGE);
    const first = stores.filter(({ wanted, isSent }) => wanted !== undefined && !isSent);
    await inTransaction(kysely, async (queries) => {
      for (const { id } of first) await enqueueAgain(queries, { kind: "set_store_look", subjectId: id });
    });
    after = stores.at(-1)?.id ?? after;
    length = stores.length;
  }
}

async function storesWithClubs(queries: Queries, after: bigint, limit: number) {
  const rows = await queries
    .selectFrom("stores")
    .leftJoin("clubs", (join) => join.onRef("clubs.slug", "=", "stores.club_slug").on("clubs.deleted_at", "is", null))
    .leftJoin("operations as sent", (join) =>
      join.onRef("sent.subject_id", "=", "stores.id").on("sent.kind", "=", "set_store_look"),
    )
    .select(["stores.id", "stores.name", "clubs.colours", "clubs.pattern", "sent.subject_id as sentFor"])
    .where("stores.deleted_at", "is", null)
    .where("stores.id", ">", after)
    .orderBy("stores.id")
    .limit(limit)
    .execute();
  return rows.map(({ id, name, colours, pattern, sentFor }) => {
    const isSent = sentFor !== null;
    // What was sent for a club that it no longer has is taken back.
    if (colours === null) return { id, name, isSent, wanted: isSent ? NO_LOOK : undefined };
    const known = CLUB_PATTERNS.find((one) => one === pattern) ?? "plain";
    return { id, name, isSent, wanted: ticketLook({ colours: colours.split(" "), pattern: known }) };
  });
}

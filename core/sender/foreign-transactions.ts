import type { PublicClient } from "viem";
import type { Contracts } from "../chain/deployment.ts";
import type { Database } from "../database/connect.ts";
import { writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import type { ChainClient } from "../process/rpc/chain-client.ts";
import type { SigningKey } from "../process/signing-keys.ts";
import { jsonOf } from "../rules/records.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { type Book, findSpender, ownCallOf, readBook, settingOf } from "./head-reader.ts";
import type { StoredTransaction } from "./receipts.ts";

type Unlisted = Book["foreign"][number];
/** A key whose nonces are monitored. */
export type WatchedKey = Pick<SigningKey, "name" | "address">;
/** A transaction of one of our wallets that is not in the outbox: foreign, or lost by the database if it has a `call`. */
export type ForeignTransaction = Unlisted & { key: WatchedKey["name"] };

type Parties = { database: Database; client: ChainClient; contracts: Contracts; key: WatchedKey };

const LOOKED_AT_ONCE = 25;
const PAGE = 500n;
const LISTED = 500;

/**
 * Attributes nonces of a key to the outbox or to a transaction that is not in it, which is looked up on chain and
 * stored. `below`: all nonces below it are attributed;
 * `isWhole`: all that the chain counts.
 */
export async function explainNonces({
  database,
  client,
  contracts,
  key,
}: Parties): Promise<{ below: bigint; isWhole: boolean }> {
  const { kysely } = database;
  const wallet = key.address;
  const known = await readBook(kysely, key);
  return client.onOneNode(async (node) => {
    const counted = BigInt(await node.getTransactionCount({ address: wallet, blockTag: "latest" }));
    // Nothing was signed since, and a reorg would have returned a nonce.
    if (known && known.foreign.length === 0 && counted === known.below) return { below: counted, isWhole: true };
    const { number: highest } = await node.getBlock({ blockTag: "latest" });
    const count = BigInt(await node.getTransactionCount({ address: wallet, blockNumber: highest }));
    const first = known?.first ?? (await firstNonce(kysely, wallet)) ?? count;
    const book: Book = known ?? { wallet, first, below: first, foreign: [] };
    // A reorg may have returned a nonce to us.
    const again = await statusesOf(
      kysely,
      wallet,
      book.foreign.map((one) => one.nonce),
    );
    const foreign = book.foreign.filter(({ nonce }) => nonce < count && !isOurs(again.get(nonce)));
    const seen = new Set(foreign.map((one) => one.nonce));
    let below = book.below < count ? book.below : count;
    for (let looked = 0; below < count && looked < LOOKED_AT_ONCE; ) {
      const page = Array.from({ length: Number(least(count - below, PAGE)) }, (_, index) => below + BigInt(index));
      const ours = await statusesOf(kysely, wallet, page);
      // One of ours without a receipt may still lose its nonce, so it is checked again later.
      const open = page.find((nonce) => ours.get(nonce) === "signed");
      for (const nonce of page) {
        if (nonce === open || looked >= LOOKED_AT_ONCE) break;
        if (!isOurs(ours.get(nonce)) && !seen.has(nonce)) {
          const found = await lookUp(node, contracts, { address: wallet, nonce, highest });
          if (!found) return { below, isWhole: false };
          foreign.push(found);
          looked += 1;
        }
        below = nonce + 1n;
      }
      if (open !== undefined) break;
    }
    const next: Book = { ...book, below, foreign: foreign.slice(-LISTED) };
    if (!known || jsonOf(next) !== jsonOf(known)) await writeSetting(kysely, settingOf(key), jsonOf(next));
    return { below, isWhole: below >= count };
  });
}

/** Finds the transaction on chain; undefined if the node contradicts itself. */
async function lookUp(
  node: PublicClient,
  contracts: Contracts,
  spent: { address: WalletAddress; nonce: bigint; highest: bigint },
): Promise<Unlisted | undefined> {
  const evidence = await findSpender(node, spent);
  if (evidence.kind === "contradiction") return undefined;
  const found = { nonce: spent.nonce, foundAt: Date.now(), isAccepted: false };
  if (evidence.kind !== "spent") return { ...found, hash: null, to: null, valueWei: null, block: null, call: null };
  const { hash, to, valueWei, blockNumber: block } = evidence;
  return { ...found, hash, to, valueWei, block, call: ownCallOf(contracts, evidence) ?? null };
}

/** The known transactions of other programs with these keys that have not been accepted. */
export async function listForeign(queries: Queries, keys: readonly WatchedKey[]): Promise<ForeignTransaction[]> {
  return (await listUnlisted(queries, keys)).filter(({ call }) => call === null);
}

/** The known calls of our contracts with these keys that the database lost, until `npm run restored`. */
export async function listLost(queries: Queries, keys: readonly WatchedKey[]): Promise<ForeignTransaction[]> {
  return (await listUnlisted(queries, keys)).filter(({ call }) => call !== null);
}

async function listUnlisted(queries: Queries, keys: readonly WatchedKey[]): Promise<ForeignTransaction[]> {
  const found: ForeignTransaction[] = [];
  for (const key of keys) {
    const book = await readBook(queries, key);
    for (const one of book?.foreign ?? []) if (!one.isAccepted) found.push({ ...one, key: key.name });
  }
  return found;
}

/** Marks all foreign ones, or all lost ones, as known to the operator. Returns how many there were. */
export async function acceptNonces(queries: Queries, key: WatchedKey, which: "foreign" | "lost"): Promise<number> {
  const book = await readBook(queries, key);
  if (!book) return 0;
  const isMeant = (one: Unlisted) => !one.isAccepted && (one.call !== null) === (which === "lost");
  const count = book.foreign.filter(isMeant).length;
  const foreign = book.foreign.map((one) => (isMeant(one) ? { ...one, isAccepted: true } : one));
  if (count > 0) await writeSetting(queries, settingOf(key), jsonOf({ ...book, foreign }));
  return count;
}

/** Describes a transaction that is not in the outbox for people. */
export function foreignText({ key, nonce, hash, to, block, call }: ForeignTransaction): string {
  if (call !== null)
    return `The database does not know nonce ${nonce} of the ${key}'s key: ${call}, ${hash} in block ${block}`;
  if (hash === null) return `Another program used nonce ${nonce} of the ${key}'s key; no node has its history`;
  return `Another program used nonce ${nonce} of the ${key}'s key: ${hash} in block ${block}, to ${to ?? "a new contract"}`;
}

async function firstNonce(queries: Queries, wallet: WalletAddress): Promise<bigint | undefined> {
  const row = await queries
    .selectFrom("transactions")
    .select("nonce")
    .where("sender", "=", wallet)
    .orderBy("nonce")
    .limit(1)
    .executeTakeFirst();
  return row?.nonce;
}

async function statusesOf(
  queries: Queries,
  wallet: WalletAddress,
  nonces: readonly bigint[],
): Promise<Map<bigint, StoredTransaction["status"]>> {
  if (nonces.length === 0) return new Map();
  const rows = await queries
    .selectFrom("transactions")
    .select(["nonce", "status"])
    .where("sender", "=", wallet)
    .where("nonce", "in", nonces)
    .execute();
  return new Map(rows.map((row) => [row.nonce, row.status]));
}

/** A void transaction is one of ours that lost its nonce. */
function isOurs(status: StoredTransaction["status"] | undefined): boolean {
  return status !== undefined && status !== "void";
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);

import {
  type Hex,
  keccak256,
  type PublicClient,
  recoverTransactionAddress,
  serializeTransaction,
  toFunctionSelector,
} from "viem";
import { z } from "zod";
import type { Contracts } from "../chain/deployment.ts";
import { cashbackDistributorAbi } from "../chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../chain/generated/purchase-nft.ts";
import { indexedBlock } from "../database/chain-cursor.ts";
import { readSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import { rpcErrorOf } from "../process/rpc/chain-client.ts";
import { RpcError } from "../process/rpc/json-rpc.ts";
import { ContradictionError } from "../process/rpc/node-proof.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import type { WatchedKey } from "./foreign-transactions.ts";
import { beginRecovery, wasRecovered } from "./payout-switch.ts";
import type { WatchedTransaction } from "./receipts.ts";
import type { Head, SenderContext } from "./sender-context.ts";
import { readHighest } from "./transactions.ts";

/** A node this far behind the index is outdated. */
const BEHIND_BLOCKS = 5n;
/** So many nonces that the outbox does not know are looked at; more are believed to be ours. */
const LOOKED_AT = 25n;
/** And so many of a key that a new database has never used: they may be of another deployment. */
const LOOKED_AT_NEW = 5n;
/** Without history, a new database accepts a nonce that was read this often. */
const READ_ALIKE = 3;

/**
 * Reads the newest block and the wallet's nonce and balance at that block, all from one verified node. A nonce that
 * differs from the expected one is accepted only if the chain's transactions explain it. docs/product.md#node-trust
 */
export class HeadReader {
  readonly #context: SenderContext;
  /** Nonces below this are explained by a transaction on the chain. */
  #explainedBelow = 0n;
  /** An unexplained nonce, and how often in a row it was read. */
  #unexplained = { nonce: -1n, reads: 0 };
  /** What was proven of nonces while their explanation was interrupted: a node that often fails is asked on. */
  readonly #proven = new Map<bigint, NonceEvidence>();

  constructor(context: SenderContext) {
    this.#context = context;
  }

  read(): Promise<Head> {
    return this.#context.options.client.onOneNode(async (node) => {
      const newest = await this.#readNewest(node);
      if (await this.#isPlain(newest)) return newest;
      const head = await this.#readOnce(node);
      await this.#assertNotBehind(head);
      await assertMinedIsCounted(node, this.#context.options.database.kysely, {
        ...head,
        wallet: this.#context.wallet,
      });
      await this.#assertExplained(node, head);
      return head;
    });
  }

  /** In one request; a block that is made meanwhile may be counted already. */
  async #readNewest(node: PublicClient): Promise<Head> {
    const address = this.#context.wallet;
    const [{ number, baseFeePerGas }, nonce, balanceWei] = await Promise.all([
      node.getBlock({ blockTag: "latest" }),
      node.getTransactionCount({ address, blockTag: "latest" }),
      node.getBalance({ address, blockTag: "latest" }),
    ]);
    return { number, baseFeeWei: baseFeePerGas ?? 0n, nonce: BigInt(nonce), balanceWei };
  }

  /** Whether it says what is known already, so that nothing has to be proven of it. */
  async #isPlain({ number, nonce }: Head): Promise<boolean> {
    const { kysely } = this.#context.options.database;
    const { wallet } = this.#context;
    const indexed = await indexedBlock(kysely);
    const { nonce: last, mined } = await readHighest(kysely, wallet);
    const isBehind = indexed !== undefined && number + BEHIND_BLOCKS < indexed;
    const isExplained = nonce <= (last ?? -1n) + 1n || nonce <= this.#explainedBelow;
    return !isBehind && isExplained && (!mined || nonce > mined.nonce);
  }

  async #readOnce(node: PublicClient): Promise<Head> {
    const { wallet: address } = this.#context;
    const { number, hash } = await node.getBlock({ blockTag: "latest" });
    const [block, nonce, balanceWei] = await Promise.all([
      node.getBlock({ blockNumber: number }),
      node.getTransactionCount({ address, blockNumber: number }),
      node.getBalance({ address, blockNumber: number }),
    ]);
    if (block.hash !== hash) throw new RpcError("inconsistent", `Block ${number} was replaced while it was read`);
    return { number, baseFeeWei: block.baseFeePerGas ?? 0n, nonce: BigInt(nonce), balanceWei };
  }

  async #assertNotBehind({ number }: Head): Promise<void> {
    const indexed = await indexedBlock(this.#context.options.database.kysely);
    if (indexed === undefined || number + BEHIND_BLOCKS >= indexed) return;
    throw new RpcError("inconsistent", `The node is at block ${number}, the index at ${indexed}`);
  }

  async #assertExplained(node: PublicClient, { number, nonce }: Head): Promise<void> {
    const { options, wallet: address } = this.#context;
    const { nonce: last } = await readHighest(options.database.kysely, address);
    const expected = last === undefined ? 0n : last + 1n;
    if (nonce <= expected || nonce <= this.#explainedBelow) return;
    const evidence = await this.#spenderOf(node, { nonce: nonce - 1n, highest: number });
    const known = last === undefined ? "none is known here" : `${last} is the last that is known here`;
    if (evidence.kind === "contradiction") {
      throw new ContradictionError(
        "nonce",
        `The node counts ${nonce} transactions of ${address}; ${known}, and it has no other`,
      );
    }
    if (evidence.kind === "history is gone" && !this.#mayBelieve(nonce, last)) {
      throw new Error(
        `The node counts ${nonce} transactions of ${address}; ${known}, and the node's history does not go back far enough to show the others. Add a node with full history to RPC_URLS`,
      );
    }
    const lost = await this.#findLost(node, { number, nonce }, last);
    if (lost) await this.#holdFor(lost);
    this.#explainedBelow = nonce;
    this.#proven.clear();
    if (lost) return;
    const by = evidence.kind === "spent" ? evidence.hash : "history that no node has";
    if (last === undefined)
      options.log.info({ key: options.key, nonce, by }, "The wallet was used before this database");
    else
      options.log.error({ key: options.key, from: expected, to: nonce - 1n, by }, "Another program used a key of ours");
  }

  /** The newest step of a purchase among transactions that the outbox does not know. docs/product.md#recovery */
  async #findLost(
    node: PublicClient,
    { number, nonce }: Pick<Head, "number" | "nonce">,
    last: bigint | undefined,
  ): Promise<{ nonce: bigint; call: string } | undefined> {
    const { options, wallet: address } = this.#context;
    const { kysely } = options.database;
    const isNew = last === undefined;
    if (isNew && (await wasRecovered(kysely))) return undefined;
    const { below, lost } = await readAttributed(kysely, { name: options.key, address });
    const known = isNew ? nonce - LOOKED_AT_NEW - 1n : last;
    for (let one = nonce - 1n; one > known && one >= 0n; one--) {
      const attributed = lost.get(one);
      if (attributed !== undefined) return { nonce: one, call: attributed };
      if (one < below && !isNew) continue;
      if (nonce - one > LOOKED_AT) return { nonce: one, call: `more than ${LOOKED_AT} transactions` };
      const evidence = await this.#spenderOf(node, { nonce: one, highest: number });
      const call = evidence.kind === "spent" ? ownCallOf(options.contracts, evidence) : undefined;
      if (call) return { nonce: one, call };
    }
    return undefined;
  }

  async #spenderOf(node: PublicClient, { nonce, highest }: { nonce: bigint; highest: bigint }): Promise<NonceEvidence> {
    const proven = this.#proven.get(nonce);
    if (proven) return proven;
    const evidence = await findSpender(node, { address: this.#context.wallet, nonce, highest });
    if (evidence.kind === "spent") this.#proven.set(nonce, evidence);
    return evidence;
  }

  /**
   * Whether another transaction, which is final, used the nonce of one of ours. It was another program, for which payouts
   * are paused, or ourselves if it is a call that the database lost, such as a fee bump since a backup.
   */
  async isNonceLost({ sender, nonce, hashes }: WatchedTransaction): Promise<boolean> {
    const { client, confirmations, contracts, key, payouts, log } = this.#context.options;
    const spent = await client.onOneNode((node) => findFinalSpender(node, { address: sender, nonce }, confirmations));
    if (!spent || hashes.some(({ hash }) => hash === spent.hash)) return false;
    const call = ownCallOf(contracts, spent);
    if (call) {
      await this.#holdFor({ nonce, call });
      return true;
    }
    await payouts.pause({ code: "lost_nonce", key, nonce: Number(nonce) });
    log.error(
      { key, nonce, by: spent.hash, block: spent.blockNumber },
      "Another program used a key of ours; payouts are paused",
    );
    return true;
  }

  async #holdFor({ nonce, call }: { nonce: bigint; call: string }): Promise<void> {
    const { key, log } = this.#context.options;
    await this.#context.write((queries) =>
      beginRecovery(queries, { code: "chain_ahead", key, nonce: Number(nonce), call }),
    );
    log.error({ key, nonce, call }, "The chain has a call of ours that the database does not know; nothing is sent");
  }

  /** For a new database and a node without history: accept a nonce that stays the same. */
  #mayBelieve(nonce: bigint, last: bigint | undefined): boolean {
    const reads = this.#unexplained.nonce === nonce ? this.#unexplained.reads + 1 : 1;
    this.#unexplained = { nonce, reads };
    return last === undefined && reads >= READ_ALIKE;
  }
}

/**
 * The nonce is below that of a mined transaction: its block was orphaned, or the node contradicts itself.
 * @throws ContradictionError, or RpcError if the node has not reached that block yet
 */
export async function assertMinedIsCounted(
  node: PublicClient,
  queries: Queries,
  { wallet, number, nonce }: { wallet: WalletAddress; number: bigint; nonce: bigint },
): Promise<void> {
  const { mined } = await readHighest(queries, wallet);
  if (!mined || nonce > mined.nonce) return;
  const blockNumber = mined.block_number ?? 0n;
  if (number < blockNumber) {
    throw new RpcError("inconsistent", `The node is at block ${number}, a transaction of ours in ${blockNumber}`);
  }
  const { hash } = await node.getBlock({ blockNumber });
  if (hash !== mined.block_hash) return;
  throw new ContradictionError(
    "nonce",
    `The node counts ${nonce} transactions of ${wallet}, and has the block with number ${mined.nonce}`,
  );
}

/** The transaction that used a nonce, as its sender signed it. */
export type SpentNonce = { hash: Hex; blockNumber: bigint; to: Hex | null; input: Hex; valueWei: bigint };

/** A node's evidence of who used a nonce. */
export type NonceEvidence =
  | ({ kind: "spent" } & SpentNonce)
  /** The node counts the nonce as used, but has no transaction with it. */
  | { kind: "contradiction" }
  /** The node no longer has the history that would contain the transaction. */
  | { kind: "history is gone" };

/** How many blocks are searched one by one if the node has no state to bisect with. */
const SCANNED_BLOCKS = 5_000n;
const BLOCKS_AT_ONCE = 50n;

/**
 * Finds the transaction with which `address` used `nonce`, up to a block at which the node counts it as used. The
 * transaction's signature is the proof, which no node can forge.
 */
export async function findSpender(
  node: PublicClient,
  { address, nonce, highest }: { address: WalletAddress; nonce: bigint; highest: bigint },
): Promise<NonceEvidence> {
  const { block: first, isWhole } = await firstBlockAbove(node, { address, nonce, highest });
  const isOurs = (spent: SpentNonce | undefined) => spent && ({ kind: "spent", ...spent } as const);
  const found = isOurs(await spenderIn(await readBlocks(node, first, first), address, nonce));
  if (found) return found;
  if (isWhole) return { kind: "contradiction" };
  const lowest = first > SCANNED_BLOCKS ? first - SCANNED_BLOCKS : 0n;
  for (let to = first - 1n; to >= lowest; to -= BLOCKS_AT_ONCE) {
    const from = to - BLOCKS_AT_ONCE + 1n > lowest ? to - BLOCKS_AT_ONCE + 1n : lowest;
    const earlier = isOurs(await spenderIn(await readBlocks(node, from, to), address, nonce));
    if (earlier) return earlier;
  }
  return { kind: "history is gone" };
}

/** The final transaction that used a nonce; undefined if there is none or it cannot be proven. */
async function findFinalSpender(
  node: PublicClient,
  { address, nonce }: { address: WalletAddress; nonce: bigint },
  confirmations: number,
): Promise<SpentNonce | undefined> {
  const head = await node.getBlockNumber();
  const highest = head >= BigInt(confirmations) ? head - BigInt(confirmations) + 1n : 0n;
  const count = BigInt(await node.getTransactionCount({ address, blockNumber: highest }));
  if (count <= nonce) return undefined;
  const evidence = await findSpender(node, { address, nonce, highest });
  if (evidence.kind === "spent") return evidence;
  if (evidence.kind === "history is gone") return undefined;
  throw new ContradictionError("nonce", `The node counts nonce ${nonce} of ${address} as used, but by no transaction`);
}

/** The first block after which the nonce counts as used, as far back as the node has state. */
async function firstBlockAbove(
  node: PublicClient,
  { address, nonce, highest }: { address: WalletAddress; nonce: bigint; highest: bigint },
): Promise<{ block: bigint; isWhole: boolean }> {
  let low = 0n;
  let high = highest;
  let isWhole = true;
  while (low < high) {
    const middle = (low + high) / 2n;
    const count = await countAt(node, address, middle);
    if (count === undefined) isWhole = false;
    if (count !== undefined && BigInt(count) > nonce) high = middle;
    else low = middle + 1n;
  }
  return { block: high, isWhole };
}

async function countAt(node: PublicClient, address: WalletAddress, blockNumber: bigint): Promise<number | undefined> {
  try {
    return await node.getTransactionCount({ address, blockNumber });
  } catch (error) {
    if (isStateGone(error)) return undefined;
    throw error;
  }
}

/** Whether the node reported that it has no state for the requested block. */
function isStateGone(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const failed = rpcErrorOf(cause);
    if (failed) return failed.failure === "no-state";
  }
  return false;
}

type FullBlock = Awaited<ReturnType<typeof readBlocks>>[number];

function readBlocks(node: PublicClient, from: bigint, to: bigint) {
  const numbers = Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index));
  return Promise.all(numbers.map((blockNumber) => node.getBlock({ blockNumber, includeTransactions: true })));
}

async function spenderIn(
  blocks: readonly FullBlock[],
  address: WalletAddress,
  nonce: bigint,
): Promise<SpentNonce | undefined> {
  for (const { transactions, number } of blocks) {
    for (const transaction of transactions) {
      const isMeant = transaction.from.toLowerCase() === address && BigInt(transaction.nonce) === nonce;
      if (!isMeant || !(await isSignedBy(transaction, address))) continue;
      const { hash, to, input, value } = transaction;
      return { hash, blockNumber: number, to, input, valueWei: value };
    }
  }
  return undefined;
}

type FullTransaction = FullBlock["transactions"][number];

async function isSignedBy(transaction: FullTransaction, address: WalletAddress): Promise<boolean> {
  const { r, s, v, yParity, input, ...rest } = transaction;
  const signature = { r, s, v, ...(yParity === undefined ? {} : { yParity }) };
  // The transaction type drops unsigned fields of the block.
  const serialized = serializeTransaction({ ...rest, data: input }, signature);
  if (keccak256(serialized) !== transaction.hash) return false;
  const signer = await recoverTransactionAddress({ serializedTransaction: serialized });
  return signer.toLowerCase() === address;
}

/** The steps of a purchase, which people do not call by hand. */
const STEPS: ReadonlySet<string> = new Set([
  "mint",
  "mintBatch",
  "confirm",
  "cancel",
  "markReturned",
  "pay",
  "payBatch",
]);

const selectorsOf = (abi: typeof purchaseNftAbi | typeof cashbackDistributorAbi): ReadonlyMap<string, string> =>
  new Map(
    abi.flatMap((item) =>
      item.type === "function" && STEPS.has(item.name) ? [[toFunctionSelector(item), item.name] as const] : [],
    ),
  );
const NFT_CALLS = selectorsOf(purchaseNftAbi);
const DISTRIBUTOR_CALLS = selectorsOf(cashbackDistributorAbi);
const SELECTOR_CHARACTERS = 10;

/** The step of a purchase that a transaction calls on our contracts; undefined if it does anything else. */
export function ownCallOf(
  { purchaseNft, formerPurchaseNfts = [], cashbackDistributor, formerDistributors = [] }: Contracts,
  { to, input }: { to: string | null; input: Hex },
): string | undefined {
  const isOneOf = (...addresses: string[]) => to !== null && addresses.includes(to.toLowerCase());
  const selector = input.slice(0, SELECTOR_CHARACTERS);
  if (isOneOf(purchaseNft, ...formerPurchaseNfts)) return NFT_CALLS.get(selector);
  return isOneOf(cashbackDistributor, ...formerDistributors) ? DISTRIBUTOR_CALLS.get(selector) : undefined;
}

// Nonces that are attributed ------------------------------------------------------------------------------------------

const foreignSchema = z.object({
  nonce: z.coerce.bigint(),
  /** Null if no node has the history any more. */
  hash: z.string().nullable(),
  to: z.string().nullable(),
  valueWei: z.coerce.bigint().nullable(),
  block: z.coerce.bigint().nullable(),
  /** The step of a purchase that it called on our contracts: then the database lost it, or the key is stolen. */
  call: z.string().nullable(),
  foundAt: z.number(),
  isAccepted: z.boolean(),
});

const bookSchema = z.object({
  wallet: z.string(),
  /** The wallet's first nonce under this database; earlier ones belong to another deployment. */
  first: z.coerce.bigint(),
  /** Every nonce from `first` up to (excluding) this one is ours or listed. */
  below: z.coerce.bigint(),
  foreign: z.array(foreignSchema),
});
/** What is known of a key's nonces. */
export type Book = z.infer<typeof bookSchema>;

/** Which nonces of a key were already attributed, and which of these the database lost and nobody has accepted. */
async function readAttributed(
  queries: Queries,
  key: WatchedKey,
): Promise<{ below: bigint; lost: ReadonlyMap<bigint, string> }> {
  const book = await readBook(queries, key);
  const lost = (book?.foreign ?? []).flatMap(({ nonce, call, isAccepted }) =>
    call === null || isAccepted ? [] : [[nonce, call] as const],
  );
  return { below: book?.below ?? 0n, lost: new Map(lost) };
}

export const settingOf = ({ name }: WatchedKey) => `${name}_nonces` as const;

export async function readBook(queries: Queries, key: WatchedKey): Promise<Book | undefined> {
  const { data } = bookSchema.safeParse(JSON.parse((await readSetting(queries, settingOf(key))) ?? "null"));
  return data?.wallet === key.address ? data : undefined;
}

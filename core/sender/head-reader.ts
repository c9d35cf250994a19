import type { PublicClient } from "viem";
import { indexedBlock } from "../database/chain-cursor.ts";
import type { Queries } from "../database/transaction.ts";
import { RpcError } from "../process/rpc/json-rpc.ts";
import { ContradictionError } from "../process/rpc/node-proof.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { readAttributed } from "./foreign-transactions.ts";
import { findSpender, type NonceEvidence } from "./nonce-evidence.ts";
import { ownCallOf } from "./own-call.ts";
import { beginRecovery, wasRecovered } from "./recovery.ts";
import type { Head, SenderContext } from "./sender-context.ts";
import { highestMined, highestNonce } from "./transactions.ts";

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
    const mined = await highestMined(kysely, wallet);
    const last = await highestNonce(kysely, wallet);
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
    const last = await highestNonce(options.database.kysely, address);
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
  const mined = await highestMined(queries, wallet);
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

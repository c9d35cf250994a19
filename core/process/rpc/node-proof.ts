import type { Database } from "../../database/connect.ts";
import { readSetting, writeSetting, writeSettingOnce } from "../../database/settings.ts";
import { isRecord } from "../../rules/records.ts";
import { TorcidaError } from "../../rules/torcida-error.ts";
import {
  type JsonRpc,
  type RpcCall,
  RpcError,
  type RpcOutcome,
  resultOrThrow,
  type SettleOptions,
} from "./json-rpc.ts";

/** The kind of contradiction between two nodes, or between a node and known facts. */
export type Contradiction = "chain-id" | "genesis" | "block" | "nonce";

/** A node contradicts known facts. It is dropped and the next one is used. */
export class ContradictionError extends TorcidaError {
  override readonly docs = "docs/product.md#node-trust";
  readonly kind: Contradiction;

  constructor(kind: Contradiction, message: string) {
    super(message);
    this.kind = kind;
  }
}

export type Proof =
  | { trust: "proven"; head: number }
  /** It lacks our contracts or a block that it must have. */
  | { trust: "lacking"; reason: string }
  | {
      trust: "contradicting";
      kind: Contradiction;
      reason: string;
      /** Its block at the height of our deep block. */
      otherBlock?: BlockId;
    };

export type ProofParameters = {
  chainId: number;
  /** A contract that must have code on the adopted chain; undefined if nothing is deployed yet. */
  contract: string | undefined;
  memory: ChainMemory;
  known: KnownChain;
  timeoutMs: number;
};

/**
 * Verifies in one request that a node is on our chain: chain id, genesis block, and a known deep block.
 * @throws RpcError if it does not respond
 */
export async function proveNode(rpc: JsonRpc, parameters: ProofParameters): Promise<Proof> {
  const { chainId, contract, memory, known, timeoutMs } = parameters;
  const { genesis, deep } = known;
  const calls = [
    { method: "eth_chainId", params: [] },
    blockCall(0),
    { method: "eth_blockNumber", params: [] },
    blockCall(deep?.number ?? 0),
    ...(genesis || !contract ? [] : [{ method: "eth_getCode", params: [contract, "latest"] }]),
  ];
  const [idAnswer, genesisAnswer, headAnswer, deepAnswer, codeAnswer] = await rpc.batch(calls, { timeoutMs });
  const id = Number(idAnswer);
  if (id !== chainId) {
    const reason = `The RPC ${rpc.name} is of chain ${id}, not ${chainId}; check RPC_URLS and CHAIN_ID`;
    return { trust: "contradicting", kind: "chain-id", reason };
  }
  const found = hashIn(genesisAnswer);
  if (!found) return { trust: "lacking", reason: `The RPC ${rpc.name} does not know block 0` };
  if (!genesis && codeAnswer === "0x") {
    return { trust: "lacking", reason: `The RPC ${rpc.name} has no contract at ${contract}` };
  }
  const expected = genesis ?? (await memory.keepGenesis(found));
  const deepFound = hashIn(deepAnswer);
  // A deep block commits to all blocks below it. anvil may report another block 0 after a restart.
  const hasDeepBlock = deep !== undefined && deepFound === deep.hash;
  if (found !== expected && !hasDeepBlock) {
    const reason = `The RPC ${rpc.name} is of another chain with the id ${id}: its block 0 is ${found}, not ${expected}; check RPC_URLS, or, if the chain was recreated, run npm run indexer -- --reset`;
    return { trust: "contradicting", kind: "genesis", reason };
  }
  if (!deepFound) return { trust: "lacking", reason: `The RPC ${rpc.name} does not know block ${deep?.number} yet` };
  if (deep && !hasDeepBlock) {
    const otherBlock = { number: deep.number, hash: deepFound };
    return { trust: "contradicting", kind: "block", reason: otherBlockText(rpc.name, otherBlock, deep), otherBlock };
  }
  return { trust: "proven", head: Number(headAnswer) };
}

/**
 * Sends calls together with a request for a known block. A URL may be a load balancer in front of many nodes, so an
 * earlier proof does not identify the node that responds now. A node that takes no batches is asked for it before.
 * @throws ContradictionError if the responding node is on another chain
 */
export function settleWitnessed(
  rpc: JsonRpc,
  witness: BlockId | undefined,
  calls: readonly RpcCall[],
  options: Pick<SettleOptions, "timeoutMs" | "isAlone"> = {},
): Promise<RpcOutcome[]> {
  const first = witness && { call: blockCall(witness.number), check: checkOf(rpc.name, witness) };
  return rpc.settle(calls, { ...options, first });
}

/**
 * Whether a node that proved its chain still answers, and still has the known block: with one call.
 * @throws ContradictionError if it is on another chain, RpcError if it does not respond
 */
export async function hearNode(rpc: JsonRpc, witness: BlockId, timeoutMs: number): Promise<void> {
  const [outcome] = await rpc.settle([blockCall(witness.number)], { timeoutMs });
  if (outcome) checkOf(rpc.name, witness)(outcome);
}

/** Throws unless the outcome is the known block. */
function checkOf(name: string, witness: BlockId): (outcome: RpcOutcome) => void {
  return (outcome) => {
    const hash = hashIn(resultOrThrow(outcome));
    if (!hash) throw new RpcError("inconsistent", `${name} does not know block ${witness.number}`);
    if (hash !== witness.hash) {
      throw new ContradictionError("block", otherBlockText(name, { number: witness.number, hash }, witness));
    }
  };
}

function otherBlockText(name: string, found: BlockId, known: BlockId): string {
  return `The RPC ${name} is of another chain: its block ${found.number} is ${found.hash}, not ${known.hash}`;
}

/** The hash of a block that a node returned; undefined if it does not have the block. */
export function hashIn(block: unknown): string | undefined {
  return isRecord(block) && typeof block.hash === "string" ? block.hash : undefined;
}

function blockCall(number: number): RpcCall {
  return { method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, false] };
}

// What is known of our chain ---------------------------------------------------------------------------------------------

export type BlockId = { number: number; hash: string };

/** Known facts of our chain that every node must agree with. */
export type KnownChain = {
  genesis: string | undefined;
  /** An indexed block that is too deep for a reorg. */
  deep: BlockId | undefined;
};

export type ChainMemory = {
  recall(): Promise<KnownChain>;
  /** Stores the hash of block 0 unless one is stored already; returns the stored one. */
  keepGenesis(hash: string): Promise<string>;
};

/** For commands without a database: every response must be from the same chain as the first. */
export class RunMemory implements ChainMemory {
  #genesis: string | undefined;

  async recall(): Promise<KnownChain> {
    return { genesis: this.#genesis, deep: undefined };
  }

  async keepGenesis(hash: string): Promise<string> {
    this.#genesis ??= hash;
    return this.#genesis;
  }
}

/** Deeper than any realistic reorg; the index rolls back further only if every node agrees. */
const DEEP_BLOCKS = 64n;
/** As deep as a final block of a public network. */
const SETTLED_BLOCKS = 15n;

/**
 * The chain facts in the database: the genesis block of the first verified node, and a deep indexed block. A read-only
 * process stores nothing. Until the database is open, nothing is known.
 */
export class DatabaseChainMemory implements ChainMemory {
  readonly #chainId: number;
  readonly #mayWrite: boolean;
  #database: Database | undefined;
  /** The facts as last read, so that a short database outage does not invalidate a node. */
  #last: KnownChain | undefined;

  constructor(chainId: number, { database, mayWrite = true }: { database?: Database; mayWrite?: boolean } = {}) {
    this.#chainId = chainId;
    this.#database = database;
    this.#mayWrite = mayWrite;
  }

  open(database: Database): void {
    this.#database = database;
  }

  async recall(): Promise<KnownChain> {
    if (!this.#database) return { genesis: undefined, deep: undefined };
    try {
      this.#last = { genesis: await this.#readGenesis(), deep: await this.#readDeep() };
    } catch (error) {
      if (!this.#last) throw error;
    }
    return this.#last;
  }

  async keepGenesis(hash: string): Promise<string> {
    if (!this.#database || !this.#mayWrite) return hash;
    const value = `${this.#chainId} ${hash}`;
    const kept = await writeSettingOnce(this.#database.kysely, "chain_genesis", value);
    const keptHash = this.#hashIn(kept);
    // Missing, or of the previously configured chain.
    if (keptHash === undefined) await writeSetting(this.#database.kysely, "chain_genesis", value);
    return keptHash ?? hash;
  }

  /** An operator confirms that the chain was recreated: the next node with our contracts is accepted. */
  async forget(): Promise<void> {
    await writeSetting(this.#kysely, "chain_genesis", "");
    this.#last = undefined;
  }

  /** Stored as a setting; an older database has the block in its index. */
  async #readGenesis(): Promise<string | undefined> {
    const kysely = this.#kysely;
    const kept = await readSetting(kysely, "chain_genesis");
    if (kept !== undefined) return this.#hashIn(kept);
    const row = await kysely
      .selectFrom("chain_blocks")
      .innerJoin("chain_source", (join) => join.on("chain_source.chain_id", "=", BigInt(this.#chainId)))
      .select("hash")
      .where("number", "=", 0n)
      .executeTakeFirst();
    return row?.hash;
  }

  async #readDeep(): Promise<BlockId | undefined> {
    const cursor = await this.#kysely
      .selectFrom("chain_cursor")
      .innerJoin("chain_source", "chain_source.id", "chain_cursor.id")
      .select("block_number")
      .where("chain_source.chain_id", "=", BigInt(this.#chainId))
      .executeTakeFirst();
    if (!cursor) return undefined;
    const kept = this.#kysely.selectFrom("chain_blocks").select(["number", "hash"]).where("number", ">", 0n).limit(1);
    const deep = kept.where("number", "<=", cursor.block_number - DEEP_BLOCKS).orderBy("number", "desc");
    // A young index has no block that deep: use its first block, once that is final.
    const first = kept.where("number", "<=", cursor.block_number - SETTLED_BLOCKS).orderBy("number");
    const row = (await deep.executeTakeFirst()) ?? (await first.executeTakeFirst());
    return row && { number: Number(row.number), hash: row.hash };
  }

  /** Undefined if the setting has another chain id, after an intended configuration change. */
  #hashIn(setting: string): string | undefined {
    const [id, hash] = setting.split(" ");
    return id === String(this.#chainId) ? hash : undefined;
  }

  get #kysely() {
    if (!this.#database) throw new Error("The database is not open yet");
    return this.#database.kysely;
  }
}

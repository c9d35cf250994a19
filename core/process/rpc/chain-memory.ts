import type { Database } from "../../database/connect.ts";
import { readSetting, writeSetting, writeSettingOnce } from "../../database/settings.ts";

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

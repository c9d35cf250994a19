import type { Database } from "../../database/connect.ts";
import { readSetting, writeSetting, writeSettingOnce } from "../../database/settings.ts";

export type BlockId = { number: number; hash: string };

/** What is known of our chain, and every node must agree with. */
export type KnownChain = {
  genesis: string | undefined;
  /** A block of the index that is too deep to be taken back. */
  deep: BlockId | undefined;
};

export type ChainMemory = {
  recall(): Promise<KnownChain>;
  /** Keeps the hash of block 0, unless one is kept already; answers the one that is kept. */
  keepGenesis(hash: string): Promise<string>;
};

/** Deeper than any reorg that a chain of this kind makes; the index goes back further only where every node says so. */
const DEEP_BLOCKS = 64n;
const SETTLED_BLOCKS = 15n;

/**
 * What the database knows of the chain: the genesis block that the first proven node had, and a deep block of the index.
 * A process that only reads keeps nothing. Until the database is open, nothing is known.
 */
export class DatabaseChainMemory implements ChainMemory {
  readonly #chainId: number;
  readonly #mayWrite: boolean;
  #database: Database | undefined;
  /** What was read last; a database that is away for a moment does not make a node a stranger. */
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
    // Forgotten, or of the chain that the configuration was of before.
    if (keptHash === undefined) await writeSetting(this.#database.kysely, "chain_genesis", value);
    return keptHash ?? hash;
  }

  /** An operator says that the chain was made anew: the next node with our contracts is the one. */
  async forget(): Promise<void> {
    await writeSetting(this.#kysely, "chain_genesis", "");
    this.#last = undefined;
  }

  /** Kept as a setting; an older database has the block in its index. */
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
    // A young index has none so deep: its first block, once that is settled.
    const first = kept.where("number", "<=", cursor.block_number - SETTLED_BLOCKS).orderBy("number");
    const row = (await deep.executeTakeFirst()) ?? (await first.executeTakeFirst());
    return row && { number: Number(row.number), hash: row.hash };
  }

  /** Undefined where the setting is of another chain id, which the configuration has left on purpose. */
  #hashIn(setting: string): string | undefined {
    const [id, hash] = setting.split(" ");
    return id === String(this.#chainId) ? hash : undefined;
  }

  get #kysely() {
    if (!this.#database) throw new Error("The database is not open yet");
    return this.#database.kysely;
  }
}

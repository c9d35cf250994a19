import { expect } from "chai";
import fc from "fast-check";
import type { Database } from "../../core/database/connect.ts";
import { acquireLease, type Lease } from "../../core/process/lease.ts";
import type { ChainEvent, EventContent } from "../../indexer/events.ts";
import { emptyIndex, readCursor, readStoredBlocks, rollBack } from "../../indexer/store/chain-index.ts";
import { type ChunkWriter, CursorMovedError, type StoredBlock } from "../../indexer/store/index-store.ts";
import { openPostgresWriter } from "../../indexer/store/postgres-writer.ts";
import { openSqliteWriter } from "../../indexer/store/sqlite-writer.ts";
import { foldDifferences } from "../../indexer/verify.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { buyerOf } from "../testing/event-chain.ts";
import { PROPERTY_TIMEOUT_MS, seeded } from "./support/seeded.ts";

const RUNS = { SQLite: 120, PostgreSQL: 60 } as const;
const LEASE_MS = 3_600_000;
const TOKENS = 5;

type Block = StoredBlock & { events: ChainEvent[] };

/** Steps of the chain and of the index that follows it. */
type Act =
  /** The chain grows by blocks with these events, one list per block. */
  | { kind: "grow"; blocks: EventContent[][] }
  /** This many blocks are replaced by others. */
  | { kind: "fork"; depth: number; blocks: EventContent[][] }
  /** The next blocks in one commit. */
  | { kind: "commit"; blocks: number }
  /** An earlier commit arrives again. */
  | { kind: "again" }
  /** A rollback to the common ancestor, or deeper than necessary. */
  | { kind: "roll back"; further: number };

const tokenId = fc.integer({ min: 1, max: TOKENS }).map(BigInt);
const content: fc.Arbitrary<EventContent> = fc.oneof(
  fc.record({
    kind: fc.constant("PurchaseMinted" as const),
    tokenId,
    buyer: fc.nat(3).map((number) => buyerOf(number)),
    storeId: fc.integer({ min: 1, max: 9 }),
    valueCents: fc.integer({ min: 1, max: 2 ** 40 - 1 }),
    cashbackBps: fc.nat(10_000),
    bonusBps: fc.nat(10_000),
    saleRef: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  }),
  fc.record({ kind: fc.constant("StatusUpdated" as const), tokenId, to: fc.nat(4) }),
  fc.record({
    kind: fc.constantFrom("CashbackPaid" as const, "CashbackDeferred" as const),
    tokenId,
    recipient: fc.nat(3).map((number) => buyerOf(number)),
    // A day's payouts are at most the total supply of CHZ, which fits into 64 bits of gwei.
    amountWei: fc.bigInt({ min: 0n, max: 2n ** 86n }),
    weiPerCent: fc.constantFrom(null, 10n ** 16n),
  }),
);
const blocks = fc.array(fc.array(content, { maxLength: 4 }), { minLength: 1, maxLength: 6 });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("grow" as const), blocks }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("fork" as const), depth: fc.integer({ min: 1, max: 12 }), blocks }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("commit" as const), blocks: fc.integer({ min: 1, max: 7 }) }) },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: "again" }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("roll back" as const), further: fc.nat(5) }) },
);

/** A chain that forks, and an index that follows it. */
class Follower {
  readonly #database: Database;
  readonly #writer: ChunkWriter;
  readonly #lease: Lease;
  #chain: Block[] = [];
  #made = 0;
  #last: Parameters<ChunkWriter["commit"]>[0] | undefined;

  constructor(database: Database, writer: ChunkWriter, lease: Lease) {
    this.#database = database;
    this.#writer = writer;
    this.#lease = lease;
  }

  async do(one: Act): Promise<void> {
    switch (one.kind) {
      case "grow":
        return this.#grow(one.blocks);
      case "fork":
        this.#chain = this.#chain.slice(0, Math.max(1, this.#chain.length - one.depth));
        return this.#grow(one.blocks);
      case "commit":
        return this.commit(one.blocks);
      case "again":
        return this.#again();
      case "roll back":
        await this.#returnToChain(one.further);
    }
  }

  #grow(contents: readonly EventContent[][]): void {
    for (const events of contents) {
      const number = this.#chain.length;
      this.#made += 1;
      const transactionHash = `0x${this.#made.toString(16).padStart(64, "0")}`;
      this.#chain.push({
        number,
        hash: `0x${(this.#made + 2 ** 40).toString(16).padStart(64, "0")}`,
        timestamp: 1_700_000_000 + number * 3 + (this.#made % 3),
        events: events.map((event, logIndex) => ({ blockNumber: number, logIndex, transactionHash, ...event })),
      });
    }
  }

  /** The next blocks after the last one that index and chain share. */
  async commit(count: number): Promise<void> {
    const previous = await this.#returnToChain(0);
    const range = this.#chain.slice(previous ? previous.number + 1 : 0).slice(0, count);
    const last = range.at(-1);
    if (!last) return;
    this.#last = {
      previous,
      cursor: { number: last.number, hash: last.hash },
      events: range.flatMap((block) => block.events),
      contractEvents: [],
      blocks: range.map(({ number, hash, timestamp }) => ({ number, hash, timestamp })),
    };
    await this.#writer.commit(this.#last);
  }

  /** The same response arrives twice: it is rejected, and nothing changes. */
  async #again(): Promise<void> {
    if (!this.#last) return;
    const cursor = await readCursor(this.#database);
    if (cursor?.hash === this.#last.previous?.hash) return;
    const before = await readTables(this.#database);
    const outcome = await this.#writer.commit(this.#last).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(CursorMovedError);
    expect(await readTables(this.#database)).to.deep.equal(before);
  }

  async #returnToChain(further: number) {
    const cursor = await readCursor(this.#database);
    if (!cursor) return undefined;
    if (further === 0 && this.#chain[cursor.number]?.hash === cursor.hash) return cursor;
    const stored = await readStoredBlocks(this.#database, { highest: cursor.number, count: 10_000 });
    const common = stored.filter((one) => this.#chain[one.number]?.hash === one.hash);
    const ancestor = common[Math.min(further, common.length - 1)];
    await rollBack(this.#database, this.#lease, cursor, ancestor);
    return ancestor;
  }

  /** The actual rows, and those of one fold over the whole chain. */
  async compare(): Promise<void> {
    while ((await readCursor(this.#database))?.hash !== this.#chain.at(-1)?.hash) await this.commit(5);
    const followed = await readTables(this.#database);
    for await (const difference of foldDifferences(this.#database, new AbortController().signal)) {
      throw new Error(`Not what its own events say: ${difference}`);
    }
    await emptyIndex(this.#database, this.#lease);
    await this.commit(this.#chain.length);
    expect(followed).to.deep.equal(await readTables(this.#database));
  }
}

async function readTables({ kysely }: Database) {
  return {
    cursor: await kysely.selectFrom("chain_cursor").selectAll().execute(),
    blocks: await kysely.selectFrom("chain_blocks").selectAll().orderBy("number").execute(),
    events: await kysely.selectFrom("chain_events").selectAll().orderBy("block_number").orderBy("log_index").execute(),
    nfts: await kysely.selectFrom("nfts").selectAll().orderBy("token_id").execute(),
    payouts: await kysely.selectFrom("payouts").selectAll().orderBy("token_id").execute(),
  };
}

describe("The index, in any order of blocks, reorgs and retries", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  onEitherEngine(({ name, open }) => {
    it("equals one fold over the whole chain, row by row (F33)", async () => {
      const { database, url } = await open();
      const lease = await acquireLease(database, "indexer", "model", LEASE_MS);
      if (!lease) throw new Error("The lease of a new database is taken");
      const writer =
        name === "SQLite" ? openSqliteWriter(database, lease) : await openPostgresWriter(database, url, lease);
      try {
        await fc.assert(
          fc.asyncProperty(blocks, fc.array(act, { maxLength: 30, size: "max" }), async (first, acts) => {
            await emptyIndex(database, lease);
            const follower = new Follower(database, writer, lease);
            await follower.do({ kind: "grow", blocks: first });
            for (const one of acts) await follower.do(one);
            await follower.compare();
          }),
          seeded(RUNS[name]),
        );
      } finally {
        await writer.close();
      }
    });
  });
});

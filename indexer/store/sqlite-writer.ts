import type Sqlite from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";
import { BUSY_TIMEOUT_MS, type Database, openSqlite } from "../../core/database/connect.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import { keepStatements } from "../../core/database/sqlite/statements.ts";
import { whenFree } from "../../core/database/sqlite/when-free.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { fence, type Lease, leaseLost } from "../../core/process/lease.ts";
import type { Changes, Payout } from "../fold.ts";
import { applyEvents, storedForm } from "./chain-index.ts";
import { type Chunk, type ChunkWriter, CursorMovedError, KEPT_BLOCKS, SPARSE_EVERY } from "./index-store.ts";

/** Halves the time of an insert; a larger number gains nothing. */
const ROWS_PER_STATEMENT = 32;

export function openSqliteWriter(database: Database, lease: Lease): ChunkWriter {
  return new SqliteWriter(database, lease);
}

/** Prepared statements on a dedicated connection; one transaction per chunk. */
class SqliteWriter implements ChunkWriter {
  readonly #sqlite: Sqlite.Database;
  readonly #queries: Queries;
  readonly #statements: Statements;
  readonly #assertLease: () => void;

  constructor(database: Database, lease: Lease) {
    this.#sqlite = openSqlite(database.location);
    this.#sqlite.pragma("cache_size = -8000");
    this.#sqlite.pragma("busy_timeout = 0");
    // Within the connection's current transaction.
    this.#queries = new Kysely<Schema>({ dialect: new SqliteDialect({ database: keepStatements(this.#sqlite) }) });
    this.#statements = prepare(this.#sqlite);
    const fenced = fence(database.kysely, lease).compile(database.kysely);
    const holdLease = this.#sqlite.prepare(fenced.sql);
    this.#assertLease = () => {
      if (holdLease.get(...fenced.parameters) === undefined) throw leaseLost(lease);
    };
  }

  async commit(chunk: Chunk): Promise<void> {
    await whenFree(() => this.#sqlite.exec("begin immediate"), performance.now() + BUSY_TIMEOUT_MS);
    try {
      await this.#write(chunk);
      this.#sqlite.exec("commit");
    } catch (error) {
      if (this.#sqlite.inTransaction) this.#sqlite.exec("rollback");
      for (const rows of this.#statements.all) rows.forget();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#sqlite.close();
  }

  async #write(chunk: Chunk): Promise<void> {
    const statements = this.#statements;
    this.#assertLease();
    moveCursor(statements, chunk);
    const timestamps = new Map<number, number>();
    for (const { number, hash, timestamp } of chunk.blocks) {
      timestamps.set(number, timestamp);
      statements.blocks.add(number, hash, timestamp);
    }
    statements.blocks.flush();
    for (const event of chunk.events) {
      const { blockNumber, logIndex, transactionHash, kind, tokenId } = event;
      const { storedArguments, weiPerCent } = storedForm(event);
      statements.events.add(blockNumber, logIndex, transactionHash, kind, tokenId, storedArguments, weiPerCent);
    }
    statements.events.flush();
    for (const said of chunk.contractEvents) {
      const { blockNumber, logIndex, transactionHash, contract, event, tokenId } = said;
      const place = [blockNumber, logIndex, transactionHash, contract, event, tokenId];
      statements.contractEvents.add(
        ...place,
        JSON.stringify(said.arguments),
        (timestamps.get(blockNumber) ?? 0) * 1_000,
      );
    }
    statements.contractEvents.flush();
    await applyEvents(this.#queries, chunk.events, timestamps, (changes) => writeChanges(statements, changes));
    const keptFrom = chunk.cursor.number - KEPT_BLOCKS;
    if (chunk.previous) statements.prune.run(chunk.previous.number - KEPT_BLOCKS, keptFrom);
  }
}

/** Returns the payouts that the changed ids have now. */
function writeChanges(statements: Statements, { nfts, statuses, ends, payouts }: Changes): Iterable<Payout> {
  for (const nft of nfts.values()) {
    statements.nfts.add(
      nft.tokenId,
      nft.owner,
      nft.storeId,
      nft.valueCents,
      nft.cashbackBps,
      nft.bonusBps,
      nft.saleRef,
      nft.status,
      nft.mintTransaction,
      nft.mintedBlock,
      nft.mintedAtMs,
      nft.statusTransaction,
      nft.statusBlock,
      nft.statusAtMs,
      nft.contract,
      nft.burntTransaction,
      nft.burntAtMs,
    );
  }
  statements.nfts.flush();
  for (const [tokenId, one] of statuses) {
    statements.status.run(one.status, one.statusTransaction, one.statusBlock, one.statusAtMs, tokenId);
  }
  for (const [tokenId, end] of ends) statements.end.run(end.burntTransaction, end.burntAtMs, tokenId);
  for (const one of payouts.values()) {
    const { tokenId, recipient, amountGwei, weiPerCent, state, transactionHash, blockNumber, logIndex, paidAtMs } = one;
    const position = [transactionHash, blockNumber, logIndex, paidAtMs];
    statements.payouts.add(tokenId, recipient, amountGwei, weiPerCent, state, ...position);
  }
  statements.payouts.flush();
  return payouts.values();
}

function moveCursor(statements: Statements, { previous, cursor }: Chunk): void {
  const { changes } = previous
    ? statements.moveCursor.run(cursor.number, cursor.hash, previous.number, previous.hash)
    : statements.setCursor.run(cursor.number, cursor.hash);
  if (changes !== 1) throw new CursorMovedError(`The cursor is no longer at block ${previous?.number ?? "none"}`);
}

const EVENT_COLUMNS = [
  "block_number",
  "log_index",
  "transaction_hash",
  "kind",
  "token_id",
  "arguments",
  "wei_per_cent",
];
const CONTRACT_EVENT_COLUMNS = [
  ...["block_number", "log_index", "transaction_hash", "contract", "event", "token_id", "arguments", "at"],
];
const NFT_COLUMNS = [
  ...["token_id", "owner", "store_id", "value_cents", "cashback_bps", "bonus_bps", "sale_ref", "status"],
  ...["mint_transaction", "minted_block", "minted_at", "status_transaction", "status_block", "status_at"],
  "contract",
  ...["burnt_transaction", "burnt_at"],
];
const PAYOUT_COLUMNS = [
  ...["token_id", "recipient", "amount_gwei", "wei_per_cent", "state"],
  ...["transaction_hash", "block_number", "log_index", "paid_at"],
];

type Statements = ReturnType<typeof prepare>;

function prepare(sqlite: Sqlite.Database) {
  const blocks = new RowInserter(sqlite, "insert or replace", "chain_blocks", ["number", "hash", "timestamp"]);
  const events = new RowInserter(sqlite, "insert", "chain_events", EVENT_COLUMNS);
  const contractEvents = new RowInserter(sqlite, "insert", "contract_events", CONTRACT_EVENT_COLUMNS);
  const nfts = new RowInserter(sqlite, "insert or replace", "nfts", NFT_COLUMNS);
  const payouts = new RowInserter(sqlite, "insert or replace", "payouts", PAYOUT_COLUMNS);
  return {
    blocks,
    events,
    contractEvents,
    nfts,
    payouts,
    all: [blocks, events, contractEvents, nfts, payouts],
    setCursor: sqlite.prepare(
      "insert into chain_cursor (id, block_number, block_hash) values (1, ?, ?) on conflict do nothing",
    ),
    moveCursor: sqlite.prepare(
      "update chain_cursor set block_number = ?, block_hash = ? where id = 1 and block_number = ? and block_hash = ?",
    ),
    status: sqlite.prepare(
      "update nfts set status = ?, status_transaction = ?, status_block = ?, status_at = ? where token_id = ?",
    ),
    end: sqlite.prepare("update nfts set burnt_transaction = ?, burnt_at = ? where token_id = ?"),
    prune: sqlite.prepare(
      `delete from chain_blocks where number >= ? and number < ? and number % ${SPARSE_EVERY} <> 0
         and not exists (select 1 from chain_events where chain_events.block_number = chain_blocks.number)`,
    ),
  };
}

/** Collects rows and inserts many with one statement. */
class RowInserter {
  readonly #one: Sqlite.Statement<unknown[]>;
  readonly #many: Sqlite.Statement<unknown[]>;
  readonly #columns: number;
  #values: unknown[] = [];

  constructor(sqlite: Sqlite.Database, insert: string, table: string, columns: readonly string[]) {
    const row = `(${columns.map(() => "?").join(", ")})`;
    const into = `${insert} into ${table} (${columns.join(", ")}) values `;
    this.#one = sqlite.prepare(into + row);
    this.#many = sqlite.prepare(into + Array(ROWS_PER_STATEMENT).fill(row).join(", "));
    this.#columns = columns.length;
  }

  add(...values: unknown[]): void {
    this.#values.push(...values);
    if (this.#values.length < ROWS_PER_STATEMENT * this.#columns) return;
    this.#many.run(this.#values);
    this.#values = [];
  }

  /** Inserts the remaining rows. Rows are written only here or when a statement is full. */
  flush(): void {
    for (let at = 0; at < this.#values.length; at += this.#columns) {
      this.#one.run(this.#values.slice(at, at + this.#columns));
    }
    this.#values = [];
  }

  forget(): void {
    this.#values = [];
  }
}

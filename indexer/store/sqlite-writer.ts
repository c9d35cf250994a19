import type Sqlite from "better-sqlite3";
import { type Database, openSqlite } from "../../database/connect.ts";
import { fence, type Lease, leaseLost } from "../../database/leases.ts";
import { argumentsOf } from "../events.ts";
import { fold } from "../fold.ts";
import { type Chunk, type ChunkWriter, CursorMovedError, KEPT_BLOCKS, SPARSE_EVERY } from "./index-store.ts";

/** Prepared statements on a connection of its own; one synchronous transaction a chunk. */
export function openSqliteWriter(database: Database, lease: Lease): ChunkWriter {
  const sqlite = openSqlite(database.location);
  // The pages of a large chunk stay in memory until they are written once, in order.
  sqlite.pragma("cache_size = -8000");
  const fenced = fence(lease).compile(database.kysely);
  const holdLease = sqlite.prepare(fenced.sql);
  const statements = prepare(sqlite);

  const commit = sqlite.transaction((chunk: Chunk) => {
    if (holdLease.get(...(fenced.parameters as unknown[])) === undefined) throw leaseLost(lease);
    moveCursor(statements, chunk);
    const timestamps = new Map<number, number>();
    for (const { number, hash, timestamp } of chunk.blocks) {
      timestamps.set(number, timestamp);
      statements.block.run(number, hash, timestamp);
    }
    for (const event of chunk.events) {
      const { blockNumber, logIndex, transactionHash, kind, tokenId } = event;
      statements.event.run(blockNumber, logIndex, transactionHash, kind, tokenId, argumentsOf(event));
    }
    const { nfts, statuses, payouts } = fold(chunk.events, timestamps);
    for (const nft of nfts.values()) {
      statements.nft.run(
        ...[nft.tokenId, nft.owner, nft.storeId, nft.valueCents, nft.cashbackBps, nft.bonusBps, nft.status],
        ...[nft.mintTransaction, nft.mintedBlock, nft.mintedAtMs],
        ...[nft.statusTransaction, nft.statusBlock, nft.statusAtMs],
      );
    }
    for (const [tokenId, one] of statuses) {
      statements.status.run(one.status, one.statusTransaction, one.statusBlock, one.statusAtMs, tokenId);
    }
    for (const one of payouts.values()) {
      statements.payout.run(
        ...[one.tokenId, one.recipient, one.amountGwei, one.state, one.transactionHash],
        ...[one.blockNumber, one.logIndex, one.paidAtMs],
      );
    }
    const keptFrom = chunk.cursor.number - KEPT_BLOCKS;
    if (chunk.previous) statements.prune.run(chunk.previous.number - KEPT_BLOCKS, keptFrom);
  });

  return {
    commit: async (chunk) => commit.immediate(chunk),
    close: async () => {
      sqlite.close();
    },
  };
}

function moveCursor(statements: ReturnType<typeof prepare>, { previous, cursor }: Chunk): void {
  const { changes } = previous
    ? statements.moveCursor.run(cursor.number, cursor.hash, previous.number, previous.hash)
    : statements.setCursor.run(cursor.number, cursor.hash);
  if (changes !== 1) throw new CursorMovedError(`The cursor is not at block ${previous?.number ?? "none"} any more`);
}

function prepare(sqlite: Sqlite.Database) {
  return {
    setCursor: sqlite.prepare(
      "insert into chain_cursor (id, block_number, block_hash) values (1, ?, ?) on conflict do nothing",
    ),
    moveCursor: sqlite.prepare(
      "update chain_cursor set block_number = ?, block_hash = ? where id = 1 and block_number = ? and block_hash = ?",
    ),
    block: sqlite.prepare("insert or replace into chain_blocks (number, hash, timestamp) values (?, ?, ?)"),
    event: sqlite.prepare(
      `insert into chain_events (block_number, log_index, transaction_hash, kind, token_id, arguments)
       values (?, ?, ?, ?, ?, ?)`,
    ),
    nft: sqlite.prepare(
      `insert or replace into nfts (token_id, owner, store_id, value_cents, cashback_bps, bonus_bps, status,
         mint_transaction, minted_block, minted_at, status_transaction, status_block, status_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    status: sqlite.prepare(
      "update nfts set status = ?, status_transaction = ?, status_block = ?, status_at = ? where token_id = ?",
    ),
    payout: sqlite.prepare(
      `insert or replace into payouts (token_id, recipient, amount_gwei, state, transaction_hash, block_number,
         log_index, paid_at)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    prune: sqlite.prepare(
      `delete from chain_blocks where number >= ? and number < ? and number % ${SPARSE_EVERY} <> 0
         and not exists (select 1 from chain_events where chain_events.block_number = chain_blocks.number)`,
    ),
  };
}

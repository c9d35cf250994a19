import { Kysely, PostgresDialect, type PostgresPoolClient } from "kysely";
import type { Database } from "../../core/database/connect.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import { openClient } from "../../core/database/postgres.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { endWhenIdle, fence, type Lease, leaseLost } from "../../core/process/lease.ts";
import type { Changes, Payout } from "../fold.ts";
import { applyEvents, storedForm } from "./chain-index.ts";
import { type Chunk, type ChunkWriter, CursorMovedError, KEPT_BLOCKS, SPARSE_EVERY } from "./index-store.ts";

export async function openPostgresWriter(database: Database, databaseUrl: string, lease: Lease): Promise<ChunkWriter> {
  return new PostgresWriter(await openClient(databaseUrl), database, lease);
}

type Client = Awaited<ReturnType<typeof openClient>>;

/**
 * A dedicated connection; one statement per table and chunk, with the rows as arrays. No statement has a name: behind a
 * pooler in transaction mode the next transaction runs on another server connection, which does not know it.
 */
class PostgresWriter implements ChunkWriter {
  readonly #client: Client;
  readonly #queries: Queries;
  readonly #assertLease: () => Promise<void>;

  constructor(client: Client, database: Database, lease: Lease) {
    this.#client = client;
    this.#queries = queriesOn(client);
    const endSessionWhenIdle = endWhenIdle(lease).compile(database.kysely);
    const fenced = fence(database.kysely, lease).compile(database.kysely);
    this.#assertLease = async () => {
      await client.query(endSessionWhenIdle.sql, [...endSessionWhenIdle.parameters]);
      const held = await client.query(fenced.sql, [...fenced.parameters]);
      if (held.rowCount !== 1) throw leaseLost(lease);
    };
  }

  async commit(chunk: Chunk): Promise<void> {
    await this.#client.query("begin");
    try {
      await this.#write(chunk);
      await this.#client.query("commit");
    } catch (error) {
      await this.#client.query("rollback").catch(() => {});
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #write(chunk: Chunk): Promise<void> {
    const { previous, cursor, events, contractEvents, blocks } = chunk;
    const timestamps = new Map(blocks.map((block) => [block.number, block.timestamp]));
    await this.#assertLease();
    await this.#moveCursor(chunk);
    await this.#insert(BLOCKS, [
      blocks.map((block) => block.number),
      blocks.map((block) => block.hash),
      blocks.map((block) => block.timestamp),
    ]);
    const forms = events.map(storedForm);
    await this.#insert(EVENTS, [
      events.map((event) => event.blockNumber),
      events.map((event) => event.logIndex),
      events.map((event) => event.transactionHash),
      events.map((event) => event.kind),
      events.map((event) => event.tokenId),
      forms.map((form) => form.storedArguments),
      forms.map((form) => form.weiPerCent),
    ]);
    await this.#insert(CONTRACT_EVENTS, [
      contractEvents.map((said) => said.blockNumber),
      contractEvents.map((said) => said.logIndex),
      contractEvents.map((said) => said.transactionHash),
      contractEvents.map((said) => said.contract),
      contractEvents.map((said) => said.event),
      contractEvents.map((said) => said.tokenId),
      contractEvents.map((said) => JSON.stringify(said.arguments)),
      contractEvents.map((said) => (timestamps.get(said.blockNumber) ?? 0) * 1_000),
    ]);
    await applyEvents(this.#queries, events, timestamps, (changes) => this.#writeChanges(changes));
    if (previous) {
      await this.#client.query(PRUNE, [previous.number - KEPT_BLOCKS, cursor.number - KEPT_BLOCKS]);
    }
  }

  async #moveCursor({ previous, cursor }: Chunk): Promise<void> {
    const moved = previous
      ? await this.#client.query(MOVE_CURSOR, [cursor.number, cursor.hash, previous.number, previous.hash])
      : await this.#client.query(SET_CURSOR, [cursor.number, cursor.hash]);
    if (moved.rowCount !== 1) throw new CursorMovedError(`The cursor is no longer at ${previous?.number ?? "none"}`);
  }

  /** Returns the payouts that the changed ids have now. */
  async #writeChanges(changes: Changes): Promise<Payout[]> {
    const nfts = [...changes.nfts.values()];
    await this.#insert(NFTS, [
      nfts.map((nft) => nft.tokenId),
      nfts.map((nft) => nft.owner),
      nfts.map((nft) => nft.storeId),
      nfts.map((nft) => nft.valueCents),
      nfts.map((nft) => nft.cashbackBps),
      nfts.map((nft) => nft.bonusBps),
      nfts.map((nft) => nft.saleRef),
      nfts.map((nft) => nft.status),
      nfts.map((nft) => nft.mintTransaction),
      nfts.map((nft) => nft.mintedBlock),
      nfts.map((nft) => nft.mintedAtMs),
      nfts.map((nft) => nft.statusTransaction),
      nfts.map((nft) => nft.statusBlock),
      nfts.map((nft) => nft.statusAtMs),
      nfts.map((nft) => nft.contract),
      nfts.map((nft) => nft.burntTransaction),
      nfts.map((nft) => nft.burntAtMs),
    ]);
    const statuses = [...changes.statuses];
    await this.#insert(STATUSES, [
      statuses.map(([tokenId]) => tokenId),
      statuses.map(([, changed]) => changed.status),
      statuses.map(([, changed]) => changed.statusTransaction),
      statuses.map(([, changed]) => changed.statusBlock),
      statuses.map(([, changed]) => changed.statusAtMs),
    ]);
    const ends = [...changes.ends];
    await this.#insert(ENDS, [
      ends.map(([tokenId]) => tokenId),
      ends.map(([, end]) => end.burntTransaction),
      ends.map(([, end]) => end.burntAtMs),
    ]);
    const payouts = [...changes.payouts.values()];
    await this.#insert(PAYOUTS, [
      payouts.map((payout) => payout.tokenId),
      payouts.map((payout) => payout.recipient),
      payouts.map((payout) => payout.amountGwei),
      payouts.map((payout) => payout.state),
      payouts.map((payout) => payout.transactionHash),
      payouts.map((payout) => payout.blockNumber),
      payouts.map((payout) => payout.logIndex),
      payouts.map((payout) => payout.paidAtMs),
      payouts.map((payout) => payout.weiPerCent),
    ]);
    return payouts;
  }

  async #insert(statement: string, columns: readonly (readonly unknown[])[]): Promise<void> {
    if (columns[0]?.length) await this.#client.query(statement, columns.map(arrayLiteral));
  }
}

/** An array as PostgreSQL text. Only numbers, hashes, names and JSON reach this function. */
function arrayLiteral(values: readonly unknown[]): string {
  let literal = "{";
  for (const value of values) {
    if (literal.length > 1) literal += ",";
    if (value === null) literal += "NULL";
    else if (typeof value !== "string") literal += String(value);
    else literal += value.startsWith("{") ? `"${value.replaceAll(/["\\]/g, "\\$&")}"` : value;
  }
  return `${literal}}`;
}

const SET_CURSOR = "insert into chain_cursor (id, block_number, block_hash) values (1, $1, $2) on conflict do nothing";
const MOVE_CURSOR =
  "update chain_cursor set block_number = $1, block_hash = $2 where id = 1 and block_number = $3 and block_hash = $4";
const BLOCKS = `insert into chain_blocks (number, hash, timestamp)
    select * from unnest($1::bigint[], $2::text[], $3::bigint[])
    on conflict (number) do update set hash = excluded.hash, timestamp = excluded.timestamp`;
const EVENTS = `insert into chain_events (block_number, log_index, transaction_hash, kind, token_id, arguments,
      wei_per_cent)
    select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[])`;
const CONTRACT_EVENTS = `insert into contract_events (block_number, log_index, transaction_hash, contract, event, token_id,
      arguments, at)
    select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[],
      $8::bigint[])`;
const NFTS = `insert into nfts (token_id, owner, store_id, value_cents, cashback_bps, bonus_bps, sale_ref, status,
      mint_transaction, minted_block, minted_at, status_transaction, status_block, status_at, contract,
      burnt_transaction, burnt_at)
    select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
      $8::bigint[], $9::text[], $10::bigint[], $11::bigint[], $12::text[], $13::bigint[], $14::bigint[],
      $15::text[], $16::text[], $17::bigint[])
    on conflict (token_id) do update set owner = excluded.owner, store_id = excluded.store_id,
      value_cents = excluded.value_cents, cashback_bps = excluded.cashback_bps, bonus_bps = excluded.bonus_bps,
      sale_ref = excluded.sale_ref, status = excluded.status, mint_transaction = excluded.mint_transaction, minted_block = excluded.minted_block,
      minted_at = excluded.minted_at, status_transaction = excluded.status_transaction,
      status_block = excluded.status_block, status_at = excluded.status_at, contract = excluded.contract,
      burnt_transaction = excluded.burnt_transaction, burnt_at = excluded.burnt_at`;
const STATUSES = `update nfts set status = changed.status, status_transaction = changed.status_transaction,
      status_block = changed.status_block, status_at = changed.status_at
    from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
      as changed (token_id, status, status_transaction, status_block, status_at)
    where nfts.token_id = changed.token_id`;
const ENDS = `update nfts set burnt_transaction = changed.burnt_transaction, burnt_at = changed.burnt_at
    from unnest($1::bigint[], $2::text[], $3::bigint[]) as changed (token_id, burnt_transaction, burnt_at)
    where nfts.token_id = changed.token_id`;
const PAYOUTS = `insert into payouts (token_id, recipient, amount_gwei, state, transaction_hash, block_number, log_index, paid_at,
      wei_per_cent)
    select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
      $8::bigint[], $9::bigint[])
    on conflict (token_id) do update set recipient = excluded.recipient, amount_gwei = excluded.amount_gwei,
      state = excluded.state, transaction_hash = excluded.transaction_hash, block_number = excluded.block_number,
      log_index = excluded.log_index, paid_at = excluded.paid_at, wei_per_cent = excluded.wei_per_cent`;
const PRUNE = `delete from chain_blocks where number >= $1 and number < $2 and number % ${SPARSE_EVERY} <> 0
      and not exists (select 1 from chain_events where chain_events.block_number = chain_blocks.number)`;

/** Queries on a dedicated connection, within its current transaction. */
function queriesOn(client: Client): Kysely<Schema> {
  const query = client.query.bind(client);
  const connection: PostgresPoolClient = { query, release: () => {} };
  return new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: { options: {}, connect: async () => connection, end: async () => {} } }),
  });
}

/** The yearly cost of purchases in gas, storage and requests, from figures measured here: `npm run cost-model`. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { connect, type Database } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import type { Queries } from "../database/transaction.ts";

/** The lowest base fee of Chiliz, plus the tip. */
const FEE_GWEI = 2_501;
const GWEI_IN_CHZ = 1e9;
const VOLUMES = [1e3, 1e6, 1e9];
const SECONDS_A_YEAR = 365 * 24 * 3_600;
const BLOCK_SECONDS = 3;
const BLOCK_GAS = 30e6;
/** Purchases of one buyer in a year: the first mint and payout of an address cost more. */
const PURCHASES_A_SHOPPER = 6;
/** One visit in ten ends in a purchase; each requests catalogue, profile and so on. */
const REQUESTS_A_VISIT = 12;
const VISITS_A_PURCHASE = 10;
const SAMPLE = 2_000;
const EVENTS_A_PURCHASE = ["Transfer", "PurchaseMinted", "StatusUpdated", "CashbackPaid"];
const BATCH = 100;
const NOW = 1_795_214_363_114;

const gas: Record<string, number> = JSON.parse(
  readFileSync(join(import.meta.dirname, "../test/contracts/gas-snapshot.json"), "utf8"),
);
const bytes = await measureStorage();
const alone = gasOf("mintNewBuyer", "mintReturningBuyer") + figure("confirmOne") + figure("payStrict");
const batched =
  gasOf("mintBatchNewBuyers", "mintBatchDistinctReturningBuyers") +
  figure("confirmSparse") +
  gasOf("payBatchNew", "payBatchExisting");

console.log(
  `Measured: ${Math.round(alone)} gas a purchase alone, ${Math.round(batched)} in batches; ${Math.round(bytes)} bytes of SQLite a purchase`,
);
console.log(
  "purchases/year  gas/purchase  CHZ/purchase        CHZ/year  GB/year  requests/s  share of blocks  api processes",
);
for (const volume of VOLUMES) {
  // Batches fill if more than one purchase arrives in the three seconds that a batch waits.
  const waiting = (volume / SECONDS_A_YEAR) * BLOCK_SECONDS;
  const share = Math.min(1, Math.max(0, (waiting - 1) / 50));
  const gasEach = alone * (1 - share) + batched * share;
  const chzEach = (gasEach * FEE_GWEI) / GWEI_IN_CHZ;
  const requests = (volume * VISITS_A_PURCHASE * REQUESTS_A_VISIT) / SECONDS_A_YEAR;
  const blocks = (volume * gasEach) / ((SECONDS_A_YEAR / BLOCK_SECONDS) * BLOCK_GAS);
  const row = [
    volume.toExponential(0).padStart(14),
    Math.round(gasEach).toString().padStart(12),
    chzEach.toFixed(3).padStart(12),
    Math.round(chzEach * volume)
      .toLocaleString("en")
      .padStart(15),
    ((bytes * volume) / 1e9).toFixed(3).padStart(9),
    requests.toFixed(3).padStart(11),
    `${(blocks * 100).toFixed(2)} %`.padStart(15),
    // One process serves some thousand reads per second (npm run bench -- api); two, to survive the loss of one.
    String(Math.max(2, Math.ceil(requests / 1_000) + 1)).padStart(13),
  ];
  console.log(row.join("  "));
}

function figure(name: string): number {
  const value = gas[name];
  if (value === undefined) throw new Error(`gas-snapshot.json has no ${name}; run the contract tests, which write it`);
  return value;
}

/** The mean of a buyer's first and later purchases. */
function gasOf(first: string, later: string): number {
  return (figure(first) + figure(later) * (PURCHASES_A_SHOPPER - 1)) / PURCHASES_A_SHOPPER;
}

/** Fills a database with the rows of purchases, and measures the file. */
async function measureStorage(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "torcida-cost-"));
  const file = join(directory, "torcida.db");
  try {
    const database = await connect(file);
    await migrate(database);
    await sql`insert into stores (name, country, featured, created_at, updated_at) values ('Verdão Store', 'BR', 0, 1, 1)`.execute(
      database.kysely,
    );
    await checkpoint(database);
    const before = statSync(file).size;
    await database.kysely.transaction().execute(async (queries) => {
      for (let id = 1; id <= SAMPLE; id++) await insertPurchase(queries, id);
    });
    await checkpoint(database);
    const after = statSync(file).size;
    await database.close();
    return (after - before) / SAMPLE;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function checkpoint({ kysely }: Database): Promise<void> {
  await sql`pragma wal_checkpoint(truncate)`.execute(kysely);
}

async function insertPurchase(queries: Queries, id: number): Promise<void> {
  const wallet = `0x${id.toString(16).padStart(40, "a")}`;
  const hash = (salt: string) => `0x${`${id}${salt}`.padStart(64, "b")}`;
  // A visit, its sale with two reports of the network, and the sale's purchase.
  const report = JSON.stringify({
    saleKey: `key-${id}`,
    currency: "BRL",
    parts: [{ group: "default", amount: "100.00" }],
  });
  const token = String(id).padStart(26, "a");
  await sql`insert into clicks (id, token, wallet, store_id, store_name, terms, created_at, expires_at)
      values (${id}, ${token}, ${wallet}, 1, 'Verdão Store', '{"groups":{},"defaultBps":"500","bonusBps":"0"}', ${NOW}, ${NOW})`.execute(
    queries,
  );
  await sql`insert into sales (id, network, account, sale_key, click_ref, click_id, wallet, store_id, status, payable,
        currency, amount_micros, commission_micros, report, amount_cents, commission_cents, cashback_cent_bps, state,
        occurred_at, changed_at, read_at, revision_id, created_at, updated_at)
      values (${id}, 'awin', 'main', ${`key-${id}`}, ${token}, ${id}, ${wallet}, 1, 'approved', 1, 'BRL', 100000000, 9000000,
        ${report}, 10000, 900, 5000000, 'settled', ${NOW}, ${NOW}, ${NOW}, ${id}, ${NOW}, ${NOW})`.execute(queries);
  for (const nth of [1, 2]) {
    await sql`insert into sale_revisions (sale_id, source, hash, report, changed_at, read_at, is_applied)
        values (${id}, 'poll', ${hash(`r${nth}`)}, ${report}, ${NOW}, ${NOW}, 1)`.execute(queries);
  }
  await sql`insert into purchases (id, wallet, store_id, store_name, amount_cents, cashback_bps, bonus_bps, source,
        wei_per_cent, payable_at, click_id, approved_at, settled_at, created_at, sale_id, cashback_cent_bps, counted_status,
        counted_wei_per_cent, counted_cent_bps, counted_paid_gwei, counted_open)
      values (${id}, ${wallet}, 1, 'Verdão Store', 10000, 500, 0, 'live', 10000000000000000, ${NOW}, ${token}, ${NOW}, ${NOW},
        ${NOW}, ${id}, 5000000, 2, 10000000000000000, 5000000, 5000000000, 0)`.execute(queries);
  for (const kind of ["mint", "confirm", "pay"]) {
    await sql`insert into operations (kind, subject_id, amount_gwei, status, not_before, since, created_at, updated_at)
        values (${kind}, ${id}, 5000000000, 'done', ${NOW}, ${NOW}, ${NOW}, ${NOW})`.execute(queries);
  }
  for (const [index, kind] of EVENTS_A_PURCHASE.entries()) {
    await sql`insert into chain_events (block_number, log_index, transaction_hash, kind, token_id, arguments)
        values (${id}, ${index}, ${hash(kind)}, ${kind}, ${id}, ${JSON.stringify({ tokenId: String(id), buyer: wallet, valueCents: "10000" })})`.execute(
      queries,
    );
  }
  await sql`insert into nfts (token_id, owner, store_id, value_cents, cashback_bps, bonus_bps, status, mint_transaction, minted_block, minted_at)
      values (${id}, ${wallet}, 1, 10000, 500, 0, 2, ${hash("m")}, ${id}, ${NOW})`.execute(queries);
  await sql`insert into payouts (token_id, recipient, amount_gwei, state, transaction_hash, block_number, log_index, paid_at)
      values (${id}, ${wallet}, 5000000000, 'paid', ${hash("p")}, ${id}, 3, ${NOW})`.execute(queries);
  if (id % BATCH !== 0) return;
  // A hundred purchases take three transactions, whose bytes are stored.
  for (const [nonce, size] of [
    [id * 3, 6_400 * 2],
    [id * 3 + 1, 3_200 * 2],
    [id * 3 + 2, 3_300 * 2],
  ] as const) {
    await sql`insert into transactions (sender, nonce, to_address, data, gas_limit, status, fencing_token, created_at, updated_at)
        values (${wallet}, ${nonce}, ${wallet}, ${"f".repeat(size)}, 5000000, 'confirmed', 1, 1, 1)`.execute(queries);
    await sql`insert into transaction_hashes (hash, transaction_id, raw, max_fee_wei, max_priority_fee_wei, created_at)
        values (${hash(String(nonce))}, (select max(id) from transactions), ${"f".repeat(size + 250)}, 1, 1, 1)`.execute(
      queries,
    );
  }
}

import { sql } from "kysely";
import { privateKeyToAccount } from "viem/accounts";
import { appendAudit } from "../../core/database/audit-log.ts";
import type { Database } from "../../core/database/connect.ts";
import { TABLE_NAMES, type TableName } from "../../core/database/generated/schema.ts";
import { CHAIN_IDS } from "../../core/rules/networks.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { World } from "../properties/support/world.ts";

/** Of the buyer who signs in again after the upgrade; nothing of value is ever sent to it. */
export const BUYER_KEY = `0x${"11".repeat(32)}` as const;
export const BUYER = privateKeyToAccount(BUYER_KEY).address.toLowerCase() as WalletAddress;
const STORE = 1n;
const DAY = "2026-01-05";
const NOW = 1_767_600_000_000n;

/**
 * A small shop with every kind of row: sales, tickets and payouts made by the program itself, on a model of the chain,
 * and a row by hand for what only time, a network or a person makes.
 * @throws Error naming the tables that stayed empty
 */
export async function fillShop(): Promise<World> {
  const world = await World.open(1);
  const { database } = world;
  await insertPeople(database);
  await sell(world);
  await simulate(world);
  await insertRest(database);
  const empty: string[] = [];
  for (const table of TABLE_NAMES) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(database.kysely);
    if (rows.length === 0) empty.push(table);
  }
  if (empty.length > 0) throw new Error(`No rows of ${empty.join(", ")}: add one to ${import.meta.filename}`);
  return world;
}

async function insertPeople({ kysely }: Database): Promise<void> {
  const person = { wallet: BUYER, email: "ana@example.com", first_name: "Ana", last_name: "Maria", created_at: 1n };
  await kysely.insertInto("users").values(person).execute();
}

/** Sales that are open, paid, declined, paid and then declined (a debt), without a click, and held. */
async function sell(world: World): Promise<void> {
  const click = await world.visit(BUYER, Number(STORE));
  let count = 0;
  const report = async (sale: string, status: string, payable: boolean, more: object = {}) => {
    const changed_at = Date.UTC(2026, 0, 1) + ++count * 1_000;
    const event = { event_id: `event-${count}`, sale_key: sale, status, payable, amount: "100.00", changed_at };
    const { status: code, body } = await world.hook({ ...event, click_id: click, ...more });
    if (code !== 200) throw new Error(JSON.stringify(body));
  };
  await report("open", "pending", false);
  await report("paid", "approved", true);
  await report("taken-back", "approved", true);
  await report("declined", "pending", false);
  await settle(world);
  await report("declined", "declined", false);
  await report("taken-back", "declined", false);
  await report("unmatched", "approved", false, { click_id: crypto.randomUUID() });
  await report("held", "approved", false, { commission: "0.01" });
  await settle(world);
}

async function simulate(world: World): Promise<void> {
  const { body } = await world.register(BUYER, 2, "50.00");
  const id = BigInt((body.purchase as { id: number }).id);
  await world.mint(BUYER, id);
  await settle(world);
  await world.confirm(id);
  await settle(world);
  // One more that waits.
  await world.register(BUYER, 3, "70.00");
}

async function settle(world: World): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    await world.pass(10_000);
    await world.round();
    world.chain.mine();
    await world.index();
  }
}

/** In the order of their references. */
async function insertRest({ kysely }: Database): Promise<void> {
  const account = { network: "awin", account: "br" };
  const click = await kysely.selectFrom("clicks").select("id").executeTakeFirstOrThrow();
  const category = await kysely.selectFrom("store_cashbacks").select("id").executeTakeFirstOrThrow();
  const { id: purchase_id } = await kysely.selectFrom("purchases").select("id").orderBy("id").executeTakeFirstOrThrow();
  const approval = { amount_gwei: 5n, state: "lapsed", asked_by: BUYER, created_at: NOW };
  const mail = { address: "ana@example.com", subject: "A ticket", text: "…", html: "…", message_id: "<1@shop>" };
  const boost = { boost_bps: 300n, starts_at: NOW, ends_at: NOW + 1n, planned_end_at: NOW + 1n, decision: "agreed" };
  const unread = { row_key: "1", text: "{}", problem: "no status", first_at: NOW, seen_at: NOW, retry_at: NOW };
  const claim = { order_ref: "A-1", amount_cents: 4_200n, purchased_on: DAY, state: "open", created_at: NOW };
  const contracts = { purchase_nft: `0x${"01".repeat(20)}`, cashback_distributor: `0x${"02".repeat(20)}` };
  const idempotency = { request_hash: "00", status: 200n, response: "{}", created_at: NOW };
  const rows: [TableName, Record<string, string | bigint>][] = [
    ["sessions", { token_hash: "00", wallet: BUYER, kind: "nonce", created_at: NOW, last_seen_at: NOW }],
    ["sign_in_nonces", { nonce: "1", wallet: BUYER, purpose: "login", message: "…", expires_at: NOW }],
    ["store_boosts", { store_id: STORE, category_id: category.id, ...boost, planned_by: BUYER, created_at: NOW }],
    [
      "offers",
      {
        store_id: STORE,
        title: "Frete",
        title_key: "frete",
        starts_at: NOW,
        ends_at: NOW + 1n,
        created_at: NOW,
        updated_at: NOW,
      },
    ],
    ["percent_approvals", { store_id: STORE, bps: 800n, state: "approved", asked_by: BUYER, created_at: NOW }],
    ["claims", { wallet: BUYER, store_id: STORE, click_id: click.id, ...claim }],
    ["claim_pictures", { claim_id: 1n, wallet: BUYER, type: "image/png", content: "iVBORw0KGgo=" }],
    ["sale_hints", { ...account, sale_key: "1", received_at: NOW, retry_at: NOW }],
    ["unread_rows", { ...account, ...unread }],
    ["affiliate_cursors", { ...account, pass: "changed", through_at: NOW, updated_at: NOW }],
    ["affiliate_status", account],
    ["chz_rates", { day: DAY, wei_per_cent: 10n ** 16n, accepted_at: NOW }],
    ["fx_rates", { currency: "USD", day: DAY, rate_micros: 5_000_000n, read_at: NOW }],
    ["fx_requests", { currency: "USD", day: DAY, due_at: NOW }],
    ["due_purchases", { purchase_id, due_at: NOW }],
    ["changed_facts", { fact: "sales", store_id: 0n, after_id: 0n }],
    ["simulated_days", { day: 20_458n, wallet: BUYER, cents: 12_000n }],
    ["decided_days", { decider: BUYER, day: 20_458n, gwei: 5n }],
    ["settings", { name: "catalogue_version", value: "3", updated_at: NOW }],
    ["event_readers", { wallet: BUYER, language: "en" }],
    ["mails", { wallet: BUYER, kind: "events", ...mail, created_at: NOW, sent_at: NOW }],
    ["notices", { kind: "contradiction", body: "{}", created_at: NOW }],
    ["approvals", { purchase_id, wallet: BUYER, ...approval }],
    ["idempotency_keys", { key: "k", wallet: BUYER, ...idempotency }],
    ["chain_source", { id: 1n, chain_id: BigInt(CHAIN_IDS.localhost), ...contracts, start_block: 0n }],
  ];
  for (const [table, row] of rows) {
    const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)));
    await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(kysely);
  }
  const entry = { actor: BUYER, action: "boost.plan", subject: "store:1", detail: { boost_bps: 300 } };
  await kysely.transaction().execute((queries) => appendAudit(queries, entry));
}

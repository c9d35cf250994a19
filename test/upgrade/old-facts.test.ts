import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { sql } from "kysely";
import type { Database } from "../../core/database/connect.ts";
import type { TableName } from "../../core/database/generated/schema.ts";
import { MIGRATIONS, migrate } from "../../core/database/migrate.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import { planNextSteps } from "../../core/purchases/next-step.ts";
import { listOldFacts } from "../../core/purchases/old-facts.ts";
import { fixedRate } from "../../core/rates/rate-source.ts";
import { idsOf } from "../../core/rules/records.ts";
import { RULES, WEI_PER_CENT } from "../sales/support/shop.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { BACKUP } from "./release.ts";

const OF_1_0 = MIGRATIONS.slice(0, 1);
const rules = { ...RULES, accounts: [{ network: "direct", account: "model" }] };
/** Of a store; it follows from the others. */
const GENERATED = "sells";
const NOTHING = { paidTwice: [], paidDeclined: [], halfHeld: [] };

/** docs/upgrading.md#what-1-0-0-left */
describe("What 1.0.0 decided otherwise", function () {
  this.timeout(120_000);
  onEitherEngine(({ openEmpty }) => {
    /** The shop of 1.0.0 with its own schema. */
    const open = async () => {
      const { database } = await openEmpty();
      await migrate(database, OF_1_0);
      for (const table of ["settings", "shop_totals"])
        await sql`delete from ${sql.table(table)}`.execute(database.kysely);
      for (const [table, row] of rowsOfBackup()) {
        const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)));
        await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(
          database.kysely,
        );
      }
      // Ids go on after the stored ones; SQLite's do so by themselves.
      if (database.engine === "postgres")
        await sql`select setval(pg_get_serial_sequence(table_name, 'id'), 1000) from information_schema.columns
          where table_schema = 'public' and column_name = 'id' and is_identity = 'YES'`.execute(database.kysely);
      return database;
    };
    /** As 1.0.0 left an order whose first sale was declined, and restored once its twin was paid. */
    const payTwice = async ({ kysely }: Database) => {
      await kysely.deleteFrom("adjustments").execute();
      await sql`update sales set order_ref = 'A-1', order_key = 'a-1', status = 'approved', payable = 1, state = 'settled',
        declined_by = null, decline_reason = null, reason = null, cashback_cent_bps = 3500000,
        created_at = created_at + id * 86400000,
        report = replace(replace(replace(report, '"orderRef":null', '"orderRef":"A-1"'), '"declined"', '"approved"'),
          '"payable":false', '"payable":true')
        where sale_key in ('paid', 'taken-back')`.execute(kysely);
    };
    const takeBackWithoutDebt = ({ kysely }: Database) => kysely.deleteFrom("adjustments").execute();
    /** A hold that a corrected amount shook off. */
    const holdHalf = async ({ kysely }: Database) => {
      const { id: _, ...row } = await kysely
        .selectFrom("purchases")
        .selectAll()
        .where("settled_at", "is", null)
        .where("sale_id", "is not", null)
        .executeTakeFirstOrThrow();
      const held = { held_at: 1n, held_by: `0x${"ab".repeat(20)}`, held_reason: "fraud?" };
      await kysely.updateTable("purchases").set(held).where("sale_id", "=", row.sale_id).execute();
      await kysely
        .insertInto("purchases")
        .values({ ...row, id: 99n, click_id: "z".repeat(26) })
        .execute();
    };
    const cases = {
      "in the shop as it is stored": { prepare: async () => {}, found: NOTHING },
      "an order that was paid twice": { prepare: payTwice, found: { ...NOTHING, paidTwice: [["a-1", 2n, 3n]] } },
      "a payment of a declined sale": { prepare: takeBackWithoutDebt, found: { ...NOTHING, paidDeclined: [3n] } },
      "a sale of which half is held": { prepare: holdHalf, found: { ...NOTHING, halfHeld: [1n] } },
    };
    const found = async ({ kysely }: Database) => {
      const facts = await listOldFacts(kysely);
      return { ...facts, paidTwice: facts.paidTwice.map(({ order, sales }) => [order, ...sales]) };
    };
    for (const [name, { prepare, found: expected }] of Object.entries(cases))
      it(`is told before and after the upgrade, which pays, holds and frees nothing: ${name}`, async () => {
        const database = await open();
        await prepare(database);
        expect(await found(database)).to.deep.equal(expected);
        const tables = ["operations", "adjustments", "payouts", "approvals"] as const;
        const before = await read(database, tables);
        const heldBefore = await held(database);
        await migrate(database);
        expect(await found(database)).to.deep.equal(expected);
        expect(await read(database, tables)).to.deep.equal(before);

        // Whatever is decided anew since.
        const ids = idsOf(await database.kysely.selectFrom("sales").select("id").execute());
        await inTransaction(database.kysely, (queries) => decideSales(queries, ids, rules));
        await planNextSteps(database, {
          ...{ rates: fixedRate(WEI_PER_CENT), stepDelayMs: 0, payoutConfirmations: 1, rules },
          ...{ approvals: { aboveGwei: undefined, roleOf: () => undefined }, assertLease: async () => {} },
        });
        expect(await payouts(database), "payouts").to.deep.equal(payoutsOf(before));
        expect(await held(database), "holds").to.include.members(heldBefore);
      });
  });
});

function rowsOfBackup(): [table: string, row: Record<string, bigint | string | null>][] {
  const lines = gunzipSync(readFileSync(BACKUP)).toString("utf8").trim().split("\n").slice(1, -1);
  const readValue = (text: string | null) =>
    text === null ? null : text.startsWith("i") ? BigInt(text.slice(1)) : text.slice(1);
  return lines.map((line) => {
    const [table, row]: [string, Record<string, string | null>] = JSON.parse(line);
    return [
      table,
      Object.fromEntries(
        Object.entries(row)
          .filter(([name]) => name !== GENERATED)
          .map(([name, text]) => [name, readValue(text)]),
      ),
    ];
  });
}

type Rows = Record<string, Record<string, unknown>[]>;

async function read({ kysely }: Database, tables: readonly TableName[]): Promise<Rows> {
  const rows: Rows = {};
  // Columns that the upgrade added are null.
  for (const table of tables)
    rows[table] = ((await kysely.selectFrom(table).selectAll().execute()) as object[]).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
    );
  return rows;
}

const payoutsOf = ({ operations = [] }: Rows) =>
  operations
    .filter(({ kind }) => kind === "pay")
    .map(({ subject_id, amount_gwei }) => `${amount_gwei} of ${subject_id}`)
    .sort();
const payouts = async (database: Database) => payoutsOf(await read(database, ["operations"]));

async function held({ kysely }: Database): Promise<string[]> {
  const purchases = await kysely.selectFrom("purchases").select("id").where("held_at", "is not", null).execute();
  const sales = await kysely.selectFrom("sales").select("id").where("state", "=", "held").execute();
  return [...idsOf(purchases).map((id) => `purchase ${id}`), ...idsOf(sales).map((id) => `sale ${id}`)];
}

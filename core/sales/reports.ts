import { hash } from "node:crypto";
import { type Selectable, sql } from "kysely";
import { among } from "../database/among.ts";
import { engineOf, readClock } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { decideSales } from "../purchases/decide-sales.ts";
import { findSeller } from "../purchases/facts.ts";
import { listCrowded } from "../purchases/held-reviews.ts";
import { lockSales } from "../purchases/locks.ts";
import { encodeReport } from "../purchases/sale-row.ts";
import { orderKeyOf } from "../rules/sale/order.ts";
import { asOfNow, isNewer, type ReportedState, type SaleReport } from "../rules/sale/report.ts";
import type { AccountKey, SaleRules } from "../rules/sale/rules.ts";

export type Sale = Selectable<Schema["sales"]>;

export type StoredReport = { saleId: bigint; outcome: "new" | "known" | "older" };

const MARKED_ROWS = 500;

/** What a network answers for so long is its present, whatever change time it gives. docs/product.md#sales-order */
const PRESENT_MS = 3_600_000n;

/**
 * Stores a network's report of a sale and decides it anew. Needs a transaction of its own. An identical report changes
 * nothing; one older than the last is stored but not applied. docs/product.md#sales-order
 */
export async function storeReport(
  queries: Queries,
  key: AccountKey,
  reported: SaleReport,
  rules: SaleRules,
  source: "poll" | "direct" = "poll",
): Promise<StoredReport> {
  const now = BigInt(await readClock(queries));
  const report = asOfNow(reported, now);
  const known = await findSale(queries, key, report.saleKey);
  const isMoving =
    known !== undefined && (known.click_ref !== report.clickRef || known.occurred_at !== report.occurredAt);
  const crowded = isMoving ? await listCrowded(queries, known.wallet) : [];
  await lockSales(queries, {
    sales: known === undefined ? [] : [known.id, ...crowded],
    clickRef: report.clickRef,
    orderKey: orderKeyOf(report.orderRef),
  });
  const sale = await lockSale(queries, key, report, now);
  const text = encodeReport(report);
  const hash = hashOf(text);
  const revision = await findRevision(queries, sale.id, hash);
  const isLast = revision !== undefined && revision.last === sale.revision_id;
  const isOlder = sale.revision_id !== null && !isNewer(report, lastStateOf(sale), now, source);
  const isPresent = source === "poll" && sale.older_since !== null && sale.older_since + PRESENT_MS <= now;
  if (isLast || (isOlder && !isPresent)) {
    const olderSince = isLast ? null : (sale.older_since ?? now);
    await queries
      .updateTable("sales")
      .set({ read_at: now, older_since: olderSince })
      .where("id", "=", sale.id)
      .execute();
    if (revision) return { saleId: sale.id, outcome: "known" };
  }
  const isApplied = !isOlder || isPresent;
  const state = { sale_id: sale.id, source, hash, report: text, changed_at: report.changedAt, read_at: now };
  const { id: revisionId } = await queries
    .insertInto("sale_revisions")
    .values({ ...state, is_applied: isApplied ? 1n : 0n })
    .returning("id")
    .executeTakeFirstOrThrow();
  if (!isApplied) return { saleId: sale.id, outcome: "older" };
  await queries
    .updateTable("sales")
    .set({
      ...columnsOf(report),
      ...(await storeOf(queries, sale, report)),
      report: text,
      revision_id: revisionId,
      read_at: now,
      reviewed_at: now,
      older_since: null,
      approved_at: approvalTime(sale, report, now),
    })
    .where("id", "=", sale.id)
    .execute();
  await decideSales(queries, [sale.id], rules);
  // Afterwards: by then it has left.
  await decideSales(queries, crowded, rules);
  return { saleId: sale.id, outcome: "new" };
}

/** Marks unchanged reports as read in one statement and returns the others. */
export async function markKnown(
  queries: Queries,
  key: AccountKey,
  reports: readonly SaleReport[],
): Promise<SaleReport[]> {
  const changed: SaleReport[] = [];
  for (let start = 0; start < reports.length; start += MARKED_ROWS) {
    const some = reports.slice(start, start + MARKED_ROWS);
    const last = await queries
      .selectFrom("sales")
      .innerJoin("sale_revisions", "sale_revisions.id", "sales.revision_id")
      .select(["sales.id", "sales.sale_key", "sale_revisions.hash"])
      .where("sales.network", "=", key.network)
      .where("sales.account", "=", key.account)
      .where(
        "sales.sale_key",
        "in",
        some.map((report) => report.saleKey),
      )
      .execute();
    const known = new Map(last.map((row) => [row.sale_key, row]));
    const same = some.filter((report) => known.get(report.saleKey)?.hash === hashOf(encodeReport(report)));
    changed.push(...some.filter((report) => !same.includes(report)));
    if (same.length === 0) continue;
    const ids = same.flatMap((report) => known.get(report.saleKey)?.id ?? []);
    await markRead(queries, ids, BigInt(Date.now()));
  }
  return changed;
}

/** Sales that are as they were; locked in their order, as everywhere. */
export async function markRead(queries: Queries, ids: readonly bigint[], at: bigint): Promise<void> {
  if (ids.length === 0) return;
  const isWanted = among(queries, "id", ids);
  const change =
    engineOf(queries) === "sqlite"
      ? sql`update sales set read_at = ${at}, older_since = null where ${isWanted}`
      : sql`with locked as (select id from sales where ${isWanted} order by id for no key update)
          update sales set read_at = ${at}, older_since = null from locked where sales.id = locked.id`;
  await change.execute(queries);
}

function hashOf(text: string): string {
  return hash("sha256", text);
}

function findSale(queries: Queries, key: AccountKey, saleKey: string) {
  return queries
    .selectFrom("sales")
    .select(["id", "wallet", "click_ref", "occurred_at"])
    .where("network", "=", key.network)
    .where("account", "=", key.account)
    .where("sale_key", "=", saleKey)
    .executeTakeFirst();
}

/** The sale's row, created if missing, locked until the end of the transaction. */
async function lockSale(queries: Queries, key: AccountKey, report: SaleReport, now: bigint): Promise<Sale> {
  return queries
    .insertInto("sales")
    .values({
      ...key,
      ...columnsOf(report),
      sale_key: report.saleKey,
      report: encodeReport(report),
      state: "unmatched",
      read_at: now,
      reviewed_at: now,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(["network", "account", "sale_key"]).doUpdateSet({ updated_at: now }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

function columnsOf(report: SaleReport) {
  return {
    click_ref: report.clickRef,
    advertiser_id: report.advertiserId,
    order_ref: report.orderRef,
    status: report.status,
    payable: report.payable === null ? null : report.payable ? 1n : 0n,
    currency: report.currency,
    amount_micros: report.amountMicros,
    commission_micros: report.commissionMicros,
    occurred_at: report.occurredAt,
    changed_at: report.changedAt,
  };
}

/** Whether this state of a sale is stored; its last revision. */
async function findRevision(queries: Queries, saleId: bigint, hash: string): Promise<{ last: bigint } | undefined> {
  const { last } = await queries
    .selectFrom("sale_revisions")
    .select(({ fn }) => fn.max("id").as("last"))
    .where("sale_id", "=", saleId)
    .where("hash", "=", hash)
    .executeTakeFirstOrThrow();
  return last === null ? undefined : { last };
}

function lastStateOf({ status, payable, changed_at }: Sale): ReportedState {
  return {
    status: status as SaleReport["status"],
    payable: payable === null ? null : payable === 1n,
    changedAt: changed_at,
  };
}

/** The start of a sale's current uninterrupted approval. */
function approvalTime(sale: Sale, report: SaleReport, now: bigint): bigint | null {
  if (report.status !== "approved") return null;
  return sale.status === "approved" ? (sale.approved_at ?? now) : now;
}

/** The store of a sale whose buyer is not known, by the advertiser that the report names. */
async function storeOf(queries: Queries, sale: Sale, report: SaleReport) {
  if (sale.click_id !== null) return {};
  const store = await findSeller(queries, sale, report.advertiserId);
  return { store_id: store?.id ?? null };
}

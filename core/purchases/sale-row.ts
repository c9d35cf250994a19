import { type Selectable, sql } from "kysely";
import { z } from "zod";
import { actingIn, noteAuthor } from "../database/changed-facts.ts";
import { readClock } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import { writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import { monthOf } from "../rules/iso-time.ts";
import { isRecord, jsonOf, recordOf } from "../rules/records.ts";
import { shareLosses } from "../rules/sale/decide.ts";
import { type Kept, NOTHING_KEPT, type SaleDecision, type SaleFacts } from "../rules/sale/facts.ts";
import {
  HOLD_REASONS,
  type Hold,
  type HoldFigures,
  type HoldReason,
  type Release,
  sayHolds,
} from "../rules/sale/holds.ts";
import { SALE_STATUSES, type SaleReport } from "../rules/sale/report.ts";
import type { AccountKey, SaleRules } from "../rules/sale/rules.ts";
import type { ClickTerms } from "../rules/sale/value.ts";

/* The row of a sale: what it keeps as text, what is saved of a decision, the margins and losses it counts towards. */

export type SaleRow = Selectable<Schema["sales"]>;

/** What a row keeps as text. */
export function readSale(row: SaleRow): Pick<SaleFacts, "report" | "kept" | "released" | "letGo"> {
  return {
    report: decodeReport(row.report),
    kept: readKept(row),
    released: readReleases(row.released_reasons),
    letGo: row.let_go === null ? null : letGoSchema.parse(JSON.parse(row.let_go)),
  };
}

/** Saves what was decided about a sale, and moves the margin that it counts towards. */
export async function saveSale(
  queries: Queries,
  row: SaleRow,
  facts: SaleFacts,
  decision: SaleDecision,
): Promise<void> {
  const { click, value, holds, kept } = decision;
  const why = facts.declined ? facts.declined.reason : facts.report.reason;
  const columns = {
    ...(click && { click_id: click.id, wallet: click.wallet, store_id: click.store.id }),
    state: decision.state,
    amount_cents: value?.amountCents ?? null,
    commission_cents: value?.commissionCents ?? null,
    // For a held sale too: the admin compares it with the commission.
    cashback_cent_bps: decision.cashbackCentBps,
    fx_rate_micros: kept.rates.get(facts.report.currency) ?? null,
    unknown_groups: decision.unknownGroups.join(", ") || null,
    hold_reasons: holds.map(({ reason }) => reason).join(" "),
    hold_figures: encodeFigures(holds),
    // In English, for operators reading the database; the api translates it into the caller's language.
    reason: decision.isDeclined ? why : decision.isHeld ? sayHolds(holds, "en") : null,
    kept: encodeKept(kept),
    order_key: decision.orderKey,
    return_due_at: decision.returnDueAt ?? -1n,
    ...(await moveLoss(queries, row, decision.lostCentBps)),
  };
  const counted = await moveMargin(queries, row.counted, marginOf({ ...row, ...columns }, decision.paidCentBps));
  const isSame = Object.entries(columns).every(([name, value]) => value === row[name as keyof SaleRow]);
  if (isSame && counted === row.counted) return;
  await queries
    .updateTable("sales")
    .set({ ...columns, counted, updated_at: BigInt(Date.now()) })
    .where("id", "=", row.id)
    .execute();
}

// Its margin --------------------------------------------------------------------------------------------------------------

/** The margin total that a sale counts towards: by network, store and month of the sale. */
function totalsCell(
  sale: Pick<Selectable<Schema["sales"]>, "network" | "account" | "store_id" | "occurred_at" | "created_at">,
) {
  return {
    network: sale.network,
    account: sale.account,
    store_id: sale.store_id ?? 0n,
    month: monthOf(sale.occurred_at ?? sale.created_at),
  };
}

/** What a sale adds to the margin of its network, store and month. */
export const FIGURES = [
  ...(["sales", "clicked_sales", "amount_cents", "commission_pending_cents", "commission_cents"] as const),
  ...(["promised_cent_bps", "paid_cent_bps"] as const),
] as const;
type Contribution = ReturnType<typeof totalsCell> & Record<(typeof FIGURES)[number], bigint>;

/** What a sale adds; only what was paid once it is declined, and while its amount is not known. */
function marginOf(sale: Selectable<Schema["sales"]>, paidCentBps: bigint): Contribution | undefined {
  const paid = { ...totalsCell(sale), ...recordOf(FIGURES, () => 0n), paid_cent_bps: paidCentBps };
  if (sale.state === "declined" || sale.amount_cents === null) return paidCentBps === 0n ? undefined : paid;
  const commission = sale.commission_cents ?? 0n;
  const isEarned = sale.status === "approved";
  return {
    ...paid,
    sales: 1n,
    clicked_sales: sale.click_id === null ? 0n : 1n,
    amount_cents: sale.amount_cents,
    commission_pending_cents: isEarned ? 0n : commission,
    commission_cents: isEarned ? commission : 0n,
    promised_cent_bps: sale.cashback_cent_bps,
  };
}

/** Replaces what the totals contain of a sale. Returns what they contain now, as the sale stores it. */
async function moveMargin(queries: Queries, counted: string, after: Contribution | undefined): Promise<string> {
  const text = after ? jsonOf(after) : "";
  if (text === counted) return text;
  if (counted !== "") {
    const before: Record<keyof Contribution, string> = JSON.parse(counted);
    const cell = { ...before, store_id: BigInt(before.store_id) };
    await add(
      queries,
      cell,
      recordOf(FIGURES, (name) => -BigInt(before[name])),
    );
  }
  if (after) await add(queries, after, after);
  return text;
}

async function add(
  queries: Queries,
  { network, account, store_id, month }: ReturnType<typeof totalsCell>,
  figures: Record<(typeof FIGURES)[number], bigint>,
): Promise<void> {
  const values = recordOf(FIGURES, (name) => figures[name]);
  await queries
    .insertInto("sale_totals")
    .values({ network, account, store_id, month, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(["network", "account", "store_id", "month"])
        .doUpdateSet(recordOf(FIGURES, (name) => sql<bigint>`${sql.ref(`sale_totals.${name}`)} + ${values[name]}`)),
    )
    .execute();
}

// What its account loses -------------------------------------------------------------------------------------------------

/*
 * What the shop loses by each account, by month of the sale: `account_losses` is the sum of what the rows of its sales say.
 * docs/product.md#margin-loss
 */

const monthOfSale = (row: SaleRow): string => monthOf(row.occurred_at ?? row.created_at);

/** Replaces what the months of its account contain of a sale. Returns what its row says of it then. */
async function moveLoss(
  queries: Queries,
  row: SaleRow,
  lostCentBps: bigint,
): Promise<Pick<SaleRow, "lost_month" | "lost_cent_bps">> {
  const after = { lost_month: lostCentBps === 0n ? null : monthOfSale(row), lost_cent_bps: lostCentBps };
  if (after.lost_month === row.lost_month && after.lost_cent_bps === row.lost_cent_bps) return after;
  if (row.lost_month !== null) await addLoss(queries, { ...row, month: row.lost_month }, -row.lost_cent_bps);
  if (after.lost_month !== null) await addLoss(queries, { ...row, month: after.lost_month }, lostCentBps);
  return after;
}

/** Adds to what an account lost in a month, and returns the sum. The month is locked until the transaction ends. */
async function addLoss(
  queries: Queries,
  { network, account, month }: AccountKey & { month: string },
  centBps: bigint,
): Promise<bigint> {
  const { lost_cent_bps } = await queries
    .insertInto("account_losses")
    .values({ network, account, month, lost_cent_bps: centBps })
    .onConflict((conflict) =>
      conflict
        .columns(["network", "account", "month"])
        .doUpdateSet({ lost_cent_bps: sql<bigint>`account_losses.lost_cent_bps + ${centBps}` }),
    )
    .returning("lost_cent_bps")
    .executeTakeFirstOrThrow();
  return lost_cent_bps;
}

type Losing = { row: SaleRow; facts: SaleFacts };

/**
 * Sales with whether they may lose more than they do, of all that one decision is about; undefined: none of them needs it.
 * Locks the months of what is lost more or less, in one order. Where a month comes to have room again, what is held for it
 * is decided anew. docs/product.md#margin-loss
 */
export async function takeLosses<Sale extends Losing>(
  queries: Queries,
  decided: readonly { sale: Sale; decision: Pick<SaleDecision, "lostCentBps" | "needsLoss"> }[],
  rules: SaleRules,
  now: bigint,
): Promise<Sale[] | undefined> {
  const keyOf = ({ network, account }: SaleRow, month: string) => JSON.stringify([network, account, month]);
  const losing = decided.map(({ sale, decision }) => {
    const to = monthOfSale(sale.row);
    const { lost_month: from, lost_cent_bps: lost } = sale.row;
    const isMoving = decision.needsLoss || decision.lostCentBps !== lost || (from !== null && from !== to);
    const { facts, row } = sale;
    return { sale, isMoving, facts, from: keyOf(row, from ?? to), to: keyOf(row, to) };
  });
  const months = new Set(losing.flatMap(({ isMoving, from, to }) => (isMoving ? [from, to] : [])));
  if (months.size === 0) return undefined;
  const before = new Map<string, bigint>();
  for (const key of [...months].sort()) {
    const [network = "", account = "", month = ""]: string[] = JSON.parse(key);
    before.set(key, await addLoss(queries, { network, account, month }, 0n));
  }
  const { mayLose, freed } = shareLosses(losing, before, rules, now);
  for (const key of freed) {
    const [network, account]: string[] = JSON.parse(key);
    await writeSetting(queries, "held_changed_at", String(await readClock(queries)));
    const by = actingIn(queries)?.by;
    if (by !== undefined) await noteAuthor(queries, by, `account:${network}/${account}`);
  }
  if (!mayLose.includes(true)) return undefined;
  return losing.map(({ sale, facts }, index) => ({ ...sale, facts: { ...facts, mayLose: mayLose[index] ?? false } }));
}

// Its text ----------------------------------------------------------------------------------------------------------------

type StoredReport = { [Field in keyof SaleReport]?: Stored<SaleReport[Field]> };
type Stored<Value> = Value extends bigint
  ? string
  : Value extends readonly (infer One)[]
    ? readonly { [Field in keyof One]: Stored<One[Field]> }[]
    : Value;

/** A report as stored in a revision: JSON with a fixed order of fields and integers as text. */
export function encodeReport(report: SaleReport): string {
  const fields = Object.entries(report).sort(([a], [b]) => (a < b ? -1 : 1));
  return jsonOf(Object.fromEntries(fields));
}

/** The inverse of `encodeReport`. */
export function decodeReport(text: string): SaleReport {
  const value: StoredReport = JSON.parse(text);
  const word = (field: keyof StoredReport) => (value[field] == null ? null : String(value[field]));
  const integer = (field: keyof StoredReport) => (value[field] == null ? null : BigInt(String(value[field])));
  return {
    saleKey: String(value.saleKey),
    clickRef: word("clickRef"),
    advertiserId: word("advertiserId"),
    orderRef: word("orderRef"),
    status: SALE_STATUSES.find((status) => status === (value.status ?? "pending")) ?? "unknown",
    payable: typeof value.payable === "boolean" ? value.payable : null,
    currency: String(value.currency),
    commissionCurrency: word("commissionCurrency"),
    reason: word("reason"),
    drift: typeof value.drift === "string" ? [{ code: "said", value: value.drift }] : (value.drift ?? null),
    parts: (value.parts ?? []).map(({ group, amountMicros }) => ({ group, amountMicros: BigInt(amountMicros) })),
    amountMicros: integer("amountMicros") ?? 0n,
    trackedBrlMicros: integer("trackedBrlMicros"),
    commissionMicros: integer("commissionMicros"),
    occurredAt: integer("occurredAt"),
    changedAt: integer("changedAt"),
    ...(value.isUnread === true && { isUnread: true }),
  };
}

const bps = z.string().regex(/^\d+$/).transform(BigInt);
/** Not `z.record`, which leaves a group out that is named `__proto__`. */
const groupsSchema = z
  .custom<object>(isRecord)
  .transform((groups) => Object.entries(groups))
  .pipe(z.array(z.tuple([z.string(), bps])));
const saleTermsSchema = z.object({
  groups: groupsSchema.transform((groups) => Object.fromEntries(groups)),
  defaultBps: bps,
  bonusBps: bps,
});
const termsSchema = saleTermsSchema.extend({
  boosted: saleTermsSchema.extend({ until: bps }).optional(),
  link: z.object({ network: z.string(), account: z.string().nullable() }).nullish(),
  invite: z.object({ id: bps, role: z.enum(["friend", "inviter"]), bps, until: bps }).optional(),
  commission: saleTermsSchema.optional(),
});

/** The terms frozen with a click; percents are in basis points. */
export function readTerms(terms: string): ClickTerms {
  return termsSchema.parse(JSON.parse(terms));
}

const integer = z.string().transform(BigInt);
const keptSchema = z.object({
  rates: z.array(z.tuple([z.string(), integer])).transform((rates) => new Map(rates)),
  tracked: z.object({ brlMicros: integer, amountMicros: integer, currency: z.string() }).nullable(),
  tiers: z.array(z.object({ centBps: integer, weiPerCent: integer })),
  terms: termsSchema.nullable(),
  assignedOver: z.string().nullable(),
  moves: z.number(),
  // Null too in rows of versions that knew no such fact.
  order: z
    .string()
    .nullish()
    .transform((order) => order ?? null),
  liftsNone: z.boolean().default(false),
});

export function readKept({ kept }: Pick<SaleRow, "kept">): Kept {
  return kept === "" ? NOTHING_KEPT : keptSchema.parse(JSON.parse(kept));
}

export function encodeKept(kept: Kept): string {
  return jsonOf({ ...kept, rates: [...kept.rates] });
}

const letGoSchema = z.object({
  hold: z.object({ by: z.string(), at: integer, reason: z.string().nullable() }),
  clickId: integer,
  centBps: integer,
});

/** The figures of each reason, stored with the reasons. */
export function encodeFigures(holds: readonly Hold[]): string {
  return JSON.stringify(Object.fromEntries(holds.map(({ reason, figures }) => [reason, figures])));
}

export function encodeReleases(releases: readonly Release[]): string {
  return JSON.stringify(
    releases.map(({ reason, figures, clickId, centBps }) => [reason, figures, String(clickId), String(centBps)]),
  );
}

export function readReleases(text: string): Release[] {
  const stored: [string, HoldFigures, string, string][] = text === "" ? [] : JSON.parse(text);
  return stored.flatMap(([reason, figures, clickId, centBps]) =>
    isHoldReason(reason) ? [{ reason, figures, clickId: BigInt(clickId), centBps: BigInt(centBps) }] : [],
  );
}

/** Stored reasons with their figures. */
export function readHolds(reasons: string, figures: string | null): Hold[] {
  const known: Partial<Record<HoldReason, HoldFigures>> = figures === null ? {} : JSON.parse(figures);
  const names = reasons.split(" ").filter(isHoldReason);
  return names.map((reason) => ({ reason, figures: known[reason] ?? {} }));
}

function isHoldReason(text: string): text is HoldReason {
  return HOLD_REASONS.some((reason) => reason === text);
}

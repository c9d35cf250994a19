import { type RawBuilder, type SqlBool, sql } from "kysely";
import { among, givenRows } from "../database/among.ts";
import type { Queries } from "../database/transaction.ts";
import { EVENTS_KEPT_MS, type EventKind, TOPIC_OF, UNREAD_MOST } from "../rules/events.ts";
import type { PurchaseStatus } from "../rules/purchase/life.ts";
import { type CountedSituation, SITUATIONS } from "../rules/purchase/situation.ts";
import { idsOf } from "../rules/records.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/*
 * What is told to buyers. An event is stored in the transaction of the change, once for each kind, subject and part,
 * however often a reorganization or a rebuilt index repeats the change. docs/product.md#events
 */

/** Where a purchase was before a change, and is now. */
export type PurchaseChange = {
  id: bigint;
  before: Place;
  after: Place;
  /** Null while its rate is not frozen. */
  cashbackGwei: bigint | null;
  /** Of a payout, also of one that the wallet refused. */
  payoutGwei: bigint | null;
};
type Place = { situation: CountedSituation; status: PurchaseStatus };

type NewEvent = { id: bigint; kind: EventKind; gwei: bigint | null };

const PAYOUTS: ReadonlySet<EventKind> = new Set(["paid", "credit"]);

/** Records what these changes mean to their buyers. */
export async function recordChanges(queries: Queries, changes: readonly PurchaseChange[]): Promise<void> {
  const events = changes.flatMap(meaningOf);
  await insertEvents(queries, events);
  const paid = events.filter(({ kind }) => PAYOUTS.has(kind)).map(({ id }) => id);
  if (paid.length > 0) await recordDebts(queries, paid);
}

function meaningOf({ id, before, after, cashbackGwei, payoutGwei }: PurchaseChange): NewEvent[] {
  const events: NewEvent[] = [];
  if (after.status === "confirmed" && before.status !== "confirmed") {
    events.push({ id, kind: "confirmed", gwei: cashbackGwei });
  }
  const kind = after.situation === before.situation ? undefined : SITUATIONS[after.situation].event;
  if (kind) events.push({ id, kind, gwei: kind === "declined" ? null : payoutGwei });
  return events;
}

/** Records that purchases were registered or reported. */
export async function recordTracked(queries: Queries, ids: readonly bigint[]): Promise<void> {
  await insertEvents(
    queries,
    ids.map((id) => ({ id, kind: "tracked", gwei: null })),
  );
}

/**
 * Records what is owed for these purchases, an event for each revision; one that adds to it changes the amount. Nothing
 * is told while a payout is in flight: it may revert, and then nothing is owed. Its debt is told with it.
 */
export async function recordDebts(queries: Queries, purchaseIds: readonly bigint[]): Promise<void> {
  const now = BigInt(Date.now());
  const debts = queries
    .selectFrom("adjustments")
    .innerJoin("purchases", "purchases.id", "adjustments.purchase_id")
    .innerJoin("users", "users.wallet", "purchases.wallet")
    .where("users.erased_at", "is", null)
    .where(among(queries, "purchases.id", purchaseIds))
    .where("purchases.settled_at", "is not", null)
    .where("purchases.created_at", ">", now - EVENTS_KEPT_MS)
    .where("adjustments.amount_gwei", ">", 0n)
    // Not what was lifted again before it could be told.
    .where((eb) =>
      eb(
        eb
          .selectFrom("adjustments as all")
          .select(({ fn }) => fn.sum<bigint>("all.cent_bps").as("sum"))
          .whereRef("all.purchase_id", "=", "purchases.id"),
        ">",
        0n,
      ),
    );
  await queries
    .insertInto("events")
    .columns([
      ...(["wallet", "kind", "subject_id", "part", "store_name", "amount_cents", "amount_gwei", "created_at"] as const),
      ...(["mail_at", "push_at"] as const),
    ])
    .expression(
      debts.select([
        "purchases.wallet",
        sql.lit("debt").as("kind"),
        "purchases.id",
        "adjustments.revision_id",
        "purchases.store_name",
        "purchases.amount_cents",
        "adjustments.amount_gwei",
        asInteger(now).as("created_at"),
        mailAt("purchases.wallet", "debt", now).as("mail_at"),
        pushAt("purchases.wallet", "debt", now).as("push_at"),
      ]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(["subject_id", "kind", "part"])
        .doUpdateSet({ amount_gwei: (eb) => eb.ref("excluded.amount_gwei") }),
    )
    .execute();
}

/** Records that a claim was answered. */
export async function recordClaimAnswer(queries: Queries, claimId: bigint): Promise<void> {
  const now = BigInt(Date.now());
  const claim = queries
    .selectFrom("claims")
    .innerJoin("stores", "stores.id", "claims.store_id")
    .innerJoin("users", "users.wallet", "claims.wallet")
    .where("users.erased_at", "is", null)
    .where("claims.id", "=", claimId)
    .where("claims.state", "<>", "open");
  await queries
    .insertInto("events")
    .columns([
      ...(["wallet", "kind", "subject_id", "store_name", "amount_cents", "reason", "created_at"] as const),
      ...(["mail_at", "push_at"] as const),
    ])
    .expression(
      claim.select([
        "claims.wallet",
        sql<EventKind>`case when claims.state = 'matched' then 'claim_accepted' else 'claim_refused' end`.as("kind"),
        "claims.id",
        "stores.name",
        "claims.amount_cents",
        "claims.reason",
        asInteger(now).as("created_at"),
        mailAt("claims.wallet", "claim_accepted", now).as("mail_at"),
        pushAt("claims.wallet", "claim_accepted", now).as("push_at"),
      ]),
    )
    .onConflict((conflict) => conflict.columns(["subject_id", "kind", "part"]).doNothing())
    .execute();
}

/** One statement a kind. Buyers who are not registered are told nothing. */
async function insertEvents(queries: Queries, events: readonly NewEvent[]): Promise<void> {
  const now = BigInt(Date.now());
  for (const [kind, ofKind] of Map.groupBy(events, (event) => event.kind)) {
    const { list, column } = givenRows(
      queries,
      ofKind.map(({ id, gwei }) => ({ id, gwei })),
    );
    await sql`insert into events (wallet, kind, subject_id, store_name, amount_cents, amount_gwei, created_at, mail_at, push_at)
      select purchases.wallet, ${sql.lit(kind)}, purchases.id, purchases.store_name, purchases.amount_cents, c.gwei,
        ${asInteger(now)}, ${mailAt("purchases.wallet", kind, now)}, ${pushAt("purchases.wallet", kind, now)}
      from (select ${column.id} as id, ${column.gwei} as gwei from ${list}) c
      join purchases on purchases.id = c.id
      join users on users.wallet = purchases.wallet and users.erased_at is null
      where purchases.created_at > ${now - EVENTS_KEPT_MS}
      on conflict (subject_id, kind, part) do nothing`.execute(queries);
  }
}

/** Now, if the wallet has a verified address and wants e-mails about the topic of this kind. */
function mailAt(wallet: string, kind: EventKind, now: bigint): RawBuilder<bigint | null> {
  return sql<bigint | null>`(select ${asInteger(now)} from event_readers where event_readers.wallet = ${sql.ref(wallet)}
    and mail_address is not null and mail_topics like ${`%${TOPIC_OF[kind]}%`})`;
}

/** Now, if the wallet wants messages about the topic of this kind on its devices. */
function pushAt(wallet: string, kind: EventKind, now: bigint): RawBuilder<bigint | null> {
  return sql<bigint | null>`(select ${asInteger(now)} from push_readers where push_readers.wallet = ${sql.ref(wallet)}
    and topics like ${`%${TOPIC_OF[kind]}%`})`;
}

/** PostgreSQL takes a bare parameter in a list of columns for a text. */
function asInteger(value: bigint): RawBuilder<bigint> {
  return sql<bigint>`cast(${value} as bigint)`;
}

export type EventRow = Awaited<ReturnType<typeof listEvents>>[number];

/**
 * A wallet's events above one id and below another. Both columns are compared and sorted by as one: otherwise PostgreSQL
 * looks for the events of a wallet that has many among everybody's, however old they are.
 */
function eventsOf(queries: Queries, wallet: WalletAddress, { after, before }: { after: bigint; before: bigint }) {
  const isBetween = sql<SqlBool>`(wallet, id) > (${wallet}, ${after}) and (wallet, id) < (${wallet}, ${before})`;
  return queries.selectFrom("events").where(isBetween);
}

const NO_ID = 0n;
const ABOVE_ALL_IDS = 2n ** 62n;

/** A wallet's events below an id, newest first. */
export async function listEvents(
  queries: Queries,
  wallet: WalletAddress,
  { before = ABOVE_ALL_IDS, limit }: { before?: bigint | undefined; limit: number },
) {
  const rows = eventsOf(queries, wallet, { after: NO_ID, before }).selectAll();
  return rows.orderBy("wallet", "desc").orderBy("id", "desc").limit(limit).execute();
}

/** Up to which event a wallet has read, and how many are newer: at most `UNREAD_MOST`. */
export async function readUnread(
  queries: Queries,
  wallet: WalletAddress,
): Promise<{ readThrough: bigint; unread: number }> {
  const reader = await queries
    .selectFrom("event_readers")
    .select("read_through")
    .where("wallet", "=", wallet)
    .executeTakeFirst();
  const readThrough = reader?.read_through ?? 0n;
  const newer = await eventsOf(queries, wallet, { after: readThrough, before: ABOVE_ALL_IDS })
    .select("id")
    .orderBy("wallet")
    .orderBy("id")
    .limit(UNREAD_MOST)
    .execute();
  return { readThrough, unread: newer.length };
}

/** Marks a wallet's events up to an id as read; never fewer than before. */
export async function markRead(queries: Queries, wallet: WalletAddress, through: bigint): Promise<void> {
  await queries
    .insertInto("event_readers")
    .values({ wallet, read_through: through })
    .onConflict((conflict) =>
      conflict
        .column("wallet")
        .doUpdateSet({ read_through: through })
        .where("event_readers.read_through", "<", through),
    )
    .execute();
}

/** The events that may go into e-mails now, by wallet, and the oldest first. */
export async function listMailable(
  queries: Queries,
  now: bigint,
  limit: number,
): Promise<Map<WalletAddress, EventRow[]>> {
  const rows = await queries
    .selectFrom("events")
    .selectAll()
    .where("mail_at", "<=", now)
    .orderBy("mail_at")
    .orderBy("id")
    .limit(limit)
    .execute();
  return Map.groupBy(rows, (row) => row.wallet);
}

/** Sets when events may go into an e-mail; null: they are in one, or are not wanted any more. */
export async function setMailAt(queries: Queries, ids: readonly bigint[], mailAt: bigint | null): Promise<void> {
  await queries
    .updateTable("events")
    .set({ mail_at: mailAt })
    .where(among(queries, "id", ids))
    .execute();
}

/** Takes the oldest events that may go to devices, each once: of whoever takes them. docs/product.md#push */
export async function takePushable(queries: Queries, now: bigint, limit: number): Promise<bigint[]> {
  const due = queries.selectFrom("events").select("id").where("push_at", "<=", now).orderBy("push_at").limit(limit);
  const taken = await queries
    .updateTable("events")
    .set({ push_at: null })
    .where("id", "in", due)
    .where("push_at", "is not", null)
    .returning("id")
    .execute();
  return idsOf(taken);
}

/** Deletes some of the oldest events; false if none is too old. Ids grow with time. */
export async function deleteOldEvents(queries: Queries, now: bigint, limit: number): Promise<boolean> {
  const oldest = await queries.selectFrom("events").select(["id", "created_at"]).orderBy("id").limit(limit).execute();
  const old = oldest.filter((row) => row.created_at < now - EVENTS_KEPT_MS).map((row) => row.id);
  if (old.length === 0) return false;
  await queries
    .deleteFrom("events")
    .where(among(queries, "id", old))
    .execute();
  return old.length === limit;
}

/** Deletes what a person was told, and how far they have read. docs/product.md#erase */
export async function eraseEvents(queries: Queries, wallet: WalletAddress): Promise<void> {
  await queries.deleteFrom("events").where("wallet", "=", wallet).execute();
  await queries.deleteFrom("event_readers").where("wallet", "=", wallet).execute();
}

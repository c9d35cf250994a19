import { createHmac } from "node:crypto";
import { auditHeadText, readAuditHead } from "../../core/database/audit-log.ts";
import { readSetting, writeSetting } from "../../core/database/settings.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { askOutside } from "../../core/process/outside.ts";
import type { Attention } from "../../core/rules/api/admin-figures.ts";
import { DAY_MS, isoTime } from "../../core/rules/iso-time.ts";
import { keysOf, recordOf } from "../../core/rules/records.ts";
import type { Role } from "../../core/rules/roles.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { readAttention } from "../admin/figures.ts";
import type { Services } from "../services.ts";

const SENT_AT_ONCE = 20;
const TIMEOUT_MS = 5_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 3_600_000;
/** A receiver that is down for longer gets only new notices. */
const GIVEN_UP_MS = 7 * DAY_MS;
const KEPT_MS = 30 * DAY_MS;

const KINDS = {
  held_sales: "sales are held for review",
  unmatched_sales: "sales have no buyer",
  overdue_sales: "sales have waited for their network for too long",
  waiting_accounts: "accounts have used their credit: their sales wait for their money",
  unset_credits: "direct shops have a credit that nobody has set",
  doubtful_rates: "exchange rates jumped and must be accepted",
  failing_accounts: "accounts at affiliate networks cannot be read",
  unread_rows: "rows of affiliate networks cannot be read",
  open_claims: "claims for missing cashback are open",
  held_purchases: "purchases are held",
  undecided_purchases: "purchases stand because their next step fails to be decided",
  open_approvals: "payouts wait for a second person",
  refused_payouts: "payouts were refused by a second person",
  open_percents: "boosts or percents of stores wait for a second person",
  open_proposals: "changes that move buyers or money, or cannot be undone, wait for a second person or their day",
  large_lists: "affiliate networks list more programmes than is read; their percents no longer follow",
  withheld_rounds: "accounts at affiliate networks would pause or change too many stores at once; none is changed",
  uncovered_percents: "percents are above what the network pays, or the network no longer has their group",
  failed_payments: "payouts failed",
  failed_operations: "operations failed",
  foreign_transactions: "transactions with our keys are not in the outbox",
  differences: "differences between database and chain",
  low_balances: "wallets are low on CHZ",
  payouts_paused: "payouts are paused",
  faults: "faults of the installation",
} as const satisfies Partial<Record<keyof Attention, string>>;
type Kind = keyof typeof KINDS;
type Counts = Partial<Record<Kind, number>>;
/** What follows a kind's sentence. */
type Details = Partial<Record<Kind, string>>;

/** Records new open tasks and notifies the receiver. Does nothing without a receiver. docs/product.md#panel-notices */
export async function notify(services: Services): Promise<void> {
  const { NOTIFY_URL: url, NOTIFY_SECRET: secret } = services.environment;
  if (url === undefined || secret === undefined) return;
  const attention = await readAttention(services);
  const reasons = attention.faults.map(({ text }) => text).join("; ");
  await noteNews(services, countsOf(attention), { faults: `: ${reasons}` });
  await sendDue(services, { url, secret });
}

function countsOf(attention: Attention): Counts {
  const countOf = (value: Attention[Kind]) => {
    if (Array.isArray(value)) return value.length;
    return typeof value === "number" ? value : Number(value !== null);
  };
  return recordOf(keysOf(KINDS), (kind) => countOf(attention[kind]));
}

/** Creates a notice for each count that rose, and updates the known counts in the same transaction. */
async function noteNews({ database }: Services, counts: Counts, details: Details): Promise<void> {
  await inTransaction(database.kysely, async (queries) => {
    const before: Counts = JSON.parse((await readSetting(queries, "noticed")) ?? "{}");
    if (JSON.stringify(before) === JSON.stringify(counts)) return;
    await writeSetting(queries, "noticed", JSON.stringify(counts));
    for (const kind of keysOf(KINDS)) {
      const count = counts[kind] ?? 0;
      if (count <= (before[kind] ?? 0)) continue;
      await insertNotice(queries, { kind, count, text: `${count} ${KINDS[kind]}${details[kind] ?? ""}` });
    }
  });
}

type StaffSignIn = { wallet: WalletAddress; role: Role; origin: string; signature: string };

/** Tells the owners that somebody of the team signed in, in the transaction of the sign-in. docs/product.md#staff-key */
export async function noteStaffSignIn(
  { environment }: Pick<Services, "environment">,
  queries: Queries,
  { wallet, role, origin, signature }: StaffSignIn,
): Promise<void> {
  if (environment.NOTIFY_URL === undefined) return;
  const text = `${wallet} (${role}) signed in from ${origin} by ${signature.replaceAll("_", " ")}`;
  await insertNotice(queries, { kind: "staff_sign_in", count: 1, text });
}

type OwnersNotice = { kind: "people_exported" | "admins_changed"; count: number; text: string };

/** Tells the owners what nobody has to decide about, in the transaction that does it. docs/product.md#panel-notices */
export async function noteOwners(
  { environment }: Pick<Services, "environment">,
  queries: Queries,
  notice: OwnersNotice,
): Promise<void> {
  if (environment.NOTIFY_URL !== undefined) await insertNotice(queries, notice);
}

async function insertNotice(
  queries: Queries,
  { kind, count, text }: { kind: Kind | "staff_sign_in" | OwnersNotice["kind"]; count: number; text: string },
): Promise<void> {
  const now = BigInt(Date.now());
  // A receiver that keeps it knows an audit log whose end was cut.
  const audit_log = auditHeadText(await readAuditHead(queries));
  const body = JSON.stringify({ kind, count, text, at: isoTime(now), audit_log });
  await queries.insertInto("notices").values({ kind, body, created_at: now, due_at: now }).execute();
}

type Receiver = { url: string; secret: string };

async function sendDue({ database, log }: Services, receiver: Receiver): Promise<void> {
  const { kysely } = database;
  const now = BigInt(Date.now());
  await kysely
    .deleteFrom("notices")
    .where("created_at", "<", now - BigInt(KEPT_MS))
    .execute();
  const due = await kysely
    .selectFrom("notices")
    .selectAll()
    .where("due_at", "is not", null)
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(SENT_AT_ONCE)
    .execute();
  for (const { id, body, attempts, created_at } of due) {
    const error = await send(receiver, Number(id), body);
    const isGivenUp = Date.now() - Number(created_at) > GIVEN_UP_MS;
    const retryMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(Number(attempts), 20), LONGEST_RETRY_MS);
    const change =
      error === undefined
        ? { sent_at: BigInt(Date.now()), due_at: null, error: null }
        : { due_at: isGivenUp ? null : BigInt(Date.now() + retryMs), error };
    await kysely
      .updateTable("notices")
      .set({ ...change, attempts: attempts + 1n })
      .where("id", "=", id)
      .execute();
    if (error === undefined) continue;
    log.warn({ notice: Number(id), reason: error }, "The receiver rejected a notice; it will be retried");
    // The receiver is down: the others wait for their next attempt.
    return;
  }
}

/** Returns why delivery failed. A notice may arrive twice, with the same `id`. */
async function send({ url, secret }: Receiver, id: number, body: string): Promise<string | undefined> {
  const text = JSON.stringify({ id, ...JSON.parse(body) });
  const timestamp = Math.floor(Date.now() / 1_000).toString();
  const signature = createHmac("sha256", secret).update(`${timestamp}.${text}`).digest("hex");
  try {
    const { ok, status } = await askOutside(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-torcida-timestamp": timestamp,
        "x-torcida-signature": `sha256=${signature}`,
      },
      body: text,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return ok ? undefined : `it answered ${status}`;
  } catch (error) {
    return messageOf(error);
  }
}

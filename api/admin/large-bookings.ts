import { appendAudit } from "../../core/database/audit-log.ts";
import { readClock } from "../../core/database/clock.ts";
import { type Proposed, type ProposedFields, propose } from "../../core/database/proposals.ts";
import { lockUsers } from "../../core/database/touch-user.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { type Account, findAccounts, nameOf } from "../../core/purchases/account-books.ts";
import { book, type NewBooking } from "../../core/purchases/bookings.ts";
import { worthCents } from "../../core/rules/cashback.ts";
import { BIG_DAY_MS } from "../../core/rules/iso-time.ts";
import { reaisText } from "../../core/rules/money.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import type { Identity } from "../http/route.ts";
import type { Services } from "../services.ts";
import { askerOf } from "./proposing.ts";

/** What one person books a UTC day alone, also where no limit of payouts is set. docs/product.md#accounts-bookings */
const ALONE_CENTS = 500_000n;

/** Booked by one person so far; a line of a file has its key. */
type Line = Pick<NewBooking, "amountCents" | "arrivedOn" | "reference" | "lineKey">;

/**
 * Asks for a second person if these bookings take the person's day above the limit: the lower one of R$ 5,000 and
 * `APPROVAL_ABOVE_CHZ` at the rate of now. Undefined: they need nobody else.
 */
export async function askForLarge(
  services: Services,
  queries: Queries,
  { identity, account, lines }: { identity: Identity; account: Account; lines: readonly Line[] },
): Promise<Proposed | undefined> {
  const asker = askerOf(services, identity, "booking");
  // So that of several at once each sees what the others booked.
  await lockUsers(queries, new Set([asker.actor as WalletAddress]));
  const sum = lines.reduce((total, { amountCents }) => total + amountCents, 0n);
  if ((await sumBookedBy(queries, asker.actor)) + sum <= aloneCents(services)) return undefined;
  const [first] = lines;
  const to: ProposedFields = {
    ...{ network: account.network, account: account.account, amount: reaisText(sum), count: String(lines.length) },
    ...{ arrived_on: first?.arrivedOn ?? null, reference: first?.reference ?? null },
    lines: JSON.stringify(lines.map((one) => ({ ...one, amountCents: String(one.amountCents) }))),
  };
  // Each has a subject of its own: two that wait for the same account are two.
  const subject = `${nameOf(account)} ${crypto.randomUUID()}`;
  const asked = await propose(queries, { kind: "booking", subject, to }, asker);
  await appendAudit(queries, {
    actor: asker.actor,
    action: "booking.propose",
    subject: `account:${nameOf(account)}`,
    detail: { amount: reaisText(sum), count: lines.length, proposal: Number(asked.id) },
  });
  return asked;
}

function aloneCents({ approvals, rates }: Services): bigint {
  const rate = rates.current();
  if (approvals.aboveGwei === undefined || rate.kind !== "rate") return ALONE_CENTS;
  const limit = worthCents(approvals.aboveGwei, rate.weiPerCent);
  return limit < ALONE_CENTS ? limit : ALONE_CENTS;
}

/** Books what a second person agreed to. False: a line of it is booked by now. */
export async function bookAgreed(
  queries: Queries,
  { to, askedBy, agreedBy }: { to: ProposedFields; askedBy: string; agreedBy: string | undefined },
): Promise<boolean> {
  const [account] = await findAccounts(queries, [{ network: to.network ?? "", account: to.account ?? "" }]);
  const lines: (Omit<Line, "amountCents"> & { amountCents: string })[] = JSON.parse(to.lines ?? "[]");
  if (!account || lines.length === 0) return false;
  const of = { accountId: account.id, bookedBy: askedBy, agreedBy: agreedBy ?? null };
  const ids = await book(
    queries,
    lines.map((one) => ({ ...one, ...of, amountCents: BigInt(one.amountCents) })),
  );
  return ids.length > 0;
}

/** What a person has booked since midnight (UTC) without a second one, in cents; what was reversed counts. */
async function sumBookedBy(queries: Queries, actor: string): Promise<bigint> {
  const now = BigInt(await readClock(queries));
  const rows = await queries
    .selectFrom("account_bookings")
    .select("amount_cents")
    .where("booked_by", "=", actor)
    .where("created_at", ">=", now - (now % BIG_DAY_MS))
    .where("reverses", "is", null)
    .where("agreed_by", "is", null)
    .execute();
  return rows.reduce((sum, { amount_cents }) => sum + amount_cents, 0n);
}

import type { Transaction } from "kysely";
import { appendAudit, inAuditedTransaction } from "../../database/audit-log.ts";
import type { Schema } from "../../database/schema.ts";
import type { Queries } from "../../database/transaction.ts";
import type { ApprovalAction } from "../../domain/api/admin-approvals.ts";
import { chzTextFromGwei } from "../../domain/money.ts";
import { ApiError } from "../http/api-error.ts";
import { actorOf, type Identity } from "../http/route.ts";
import type { Services } from "../services.ts";

const GWEI_PER_CHZ = 1_000_000_000n;
/** A request, and an approval, that nobody uses lapses. */
const VALID_MS = 24 * 3_600_000;

/** What is created or decided before this moment has lapsed. */
export const lapsedBefore = (): bigint => BigInt(Date.now() - VALID_MS);

/** When a request or an approval lapses. */
export const lapsesAt = (since: bigint): bigint => since + BigInt(VALID_MS);

/** A payment that a person makes. */
export type PersonalPayment = {
  action: ApprovalAction;
  subject: string;
  amountGwei: bigint;
  /** The cashback in reais, where the rate may still move. */
  centBps?: bigint;
  purchaseId?: bigint;
  wallet: string | null;
  reason: string | null;
};

/** Lets a payment pass, or ends the transaction. */
export type Approve = (payment: PersonalPayment) => Promise<void>;

class ApprovalMissing extends Error {
  override readonly name = "ApprovalMissing";
  readonly payment: PersonalPayment;
  constructor(payment: PersonalPayment) {
    super(`${payment.action} takes a second person`);
    this.payment = payment;
  }
}

/**
 * One audited transaction that pays. `approve` lets a payment pass below `APPROVAL_ABOVE_CHZ`, or with an approval, which is
 * used up in this transaction: a payment that fails leaves it. Otherwise nothing is done but to write down that it is asked
 * for. Services are machines and are not asked. docs/product.md#panel-approvals
 * @throws ApiError 403 APPROVAL_NEEDED
 */
export async function inApprovedTransaction<T>(
  services: Services,
  identity: Identity,
  work: (queries: Transaction<Schema>, approve: Approve) => Promise<T>,
): Promise<T> {
  const { kysely } = services.database;
  const limit = services.environment.APPROVAL_ABOVE_CHZ;
  const actor = actorOf(identity);
  try {
    return await inAuditedTransaction(kysely, (queries) =>
      work(queries, async (payment) => {
        if (limit === undefined || identity.kind === "service") return;
        if (payment.amountGwei <= BigInt(limit) * GWEI_PER_CHZ) return;
        if (!(await spendApproval(queries, actor, payment))) throw new ApprovalMissing(payment);
      }),
    );
  } catch (error) {
    if (!(error instanceof ApprovalMissing)) throw error;
    const id = await inAuditedTransaction(kysely, (queries) => askFor(queries, actor, error.payment));
    throw new ApiError(
      403,
      "APPROVAL_NEEDED",
      `More than ${limit} CHZ takes two people: another administrator approves request ${id}, then ask again`,
      { extra: { approval_id: Number(id) } },
    );
  }
}

/** What this person asked for about exactly this payment. */
function askedFor(queries: Queries, actor: string, { action, subject, amountGwei, centBps }: PersonalPayment) {
  const asked = queries
    .selectFrom("approvals")
    .select("id")
    .where("subject", "=", subject)
    .where("action", "=", action)
    .where("asked_by", "=", actor);
  return centBps === undefined ? asked.where("amount_gwei", "=", amountGwei) : asked.where("cent_bps", "=", centBps);
}

/** An approval is good once, whoever comes at the same time. */
async function spendApproval(queries: Queries, actor: string, payment: PersonalPayment): Promise<boolean> {
  const approval = askedFor(queries, actor, payment)
    .where("state", "=", "approved")
    .where("decided_at", ">", lapsedBefore())
    .orderBy("id", "desc")
    .limit(1);
  const { numUpdatedRows } = await queries
    .updateTable("approvals")
    .set({ state: "used" })
    .where("id", "=", approval)
    .where("state", "=", "approved")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The request that is open already, or a new one. */
async function askFor(queries: Queries, actor: string, payment: PersonalPayment): Promise<bigint> {
  const open = await askedFor(queries, actor, payment)
    .where("state", "=", "open")
    .where("created_at", ">", lapsedBefore())
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (open) return open.id;
  const { action, subject, wallet, reason, amountGwei } = payment;
  const { id } = await queries
    .insertInto("approvals")
    .values({
      ...{ action, subject, wallet, reason, asked_by: actor, amount_gwei: amountGwei },
      ...{ purchase_id: payment.purchaseId ?? null, cent_bps: payment.centBps ?? null },
      ...{ state: "open", created_at: BigInt(Date.now()) },
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const detail = { asked: action, of: subject, wallet, reason, amount: chzTextFromGwei(amountGwei) };
  await appendAudit(queries, { actor, action: "approval.ask", subject: `approval:${id}`, detail });
  return id;
}

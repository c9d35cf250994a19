import type { Transaction } from "kysely";
import { appendAudit, inAuditedTransaction } from "../../database/audit-log.ts";
import type { Schema } from "../../database/schema.ts";
import type { Queries } from "../../database/transaction.ts";
import type { ApprovalAction } from "../../domain/api/admin-approvals.ts";
import { chzTextFromGwei } from "../../domain/money.ts";
import { TorcidaError } from "../../domain/torcida-error.ts";
import { ApiError } from "../http/api-error.ts";
import { actorOf, type Identity } from "../http/route.ts";
import type { Services } from "../services.ts";

const GWEI_PER_CHZ = 1_000_000_000n;
/** How long a request, or an unused approval, is valid. */
const VALID_MS = 24 * 3_600_000;

/** Anything created or decided before this time has lapsed. */
export const lapsedBefore = (): bigint => BigInt(Date.now() - VALID_MS);

/** When a request or an approval lapses. */
export const lapsesAt = (since: bigint): bigint => since + BigInt(VALID_MS);

/** A payout made by a person. */
export type PayoutByHand = {
  action: ApprovalAction;
  subject: string;
  amountGwei: bigint;
  /** The cashback in cents × basis points, if the rate is not frozen yet. */
  centBps?: bigint;
  purchaseId?: bigint;
  wallet: string | null;
  reason: string | null;
};

/** Lets a payout pass, or aborts the transaction. */
export type Approve = (payout: PayoutByHand) => Promise<void>;

class ApprovalMissing extends TorcidaError {
  override readonly name = "ApprovalMissing";
  override readonly docs = "docs/product.md#panel-approvals";
  readonly payout: PayoutByHand;
  constructor(payout: PayoutByHand) {
    super(`${payout.action} takes a second person`);
    this.payout = payout;
  }
}

/**
 * Runs one audited transaction that pays. `approve` lets a payout pass if it is below `APPROVAL_ABOVE_CHZ` or has an
 * approval, which is consumed in this transaction, so a failed payout keeps it. Otherwise the transaction is rolled
 * back and only the request is recorded. Services need no approval. docs/product.md#panel-approvals
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
      work(queries, async (payout) => {
        if (limit === undefined || identity.kind === "service") return;
        if (payout.amountGwei <= BigInt(limit) * GWEI_PER_CHZ) return;
        if (!(await spendApproval(queries, actor, payout))) throw new ApprovalMissing(payout);
      }),
    );
  } catch (error) {
    if (!(error instanceof ApprovalMissing)) throw error;
    const id = await inAuditedTransaction(kysely, (queries) => askFor(queries, actor, error.payout));
    throw new ApiError(
      403,
      "APPROVAL_NEEDED",
      `More than ${limit} CHZ needs two people: another administrator approves request ${id}, then repeat the call`,
      { extra: { approval_id: Number(id) } },
    );
  }
}

/** This person's requests for exactly this payout: to the same wallet, too. */
function askedFor(queries: Queries, actor: string, payout: PayoutByHand) {
  const { action, subject, wallet, amountGwei, centBps } = payout;
  const asked = queries
    .selectFrom("approvals")
    .select("id")
    .where("subject", "=", subject)
    .where("action", "=", action)
    .where("asked_by", "=", actor)
    .where("wallet", wallet === null ? "is" : "=", wallet);
  return centBps === undefined ? asked.where("amount_gwei", "=", amountGwei) : asked.where("cent_bps", "=", centBps);
}

/** Consumes an approval; of concurrent uses only one succeeds. */
async function spendApproval(queries: Queries, actor: string, payout: PayoutByHand): Promise<boolean> {
  const approval = askedFor(queries, actor, payout)
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

/** The open request, or a new one. */
async function askFor(queries: Queries, actor: string, payout: PayoutByHand): Promise<bigint> {
  const open = await askedFor(queries, actor, payout)
    .where("state", "=", "open")
    .where("created_at", ">", lapsedBefore())
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (open) return open.id;
  const { action, subject, wallet, reason, amountGwei } = payout;
  const { id } = await queries
    .insertInto("approvals")
    .values({
      action,
      subject,
      wallet,
      reason,
      asked_by: actor,
      amount_gwei: amountGwei,
      purchase_id: payout.purchaseId ?? null,
      cent_bps: payout.centBps ?? null,
      state: "open",
      created_at: BigInt(Date.now()),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const detail = { asked: action, of: subject, wallet, reason, amount: chzTextFromGwei(amountGwei) };
  await appendAudit(queries, { actor, action: "approval.ask", subject: `approval:${id}`, detail });
  return id;
}

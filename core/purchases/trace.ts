import type { Queries } from "../database/transaction.ts";
import { INVITE_MOST_CENTS } from "../rules/invites.ts";
import { isoTime } from "../rules/iso-time.ts";
import { chzTextFromGwei, percentText, reaisText } from "../rules/money.ts";
import type { StepKind } from "../rules/purchase/states.ts";

/** An event in the history of a purchase. Times are milliseconds UTC; `source` is where it is recorded. */
export type Step = {
  atMs: bigint;
  source: "database" | "chain";
  kind: StepKind;
  /** For a transaction: mint, confirm, cancel or pay. For a chain event: its name. For an invitation: friend or inviter. */
  subject?: string;
  txHash?: string;
  amountGwei?: bigint;
  /** One readable sentence. */
  text: string;
};

export type Trace = { wallet: string; steps: Step[]; openQuestions: string[] };

/** Everything in the database about a purchase, oldest first; undefined if there is none with this id. */
export async function tracePurchase(queries: Queries, id: bigint): Promise<Trace | undefined> {
  const purchase = await queries.selectFrom("purchases").selectAll().where("id", "=", id).executeTakeFirst();
  if (!purchase) return undefined;
  const isSimulated = purchase.source === "simulated";
  const steps: Step[] = [
    {
      atMs: purchase.created_at,
      source: "database",
      kind: "registered",
      text: `registered at store ${purchase.store_id} (${purchase.store_name}): R$ ${reaisText(purchase.amount_cents)} at ${percentText(purchase.cashback_bps)} % + ${percentText(purchase.bonus_bps)} % bonus, ${purchase.source}`,
    },
    ...(await inviteSteps(queries, purchase)),
    ...mark(purchase.approved_at, "approved", isSimulated ? "approved at once" : "approved by the store's network"),
    ...mark(
      purchase.reversed_at,
      "reversed",
      isSimulated ? "cancelled by its buyer" : "returned by the store or its network",
    ),
    ...mark(purchase.settled_at, "settled", "settled: its cashback is decided"),
    ...mark(
      purchase.held_at,
      "held",
      `held by ${purchase.held_by}${purchase.held_reason ? `: ${purchase.held_reason}` : ""}`,
    ),
  ];
  const { steps: sent, openQuestions } = await operationSteps(queries, id);
  steps.push(...sent, ...(await chainSteps(queries, id)), ...(await adjustmentSteps(queries, id)));
  if (purchase.payable_at !== null && purchase.payable_at > BigInt(Date.now())) {
    openQuestions.push(`its cashback is held until ${isoTime(purchase.payable_at)}`);
  }
  return {
    wallet: purchase.wallet,
    steps: inOrder(steps),
    openQuestions,
  };
}

/**
 * Oldest first. A block's time is of another clock, and in whole seconds: an event is never listed before its
 * transaction was signed, nor after that was seen to be mined.
 */
export function inOrder(steps: readonly Step[]): Step[] {
  const signedAt = new Map<string, bigint>();
  const seenAt = new Map<string, bigint>();
  for (const { kind, txHash, atMs } of steps) {
    if (!txHash) continue;
    if (kind === "signed" || kind === "bumped") signedAt.set(txHash, atMs);
    if (kind === "mined" || kind === "final") seenAt.set(txHash, atMs);
  }
  const orderOf = ({ kind, atMs, txHash = "" }: Step) => {
    if (kind !== "chain_event") return atMs;
    const [signed = atMs, seen = atMs] = [signedAt.get(txHash), seenAt.get(txHash)];
    const notBefore = atMs < signed ? signed : atMs;
    return notBefore > seen && seen >= signed ? seen : notBefore;
  };
  return steps.toSorted((one, other) => Number(orderOf(one) - orderOf(other)));
}

function mark(atMs: bigint | null, kind: StepKind, text: string): Step[] {
  return atMs === null ? [] : [{ atMs, source: "database", kind, text }];
}

/** The invitation that its click carried, if it did. docs/product.md#invite */
async function inviteSteps(
  queries: Queries,
  { click_id, sale_id, created_at }: { click_id: string; sale_id: bigint | null; created_at: bigint },
): Promise<Step[]> {
  const invite = await queries
    .selectFrom("invites")
    .leftJoin("sales", "sales.id", "invites.friend_sale_id")
    .select([
      "invites.id",
      "bps",
      "invites.state",
      "friend_click",
      "friend_sale_id",
      "sales.status",
      "sales.declined_by",
    ])
    .where(({ eb, or }) =>
      or([
        ...[eb("friend_click", "=", click_id), eb("inviter_click", "=", click_id)],
        ...(sale_id === null ? [] : [eb("friend_sale_id", "=", sale_id), eb("inviter_sale_id", "=", sale_id)]),
      ]),
    )
    .executeTakeFirst();
  if (!invite) return [];
  const isFriend = invite.friend_click === click_id || (sale_id !== null && invite.friend_sale_id === sale_id);
  const isReturned = invite.status === "declined" || invite.declined_by !== null;
  const nothing =
    invite.state === "waiting"
      ? "; an owner has not agreed to it, so it adds nothing"
      : !isFriend && isReturned
        ? "; the friend's purchase was returned, so it adds nothing"
        : "";
  const most = `up to ${percentText(invite.bps)} % and R$ ${reaisText(INVITE_MOST_CENTS)} of the bonus`;
  const subject = isFriend ? "friend" : "inviter";
  const text = `came with invitation ${invite.id}, as the ${subject}: ${most}${nothing}`;
  return [{ atMs: created_at, source: "database", kind: "invited", subject, text }];
}

/** Its operations, with each signature and each outcome. */
async function operationSteps(queries: Queries, id: bigint) {
  const operations = await queries
    .selectFrom("operations")
    .selectAll()
    .where("subject_id", "=", id)
    .where("kind", "in", ["mint", "confirm", "cancel", "return", "pay"])
    .orderBy("id")
    .execute();
  const steps: Step[] = [];
  const openQuestions: string[] = [];
  for (const { kind: subject, amount_gwei, created_at, transaction_id, status, error } of operations) {
    const name = `${subject}${amount_gwei === null ? "" : ` of ${chzTextFromGwei(amount_gwei)} CHZ`}`;
    const amount = amount_gwei === null ? {} : { amountGwei: amount_gwei };
    steps.push({ atMs: created_at, source: "database", kind: "queued", subject, ...amount, text: `${name} queued` });
    if (transaction_id !== null) steps.push(...(await transactionSteps(queries, transaction_id, subject)));
    if (status !== "done") openQuestions.push(`${name} is ${status}${error ? `: ${error}` : ""}`);
  }
  return { steps, openQuestions };
}

async function transactionSteps(queries: Queries, transactionId: bigint, subject: string): Promise<Step[]> {
  const transaction = await queries
    .selectFrom("transactions")
    .selectAll()
    .where("id", "=", transactionId)
    .executeTakeFirstOrThrow();
  const hashes = await queries
    .selectFrom("transaction_hashes")
    .select(["hash", "created_at"])
    .where("transaction_id", "=", transactionId)
    .orderBy("created_at")
    .execute();
  const signed = hashes.map(({ hash, created_at }, index): Step => {
    const how = index === 0 ? "signed" : "signed again with a higher fee";
    return {
      atMs: created_at,
      source: "database",
      kind: index === 0 ? "signed" : "bumped",
      subject,
      txHash: hash,
      text: `${subject} ${how}: nonce ${transaction.nonce}, ${hash}`,
    };
  });
  const { status, succeeded, mined_hash, updated_at, block_number } = transaction;
  if (status === "signed") return signed;
  const outcome = { atMs: updated_at, source: "database" as const, subject };
  if (status === "void") {
    const text = `${subject} lost its nonce to a transaction that is not ours`;
    return [...signed, { ...outcome, kind: "lost_nonce", text }];
  }
  const kind = succeeded !== 1n ? "reverted" : status === "confirmed" ? "final" : "mined";
  const end = status === "confirmed" ? ", final" : "";
  const text = `${subject} ${succeeded === 1n ? "mined" : "reverted"} in block ${block_number} as ${mined_hash}${end}`;
  return [...signed, { ...outcome, kind, ...(mined_hash === null ? {} : { txHash: mined_hash }), text }];
}

/** The indexed events of its ticket. */
async function chainSteps(queries: Queries, id: bigint): Promise<Step[]> {
  const events = await queries
    .selectFrom("chain_events")
    .innerJoin("chain_blocks", "chain_blocks.number", "chain_events.block_number")
    .select(["kind", "arguments", "block_number", "transaction_hash", "timestamp"])
    .where("token_id", "=", id)
    .orderBy("block_number")
    .orderBy("log_index")
    .execute();
  return events.map(({ kind: subject, arguments: given, block_number, transaction_hash, timestamp }) => ({
    atMs: timestamp * 1_000n,
    source: "chain",
    kind: "chain_event",
    subject,
    txHash: transaction_hash,
    text: `${subject} ${given} in block ${block_number}, ${transaction_hash}`,
  }));
}

async function adjustmentSteps(queries: Queries, id: bigint): Promise<Step[]> {
  const rows = await queries
    .selectFrom("adjustments")
    .select(["amount_gwei", "created_at"])
    .where("purchase_id", "=", id)
    .orderBy("created_at")
    .execute();
  return rows.map(({ amount_gwei, created_at }) => {
    const isCredit = amount_gwei < 0n;
    const amountGwei = isCredit ? -amount_gwei : amount_gwei;
    return {
      atMs: created_at,
      source: "database",
      kind: isCredit ? "credited" : "owed_back",
      amountGwei,
      text: `${isCredit ? "credited to the buyer" : "owed back by the buyer"}: ${chzTextFromGwei(amountGwei)} CHZ`,
    };
  });
}

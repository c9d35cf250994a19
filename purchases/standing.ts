import type { Selectable } from "kysely";
import type { Schema } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { CHAIN_STATUS } from "../domain/purchase/life.ts";
import type { PurchaseState, Wait } from "../domain/purchase/standing.ts";
import { selectPurchases } from "./queries.ts";

type Operation = Selectable<Schema["operations"]>;
type NextKind = "mint" | "confirm" | "cancel" | "pay";

/** A purchase with its sale, its place in the sums, and its operations. */
export type StandingPurchase = Awaited<ReturnType<typeof readRows>>[number] & {
  operations: ReadonlyMap<NextKind, Operation>;
};

/** Purchases as the panel shows them, in no order. */
export async function readStandings(queries: Queries, ids: readonly bigint[]): Promise<StandingPurchase[]> {
  if (ids.length === 0) return [];
  const rows = await readRows(queries, ids);
  const operations = await queries
    .selectFrom("operations")
    .selectAll()
    .where("subject_id", "in", ids)
    .where("kind", "in", ["mint", "confirm", "cancel", "pay"])
    .execute();
  const byPurchase = Map.groupBy(operations, (operation) => operation.subject_id);
  return rows.map((row) => {
    const own = (byPurchase.get(row.id) ?? []).map((one) => [one.kind as NextKind, one] as const);
    return { ...row, operations: new Map(own) };
  });
}

async function readRows(queries: Queries, ids: readonly bigint[]) {
  return selectPurchases(queries)
    .leftJoin("sales", "sales.id", "purchases.sale_id")
    .select([
      ...(["purchases.held_at", "purchases.held_by", "purchases.held_reason"] as const),
      ...(["purchases.counted_status", "purchases.counted_paid_gwei"] as const),
      ...(["sales.state as sale_state", "sales.order_ref"] as const),
    ])
    .where("purchases.id", "in", ids)
    .execute();
}

/** The state that a purchase is listed under; `purchases_state` is its index. docs/product.md#panel-purchase */
export function stateOf(
  purchase: Pick<StandingPurchase, "held_at" | "settled_at" | "counted_status" | "counted_paid_gwei">,
): PurchaseState {
  if (purchase.held_at !== null && purchase.settled_at === null) return "held";
  if (purchase.counted_status === 3n) return "cancelled";
  if (purchase.counted_status === 2n) {
    if (purchase.counted_paid_gwei > 0n) return "paid";
    return purchase.settled_at === null ? "confirmed" : "settled";
  }
  return purchase.counted_status === 1n ? "pending" : "processing";
}

/** What holds everybody's payouts up. */
export type Circumstances = {
  arePayoutsPaused: boolean;
  hasRate: boolean;
  /** What is confirmed above this block is not deep enough to be paid. */
  deepestBlock: bigint;
  nowMs: bigint;
};

/** What a purchase waits for, why, and when it is expected to go on. */
export type Waiting = { wait: Wait; reason?: string | null; text?: string | null; expectedMs?: bigint };

/** Later than any date. */
const LATEST_MS = 8_640_000_000_000_000n;

/** What a purchase waits for; undefined if nothing is left to wait for. docs/product.md#panel-purchase */
export function waitingOf(purchase: StandingPurchase, circumstances: Circumstances): Waiting | undefined {
  if (purchase.settled_at !== null || purchase.payout_state !== null) return undefined;
  if (purchase.held_at !== null) return { wait: "release", reason: purchase.held_reason };
  if (purchase.sale_state === "held") return { wait: "sale_release" };
  const kind = nextKind(purchase);
  if (kind === undefined) return undefined;
  const operation = purchase.operations.get(kind);
  if (operation && operation.status !== "withdrawn" && operation.status !== "done")
    return waitingForOperation(operation, circumstances);
  return operation?.status === "done" ? { wait: "depth" } : waitingForPlan(kind, purchase, circumstances);
}

/** The transaction that its next step takes. */
function nextKind({ chain_status, reversed_at }: StandingPurchase): NextKind | undefined {
  switch (Number(chain_status ?? CHAIN_STATUS.none)) {
    case CHAIN_STATUS.none:
      return reversed_at === null ? "mint" : undefined;
    case CHAIN_STATUS.pending:
      return reversed_at === null ? "confirm" : "cancel";
    case CHAIN_STATUS.confirmed:
      return reversed_at === null ? "pay" : undefined;
    default:
      return undefined;
  }
}

function waitingForOperation(operation: Operation, { arePayoutsPaused, nowMs }: Circumstances): Waiting {
  const { kind, status, reason, error, not_before } = operation;
  const at = not_before > nowMs && not_before < LATEST_MS ? { expectedMs: not_before } : {};
  if (status === "failed") return { wait: "person", reason, text: error, ...at };
  if (kind === "pay" && arePayoutsPaused && status !== "assigned") return { wait: "payouts_paused" };
  if (status === "waiting") return { wait: "set_aside", reason, text: error, ...at };
  return { wait: "transaction", ...at };
}

/** Nothing is queued: something must happen first. */
function waitingForPlan(kind: NextKind, purchase: StandingPurchase, circumstances: Circumstances): Waiting {
  const isAutomatic = purchase.source === "simulated" || purchase.approved_at !== null;
  if ((kind === "confirm" || kind === "pay") && !isAutomatic) return { wait: "approval" };
  const needsRate = purchase.wei_per_cent === null && (kind === "confirm" || kind === "pay");
  if (needsRate && !circumstances.hasRate) return { wait: "rate" };
  if (kind !== "pay") return { wait: "planning" };
  const { payable_at } = purchase;
  if (payable_at === null && purchase.sale_id !== null) return { wait: "network_payment" };
  if (payable_at !== null && payable_at > circumstances.nowMs) return { wait: "hold", expectedMs: payable_at };
  if ((purchase.status_block ?? 0n) > circumstances.deepestBlock) return { wait: "depth" };
  return { wait: circumstances.arePayoutsPaused ? "payouts_paused" : "planning" };
}

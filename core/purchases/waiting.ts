import { type Selectable, sql } from "kysely";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import type { AccountWait } from "../rules/account/payout-gate.ts";
import { isMove, lifeOf, MOVES, type Move, moveAhead, obstacleTo, type PurchaseLife } from "../rules/purchase/life.ts";
import type { PurchaseState, Wait } from "../rules/purchase/states.ts";
import { keysOf } from "../rules/records.ts";
import { limitOf } from "../sender/queue.ts";
import { selectPurchases } from "./queries.ts";

/** The state that a purchase is listed under: the expression of the index `purchases_state`. docs/product.md#panel-purchase */
export const STATE = sql.raw<PurchaseState>(
  "(case when held_at is not null and settled_at is null then 'held' when counted_status = 3 then 'cancelled' when counted_status = 2 then case when counted_paid_gwei > 0 then 'paid' when settled_at is not null then 'settled' else 'confirmed' end when counted_status = 1 then 'pending' else 'processing' end)",
);

type Operation = Selectable<Schema["operations"]>;

/** A purchase with its sale, its counted values and its operations. */
export type PanelPurchase = Awaited<ReturnType<typeof readRows>>[number] & {
  operations: ReadonlyMap<Move, Operation>;
};

/** Purchases as the panel shows them, unordered. */
export async function readPanelPurchases(queries: Queries, ids: readonly bigint[]): Promise<PanelPurchase[]> {
  if (ids.length === 0) return [];
  const rows = await readRows(queries, ids);
  const operations = await queries
    .selectFrom("operations")
    .selectAll()
    .where("subject_id", "in", ids)
    .where("kind", "in", keysOf(MOVES))
    .execute();
  const byPurchase = Map.groupBy(operations, (operation) => operation.subject_id);
  return rows.map((row) => {
    const own = byPurchase.get(row.id) ?? [];
    return { ...row, operations: new Map(own.flatMap((one) => (isMove(one.kind) ? [[one.kind, one]] : []))) };
  });
}

async function readRows(queries: Queries, ids: readonly bigint[]) {
  return selectPurchases(queries)
    .leftJoin("sales", "sales.id", "purchases.sale_id")
    .select([...(["purchases.held_by", "purchases.held_reason", "sales.order_ref"] as const), STATE.as("state")])
    .where("purchases.id", "in", ids)
    .execute();
}

/** Conditions that delay all payouts. */
export type Circumstances = {
  arePayoutsPaused: boolean;
  hasRate: boolean;
  isLive?: boolean | undefined;
  /** Confirmations above this block are not deep enough to be paid. */
  deepestBlock: bigint;
  nowMs: bigint;
};

/** What a purchase waits for, why, and when it is expected to continue. */
export type Waiting = {
  wait: Wait;
  /** With `network_payment`: what it waits for of its account. */
  detail?: AccountWait;
  reason?: string | null;
  limit?: string | null;
  text?: string | null;
  expectedMs?: bigint;
};

/** Later than any date. */
const LATEST_MS = 8_640_000_000_000_000n;

/** What a purchase waits for; undefined if nothing is left to wait for. docs/product.md#panel-purchase */
export function waitingOf(purchase: PanelPurchase, circumstances: Circumstances): Waiting | undefined {
  if (purchase.settled_at !== null || purchase.payout_state !== null) return undefined;
  if (purchase.held_at !== null) return { wait: "release", reason: purchase.held_reason };
  if (purchase.sale_state === "held") return { wait: "sale_release" };
  const life = lifeOf(
    purchase,
    [...purchase.operations.values()].filter(({ status }) => status !== "withdrawn"),
  );
  const move = moveAhead(life);
  if (move === undefined) return undefined;
  const operation = purchase.operations.get(move);
  if (operation?.status === "done") return { wait: "depth" };
  if (operation && operation.status !== "withdrawn") return waitingForOperation(operation, circumstances);
  return waitingForPlan(move, life, circumstances);
}

function waitingForOperation(operation: Operation, { arePayoutsPaused, nowMs }: Circumstances): Waiting {
  const { kind, status, reason, error, not_before } = operation;
  const at = not_before > nowMs && not_before < LATEST_MS ? { expectedMs: not_before } : {};
  if (status === "failed") return { wait: "person", reason, text: error, ...at };
  if (kind === "pay" && arePayoutsPaused && status !== "assigned") return { wait: "payouts_paused" };
  if (status === "waiting") return { wait: "set_aside", reason, limit: limitOf(operation), text: error, ...at };
  return { wait: "transaction", ...at };
}

/** Nothing is queued because something else must happen first. */
function waitingForPlan(move: Move, life: PurchaseLife, { arePayoutsPaused, ...known }: Circumstances): Waiting {
  const obstacle = obstacleTo(move, life, { now: known.nowMs, ...known });
  switch (obstacle?.kind) {
    case "approval":
      return { wait: "approval" };
    case "second_person":
    case "second_decision":
    case "simulated":
      return { wait: obstacle.kind };
    case "rate":
      return { wait: "rate" };
    case "depth":
      return { wait: "depth" };
    case "hold":
      return obstacle.at === null ? { wait: "network_payment" } : { wait: "hold", expectedMs: obstacle.at };
    default:
      if (move === "pay" && life.accountWait !== null) return { wait: "network_payment", detail: life.accountWait };
      return { wait: move === "pay" && arePayoutsPaused ? "payouts_paused" : "planning" };
  }
}

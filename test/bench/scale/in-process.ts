import { readEnvironment } from "../../../api/environment.ts";
import { openReconcile } from "../../../api/operations/open-reconcile.ts";
import type { Database } from "../../../core/database/connect.ts";
import { makeDue } from "../../../core/purchases/due.ts";
import { planNextSteps } from "../../../core/purchases/next-step.ts";
import { fixedRate } from "../../../core/rates/rate-source.ts";
import { reconcile } from "../../../core/reconcile/reconcile.ts";
import { idsOf, jsonOf } from "../../../core/rules/records.ts";
import { round } from "./http.ts";
import { medianMs, percentile } from "./load.ts";

/** Simulated purchases have no sale, so no rule applies. */
const RULES = {
  limits: { salesPerDay: 10n, maximumCents: 1_000_000n, minimumSeconds: 5n, marginLossCents: 0n },
  mintDelayMs: 0n,
  holdMs: 0n,
  accounts: [],
  saleRefs: () => [],
  fx: { url: undefined, fixed: new Map() },
};
const DUE = 1_000;
/** Rounds before the measured ones: a new process compiles code when it first runs it, but a sender runs for weeks. */
const WARM_UP = 3;
const TIMES = 5;

/** The planner's round, as the sender does it at every poll: with nothing due, and with a thousand purchases due. */
export async function measurePlanner(database: Database): Promise<Record<string, number>> {
  const options = {
    rates: fixedRate(10n ** 16n),
    rules: RULES,
    approvals: { aboveGwei: undefined, roleOf: () => undefined },
    stepDelayMs: 0,
    payoutConfirmations: 1,
    assertLease: async () => {},
  };
  while (await planNextSteps(database, options)) {
    // Finishes the work left by the other measurements.
  }
  const plannerIdleMs = await medianMs(20, () => planNextSteps(database, options));
  const taken: number[] = [];
  for (let turn = 0; turn < WARM_UP + TIMES; turn++) {
    await endHolds(database, turn);
    const started = performance.now();
    await planNextSteps(database, options);
    taken.push(performance.now() - started);
    const queued = await countQueuedPayouts(database);
    if (queued !== (turn + 1) * DUE) throw new Error(`${queued} payouts are queued (turn ${turn})`);
  }
  return { plannerIdleMs: round(plannerIdleMs), plannerDueMs: round(percentile(taken.slice(WARM_UP), 0.5)) };
}

async function countQueuedPayouts({ kysely }: Database): Promise<number> {
  const { n } = await kysely
    .selectFrom("operations")
    .select(({ fn }) => fn.countAll<bigint>().as("n"))
    .where("kind", "=", "pay")
    .where("status", "=", "queued")
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** The next thousand purchases whose hold ends now. */
async function endHolds({ kysely }: Database, turn: number): Promise<void> {
  const ids = await kysely
    .selectFrom("purchases")
    .innerJoin("nfts", "nfts.token_id", "purchases.id")
    .select("purchases.id")
    .where("purchases.settled_at", "is", null)
    .where("purchases.payable_at", ">", BigInt(Date.now()))
    .where("nfts.status", "=", 2n)
    .orderBy("purchases.id")
    .limit(DUE)
    .execute();
  if (ids.length < DUE) throw new Error(`Only ${ids.length} purchases are in their hold (turn ${turn})`);
  await kysely.updateTable("purchases").set({ payable_at: 1n }).where("id", "in", idsOf(ids)).execute();
  await makeDue(kysely, idsOf(ids));
}

/**
 * The comparison after `change` altered a thousand tokens since the previous comparison. `before` runs before each of
 * the two.
 */
export async function measureReconcile(
  variables: Record<string, string>,
  database: Database,
  { before, change }: { before: () => Promise<void>; change: () => Promise<void> },
): Promise<Record<string, number>> {
  let calls = 0;
  const { options, nodes } = await openReconcile(readEnvironment(variables), database, (call) => {
    calls += call.calls;
  });
  await nodes.refuseWrongChain();
  await before();
  await reconcile(options);
  await before();
  await change();
  calls = 0;
  const started = performance.now();
  const result = await reconcile(options);
  const reconcileMs = performance.now() - started;
  // The distributor still holds the CHZ of the generated payouts, which counts as a surplus.
  if (result.outcome !== "agree" && result.outcome !== "surplus") throw new Error(jsonOf(result).slice(0, 1_000));
  console.log(`  ${result.tokens} tokens compared`);
  return { reconcileMs: round(reconcileMs), reconcileCalls: calls };
}

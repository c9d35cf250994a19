import { readSetting, writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import { type PauseCause, pauseCauseSchema } from "../rules/pause-cause.ts";
import { writePause } from "./payout-switch.ts";

/** Why the database may be older than the chain. */
export type RecoveryCause = PauseCause & { code: "restored" | "moved_back" | "chain_ahead" };

/**
 * Why nothing is sent: the database was restored or moved back in time, and the chain may have what it does not know;
 * undefined if it knows everything. Only `npm run restored` ends this. docs/product.md#recovery
 */
export async function readRecovery(queries: Queries): Promise<RecoveryCause | undefined> {
  const stored = await readSetting(queries, "recovery");
  // Written by `beginRecovery` alone.
  return stored ? (pauseCauseSchema.parse(JSON.parse(stored)) as RecoveryCause) : undefined;
}

/** Whether `npm run restored` has run for this database, and nothing was found since. */
export async function wasRecovered(queries: Queries): Promise<boolean> {
  return (await readSetting(queries, "recovery")) === "";
}

/** Lets nothing be sent, and pauses payouts, until `npm run restored` has run. The first cause is kept. */
export async function beginRecovery(queries: Queries, cause: RecoveryCause): Promise<void> {
  if (await readRecovery(queries)) return;
  await writeSetting(queries, "recovery", JSON.stringify(cause));
  await writePause(queries, cause);
}

/** Lets everything but payouts be sent again: a person resumes those. */
export async function endRecovery(queries: Queries): Promise<void> {
  await writeSetting(queries, "recovery", "");
  await writePause(queries, { code: "recovered" });
}

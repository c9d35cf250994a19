import { mapInTurns } from "../../core/process/in-turns.ts";
import type { Purchase } from "../../core/purchases/queries.ts";
import { type PurchaseView, toPurchaseRecord } from "../../core/purchases/view.ts";
import { readDailyRates } from "../../core/rates/daily-rates.ts";
import type { PurchaseRecord } from "../../core/rules/api/purchases.ts";
import type { Services } from "../services.ts";

/**
 * Purchases as their buyer sees them, with the usual day of what an open one waits for, and what a paid one was worth.
 * `readCredit` returns what the wallet can still withdraw, undefined if that is not known.
 */
export async function toPurchaseRecords(
  { paces, database }: Pick<Services, "paces" | "database">,
  purchases: readonly Purchase[],
  view: PurchaseView,
  readCredit: () => Promise<bigint | undefined>,
): Promise<PurchaseRecord[]> {
  const waiting = purchases.filter((one) => one.source === "live" && one.settled_at === null);
  const stores = [...new Set(waiting.map((one) => one.store_id))];
  const paidAt = purchases.flatMap((one) => one.paid_at ?? []);
  const [known, rateOf] = await Promise.all([
    Promise.all(stores.map(async (id) => [id, await paces.of(id)] as const)).then((pairs) => new Map(pairs)),
    readDailyRates(database.reader, paidAt),
  ]);
  const records = await mapInTurns(purchases, (one) => {
    const dayRate = one.paid_at === null ? undefined : rateOf(one.paid_at);
    return toPurchaseRecord(one, view, { pace: known.get(one.store_id), dayRate });
  });
  const isCredit = ({ situation }: PurchaseRecord) => situation === "credit";
  if (!records.some(isCredit) || (await readCredit()) !== 0n) return records;
  // Once it is withdrawn, nothing waits any more.
  return records.map((one) => (isCredit(one) ? { ...one, situation: "paid" } : one));
}

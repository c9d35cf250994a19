import type { Queries } from "../database/transaction.ts";
import { reaisText } from "../domain/money.ts";

/** A sale as fields of a log line: the network's status, our state, and its purchases. No buyer, no click. */
export async function saleFields(queries: Queries, saleId: bigint): Promise<Record<string, unknown>> {
  const sale = await queries.selectFrom("sales").selectAll().where("id", "=", saleId).executeTakeFirstOrThrow();
  const purchases = await queries.selectFrom("purchases").select("id").where("sale_id", "=", saleId).execute();
  const { network, account, status, state, reason } = sale;
  return {
    sale: Number(saleId),
    network,
    account,
    key: sale.sale_key,
    status,
    state,
    ...(reason ? { reason } : {}),
    ...(sale.amount_cents === null ? {} : { reais: reaisText(sale.amount_cents) }),
    purchases: purchases.map(({ id }) => Number(id)),
  };
}

import type { Kysely } from "kysely";
import type { Schema } from "../../../core/database/generated/schema.ts";
import { inTransaction } from "../../../core/database/transaction.ts";
import { attribute } from "../../../core/purchases/approvals.ts";

/** Its purchases are paid by this person's decision. */
export async function attributeSale(kysely: Kysely<Schema>, saleId: bigint, actor: string): Promise<void> {
  const purchases = await kysely.selectFrom("purchases").select("id").where("sale_id", "=", saleId).execute();
  await inTransaction(kysely, (queries) =>
    attribute(
      queries,
      purchases.map(({ id }) => id),
      actor,
    ),
  );
}

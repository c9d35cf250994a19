import type { Selectable } from "kysely";
import type { Schema } from "../database/schema.ts";
import type { HoldLimits } from "../domain/sale/hold.ts";
import type { FxRates } from "./fx.ts";

export type Sale = Selectable<Schema["sales"]>;

/** The account that reports a sale. */
export type AccountKey = { network: string; account: string };

/** What holds for all sales, unless a store says otherwise. */
export type SaleRules = {
  limits: HoldLimits;
  mintDelayMs: bigint;
  /** From the approval to the payment, for networks that do not state that they pay. */
  holdMs: bigint;
  accounts: readonly AccountKey[];
  fx: FxRates;
};

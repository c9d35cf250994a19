import type { Selectable } from "kysely";
import type { Schema } from "../database/schema.ts";
import type { HoldLimits } from "../domain/sale/hold.ts";
import type { FxRates } from "./fx.ts";

export type Sale = Selectable<Schema["sales"]>;

/** The account that reports a sale. */
export type AccountKey = { network: string; account: string };

/** Rules for all sales, unless a store overrides them. */
export type SaleRules = {
  limits: HoldLimits;
  mintDelayMs: bigint;
  /** From approval to payout, for networks that do not report payment. */
  holdMs: bigint;
  accounts: readonly AccountKey[];
  fx: FxRates;
};

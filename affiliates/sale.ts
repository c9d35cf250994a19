import type { Selectable } from "kysely";
import type { Schema } from "../database/schema.ts";
import type { HoldLimits } from "../domain/sale/hold.ts";
import type { FxRates } from "./fx.ts";

export type Sale = Selectable<Schema["sales"]>;

/** Whose reports these are. */
export type AccountKey = { network: string; account: string };

/** What holds for all sales, unless a store says otherwise. */
export type SaleRules = {
  limits: HoldLimits;
  mintDelayMs: bigint;
  /** From the approval until the payment, where a network never says that it pays. */
  holdMs: bigint;
  accounts: readonly AccountKey[];
  fx: FxRates;
};

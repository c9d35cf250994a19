import type { Selectable } from "kysely";
import type { Schema } from "../database/schema.ts";

export type Sale = Selectable<Schema["sales"]>;

export type { AccountKey, SaleRules } from "../domain/sale/rules.ts";

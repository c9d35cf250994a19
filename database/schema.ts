import type { AdministrationTables } from "./schema/administration.ts";
import type { CatalogueTables } from "./schema/catalogue.ts";
import type { ChainTables } from "./schema/chain.ts";
import type { EventTables } from "./schema/events.ts";
import type { OutboxTables } from "./schema/outbox.ts";
import type { PeopleTables } from "./schema/people.ts";
import type { PurchaseTables } from "./schema/purchases.ts";
import type { SaleTables } from "./schema/sales.ts";

/**
 * Every column of every table, the same in SQLite and PostgreSQL. Integers are 64 bits and always bigint in TypeScript,
 * money is cents, basis points, gwei or wei as the name says, times (`*_at`) are milliseconds UTC, flags are 0n or 1n,
 * addresses and hashes are lower case.
 */
export interface Schema
  extends PeopleTables,
    CatalogueTables,
    PurchaseTables,
    SaleTables,
    EventTables,
    AdministrationTables,
    OutboxTables,
    ChainTables {
  leases: LeasesTable;
}

/** One writer at a time. */
type LeasesTable = {
  name: string;
  holder: string;
  /** Incremented for every new holder; a writer with a smaller token is rejected. */
  fencing_token: bigint;
  expires_at: bigint;
};

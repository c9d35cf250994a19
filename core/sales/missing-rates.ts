import type { Logger } from "pino";
import type { Database } from "../database/connect.ts";
import { isDatabaseAway, type Queries } from "../database/transaction.ts";
import { LeaseLostError } from "../process/lease.ts";
import { decideSales } from "../purchases/decide-sales.ts";
import { decodeReport } from "../purchases/sale-row.ts";
import type { AccountKey, SaleRules } from "../rules/sale/rules.ts";
import { fetchRate } from "./fx.ts";
import { listWithoutRate } from "./queries.ts";

const SALES_AT_ONCE = 200;

type MissingRatesOptions = {
  database: Database;
  key: AccountKey;
  rules: SaleRules;
  log: Logger;
  write: <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;
  signal?: AbortSignal;
};

/** Asks for the rates of an account's sales, and decides those that had none once there is one. docs/product.md#sales-rates */
export class MissingRates {
  readonly #options: MissingRatesOptions;
  #after = 0n;

  constructor(options: MissingRatesOptions) {
    this.#options = options;
  }

  /** A currency and day that fail cost no other one. Returns whether there is a usable rate. */
  async ask(currency: string, at: bigint): Promise<boolean> {
    const { database, rules, log } = this.#options;
    try {
      return await fetchRate(database, rules.fx, currency, at);
    } catch (error) {
      log.warn({ currency, reason: String(error) }, "The exchange rate feed fails");
      return false;
    }
  }

  /** The next sales that wait. Returns how many were decided. */
  async apply(): Promise<number> {
    const { database, key, rules, write } = this.#options;
    const sales = await listWithoutRate(database.kysely, key, SALES_AT_ONCE, this.#after);
    // From the first one again after the last: those without a rate keep no other one waiting.
    this.#after = sales.length === SALES_AT_ONCE ? (sales.at(-1)?.id ?? 0n) : 0n;
    let decided = 0;
    for (const sale of sales) {
      const at = sale.occurred_at ?? sale.created_at;
      const { currency, commissionCurrency } = decodeReport(sale.report);
      const foreign = [...new Set([currency, commissionCurrency ?? currency])].filter((one) => one !== "BRL");
      const found = await Promise.all(foreign.map((one) => this.ask(one, at)));
      if (foreign.length === 0 || !found.every(Boolean)) continue;
      try {
        await write((queries) => decideSales(queries, [sale.id], rules));
        decided += 1;
      } catch (error) {
        this.#skip(error, sale.id);
      }
    }
    return decided;
  }

  /** One sale that cannot be decided costs no other one. */
  #skip(error: unknown, id: bigint): void {
    const { key, log, signal } = this.#options;
    if (isDatabaseAway(error) || error instanceof LeaseLostError || signal?.aborted) throw error;
    log.error({ ...key, sale: Number(id), err: error }, "A sale is not applied");
  }
}

import { chzTextFromWei } from "../../domain/money.ts";
import { WEI_PER_GWEI } from "../../domain/product.ts";
import { payoutSums, readShopTotals } from "../../purchases/totals.ts";
import { readFlows } from "../../reconcile/distributor-flows.ts";
import type { Services } from "../services.ts";

export type Books = { funded: string; paid: string; withdrawn: string };

const KEPT_MS = 30_000;

/**
 * Reads the distributors' books, at most twice a minute. Deposits and withdrawals are summed from the chain, starting
 * at the last comparison of database and chain; payouts come from the index.
 */
export function booksReader(services: Services): () => Promise<Books> {
  let books: Promise<Books> | undefined;
  let readAt = 0;
  return () => {
    if (books && (readAt === 0 || Date.now() - readAt < KEPT_MS)) return books;
    readAt = 0;
    books = readBooks(services);
    books.then(
      () => {
        readAt = Date.now();
      },
      // Failures are not cached.
      () => {
        books = undefined;
      },
    );
    return books;
  };
}

async function readBooks(services: Services): Promise<Books> {
  const head = await services.client.getBlockNumber();
  const flows = await readFlows(services, head);
  const { paid } = payoutSums(await readShopTotals(services.database.kysely));
  return {
    funded: chzTextFromWei(flows.fundedWei),
    paid: chzTextFromWei(paid * WEI_PER_GWEI + flows.withdrawnWei),
    withdrawn: chzTextFromWei(flows.sweptWei),
  };
}

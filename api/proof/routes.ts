import { listNewest } from "../../core/database/newest-page.ts";
import { listPublishedBooks } from "../../core/purchases/published-books.ts";
import { payoutSums, readShopTotals } from "../../core/purchases/shop-totals.ts";
import { readFlows } from "../../core/reconcile/distributor-flows.ts";
import { addressSchema, pageQuerySchema } from "../../core/rules/api/common.ts";
import {
  booksSchema,
  walletBooksQuerySchema,
  walletBooksSchema,
  walletTicketsSchema,
} from "../../core/rules/api/proof.ts";
import { chzTextFromGwei, chzTextFromWei } from "../../core/rules/money.ts";
import { WEI_PER_GWEI } from "../../core/rules/product.ts";
import type { BookEntry } from "../../core/rules/proof.ts";
import { invalid } from "../http/api-error.ts";
import { nextBefore, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";

const KEPT_MS = 30_000;

/** Data that anyone can check against the chain. docs/product.md#proof-page */
export function proofRoutes(services: Services): Route[] {
  const readBooks = booksReader(services);
  return [
    route.get("/api/wallets/:wallet/tickets", {
      access: "anyone",
      cost: { thread: 2, node: 0, stored: 0, mail: 0 },
      summary: "A wallet's tickets and their payouts, newest first, as the index has them",
      query: pageQuerySchema,
      responses: { 200: walletTicketsSchema },
      async handle({ params, query }) {
        const wallet = addressSchema.safeParse(params.wallet);
        if (!wallet.success) throw invalid("wallet must be a wallet address: 0x and 40 hex digits", "wallet");
        const paid = services.database.reader
          .selectFrom("nfts")
          .leftJoin("payouts", "payouts.token_id", "nfts.token_id")
          .select(["nfts.token_id", "payouts.transaction_hash", "payouts.amount_gwei"])
          .where("nfts.owner", "=", wallet.data);
        const rows = await listNewest(paid, "nfts.token_id", query);
        return {
          body: {
            success: true,
            tickets: rows.map(({ token_id, transaction_hash, amount_gwei }) => ({
              token_id: Number(token_id),
              paid:
                transaction_hash === null || amount_gwei === null
                  ? null
                  : { tx: transaction_hash, amount: chzTextFromGwei(amount_gwei) },
            })),
            next_before: nextBefore(rows, query.limit, (row) => row.token_id),
          },
          headers: { "cache-control": "no-cache" },
        };
      },
    }),
    route.get("/api/proof", {
      access: "anyone",
      cost: { thread: 5, node: 4, stored: 0, mail: 0 },
      summary: "A wallet's published books, newest first: the tickets that were paid less than they say, and why",
      query: walletBooksQuerySchema,
      responses: { 200: walletBooksSchema },
      async handle({ query: { wallet, ...page } }) {
        const rows = await listPublishedBooks(services.database.reader, wallet, page);
        return {
          body: {
            success: true,
            purchases: rows.flatMap(({ id, entry }) => (entry ? [publishedEntry(id, entry)] : [])),
            next_before: nextBefore(rows, page.limit, (row) => row.id),
          },
          headers: { "cache-control": "no-cache" },
        };
      },
    }),
    route.get("/api/books", {
      access: "anyone",
      cost: { thread: 5, node: 4, stored: 0, mail: 0 },
      summary: "What was paid into the distributor, paid out as cashback and taken back",
      responses: { 200: booksSchema },
      async handle() {
        return { body: { success: true, data: await readBooks() }, headers: { "cache-control": "public, max-age=30" } };
      },
    }),
  ];
}

function publishedEntry(id: bigint, { cashbackGwei, keptGwei, owedGwei }: BookEntry) {
  return {
    token_id: Number(id),
    cashback: chzTextFromGwei(cashbackGwei),
    kept: chzTextFromGwei(keptGwei),
    owed: chzTextFromGwei(owedGwei),
  };
}

type Books = { funded: string; paid: string; withdrawn: string };

/**
 * Reads the distributors' books, at most twice a minute. Deposits and withdrawals are summed from the chain, starting
 * at the last comparison of database and chain; payouts come from the index.
 */
function booksReader(services: Services): () => Promise<Books> {
  let books: Promise<Books> | undefined;
  let readAt = 0;
  return () => {
    if (books && (readAt === 0 || performance.now() - readAt < KEPT_MS)) return books;
    readAt = 0;
    books = readBooks(services);
    books.then(
      () => {
        readAt = performance.now();
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

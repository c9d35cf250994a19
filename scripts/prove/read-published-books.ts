import { walletBooksSchema } from "../../domain/api/proof.ts";
import { parseDecimal } from "../../domain/money.ts";
import type { BookEntry, ProofBooks } from "../../domain/proof.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { askOutside } from "../../platform/outside.ts";
import { UsageError } from "../../platform/usage-error.ts";

const GWEI_DECIMALS = 9;

/** A wallet's books from a site's `/api/proof`, all pages. @throws UsageError if the address does not answer with books */
export async function readPublishedBooks(address: string, wallet: WalletAddress): Promise<ProofBooks> {
  const books = new Map<bigint, BookEntry>();
  for (let before: number | null | undefined; before !== null; ) {
    const url = new URL(address);
    url.searchParams.set("wallet", wallet);
    if (before !== undefined) url.searchParams.set("before", String(before));
    const { status, json } = await askOutside(url);
    const page = walletBooksSchema.safeParse(json);
    if (!page.success) throw new UsageError(`${url} answers ${status}, and not with a wallet's books`);
    const gwei = (chz: string) => parseDecimal(chz, GWEI_DECIMALS);
    for (const { token_id, cashback, kept, owed } of page.data.purchases) {
      books.set(BigInt(token_id), { cashbackGwei: gwei(cashback), keptGwei: gwei(kept), owedGwei: gwei(owed) });
    }
    // Ids fall from page to page: one that does not would never end.
    const next: number | null = page.data.next_before;
    if (next !== null && before !== undefined && next >= before) throw new UsageError(`${url} repeats a page`);
    before = next;
  }
  return books;
}

import type { Database } from "../database/connect.ts";
import { keysOf } from "../domain/records.ts";
import { fold, type Nft, type Payout } from "./fold.ts";
import { readEventsOf, readTokenIds } from "./store/chain-index.ts";
import { nftRow, payoutRow } from "./store/rows.ts";

const TOKENS_AT_ONCE = 500;

/** One line for each ticket or payout that differs from a new fold of the stored events. */
export async function* foldDifferences(database: Database, signal: AbortSignal): AsyncGenerator<string> {
  for (let after = -1n; !signal.aborted; ) {
    const tokenIds = await readTokenIds(database, { after, count: TOKENS_AT_ONCE });
    const last = tokenIds.at(-1);
    if (last === undefined) return;
    after = last;
    const { events, timestamps } = await readEventsOf(database.kysely, tokenIds);
    const { nfts, payouts } = fold(events, timestamps);
    yield* differing("ticket", await readNfts(database, tokenIds), nfts, (nft: Nft) => nftRow(nft));
    yield* differing("payout", await readPayouts(database, tokenIds), payouts, (payout: Payout) => payoutRow(payout));
  }
}

function* differing<Folded, Row extends { token_id: bigint }>(
  what: string,
  rows: readonly Row[],
  folded: ReadonlyMap<bigint, Folded>,
  rowOf: (folded: Folded) => Row,
): Generator<string> {
  const stored = new Map(rows.map((row) => [row.token_id, row]));
  for (const [tokenId, one] of folded) {
    const wanted = rowOf(one);
    const row = stored.get(tokenId);
    if (!row) yield `${what} ${tokenId}: missing`;
    else {
      const wrong = keysOf(wanted).filter((column) => row[column] !== wanted[column]);
      for (const column of wrong) {
        yield `${what} ${tokenId}: ${column} is ${row[column]}, its events say ${wanted[column]}`;
      }
    }
  }
  for (const tokenId of stored.keys()) if (!folded.has(tokenId)) yield `${what} ${tokenId}: without events`;
}

function readNfts({ kysely }: Database, tokenIds: readonly bigint[]) {
  return kysely.selectFrom("nfts").selectAll().where("token_id", "in", tokenIds).execute();
}

function readPayouts({ kysely }: Database, tokenIds: readonly bigint[]) {
  return kysely.selectFrom("payouts").selectAll().where("token_id", "in", tokenIds).execute();
}

import { type Contracts, ticketContractsOf } from "../chain/deployment.ts";
import { cashbackDistributorAbi } from "../chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../chain/generated/purchase-nft.ts";
import { unpackPurchase } from "../chain/packed-purchase.ts";
import { ticketContractOf } from "../purchases/view.ts";
import { type LedgerRow, listLedger, listOddPayouts, listOtherTickets } from "./ledger.ts";
import type { ReconcileOptions } from "./reconcile.ts";
import { readAccepted } from "./unclaimed.ts";

/** Ids in one call to the node: 8 million gas, far below what nodes allow a call. */
export const IDS_PER_CALL = 2_000;
const ITEM_ID_OFFSET = 96n;
const IDS_PER_WORD = 256n;
/** Words of paid bits per call: the init code of a contract creation is limited in size. */
const WORDS_PER_CALL = 128;

/** Pages of token and payout ids to compare. */
export type IdPages = AsyncIterable<readonly bigint[]> | Iterable<readonly bigint[]>;

/** One sentence about what is wrong with a token or a purchase. */
export type TokenDifference = { tokenId: bigint; text: string };

/** Tickets without a purchase: those that an operator knows, and the others, each of which is a difference. */
export type Unclaimed = { accepted: number; unknown: number };

/** Compares the index and the purchases of some ids with the chain's records at a block. */
export async function compareTokens(
  options: ReconcileOptions,
  block: bigint,
  pages: IdPages,
): Promise<{ tokens: number; unclaimed: Unclaimed; differences: TokenDifference[] }> {
  const accepted = await readAccepted(options.database.kysely, options.contracts);
  const differences: TokenDifference[] = [];
  let tokens = 0;
  const unclaimed: Unclaimed = { accepted: 0, unknown: 0 };
  for await (const page of pages) {
    for (let start = 0; start < page.length; start += IDS_PER_CALL) {
      const ids = page.slice(start, start + IDS_PER_CALL);
      const rows = await listLedger(options.database.kysely, ids);
      const records = await readRecords(options, ids, block);
      tokens += rows.length;
      differences.push(...compareRecords(options.contracts, ids, rows, records));
      const without = rows.filter(({ claim }) => !claim);
      const unknown = without.filter(({ mintedBlock }) => mintedBlock > accepted).map(({ tokenId }) => tokenId);
      unclaimed.accepted += without.length - unknown.length;
      unclaimed.unknown += unknown.length;
      differences.push(...unknown.map((tokenId) => ({ tokenId, text: `Ticket ${tokenId} has no purchase` })));
      const others = await listOtherTickets(options.database.kysely, ids);
      differences.push(
        ...others.map(({ tokenId, other }) => ({
          tokenId,
          text: `Ticket ${other} carries the reference of purchase ${tokenId}'s sale, and is not its purchase`,
        })),
      );
    }
    differences.push(...(await comparePaidBits(options, page, block)));
    const odd = await listOddPayouts(options.database.kysely, page, { after: accepted });
    differences.push(...odd.map(({ tokenId, reason }) => ({ tokenId, text: `Purchase ${tokenId} ${reason}` })));
  }
  return { tokens, unclaimed, differences };
}

/** What each tickets' contract stores for each id, as one word; 0 if it never minted it. */
async function readRecords(
  { client, contracts }: ReconcileOptions,
  ids: readonly bigint[],
  blockNumber: bigint,
): Promise<(readonly bigint[])[]> {
  const args = [ids.map((id) => id << ITEM_ID_OFFSET)] as const;
  return Promise.all(
    ticketContractsOf(contracts).map((address) =>
      client.readContract({ address, abi: purchaseNftAbi, functionName: "purchasesOfItems", args, blockNumber }),
    ),
  );
}

function compareRecords(
  contracts: Contracts,
  ids: readonly bigint[],
  rows: readonly LedgerRow[],
  records: readonly (readonly bigint[])[],
): TokenDifference[] {
  const byId = new Map(rows.map((row) => [row.tokenId, row]));
  const addresses = ticketContractsOf(contracts);
  return ids.flatMap((id, index) => {
    const row = byId.get(id);
    const own = row && addresses.indexOf(ticketContractOf(contracts, row));
    const elsewhere = addresses.filter((_, of) => of !== own && (records[of]?.[index] ?? 0n) !== 0n);
    const texts = row ? compareToken(row, records[own ?? 0]?.[index] ?? 0n) : [];
    for (const address of elsewhere)
      texts.push(row ? `Token ${id} is on ${address} too` : `Token ${id} is on the chain, but not in the index`);
    return texts.map((text) => ({ tokenId: id, text }));
  });
}

function compareToken(row: LedgerRow, record: bigint): string[] {
  if (record === 0n) return [`Token ${row.tokenId} is in the index, but not on the chain`];
  const onChain = unpackPurchase(record);
  const differences: string[] = [];
  const compare = (what: string, indexed: unknown, stored: unknown) => {
    if (indexed !== stored)
      differences.push(`Token ${row.tokenId}: ${what} is ${indexed} in the index and ${stored} on the chain`);
  };
  // The contract forgets the owner of a burnt one; `Transfer` names it.
  if (!onChain.isBurnt) compare("buyer", row.owner, onChain.buyer);
  compare("store", row.storeId, onChain.storeId);
  compare("value in cents", row.valueCents, onChain.valueCents);
  compare("cashback", row.cashbackBps, onChain.cashbackBps);
  compare("bonus", row.bonusBps, onChain.bonusBps);
  compare("status", row.status, onChain.status);
  const { claim } = row;
  if (!claim) return differences;
  const isSame =
    claim.wallet === row.owner &&
    claim.amountCents === row.valueCents &&
    claim.cashbackBps === row.cashbackBps &&
    claim.bonusBps === row.bonusBps &&
    claim.saleRef === row.saleRef;
  if (!isSame)
    differences.push(`Token ${row.tokenId} was minted on other terms than purchase ${row.tokenId} was registered on`);
  return differences;
}

async function comparePaidBits(
  options: ReconcileOptions,
  ids: readonly bigint[],
  block: bigint,
): Promise<TokenDifference[]> {
  const words = [...new Set(ids.map((id) => id / IDS_PER_WORD))];
  const bits = new Map<bigint, bigint>();
  for (let start = 0; start < words.length; start += WORDS_PER_CALL) {
    const some = words.slice(start, start + WORDS_PER_CALL);
    for (const [index, word] of (await readPaidWords(options, some, block)).entries())
      bits.set(some[index] ?? 0n, word);
  }
  const rows = await options.database.kysely
    .selectFrom("payouts")
    .select("token_id")
    .where("token_id", "in", ids)
    .execute();
  const paid = new Set(rows.map((row) => row.token_id));
  return ids.flatMap((id) => {
    const isPaid = (((bits.get(id / IDS_PER_WORD) ?? 0n) >> (id % IDS_PER_WORD)) & 1n) === 1n;
    // No purchase has id 0; its bit is set at construction.
    if (id === 0n || isPaid === paid.has(id)) return [];
    const text = `Purchase ${id} is ${isPaid ? "" : "not "}paid on the chain, and ${isPaid ? "not " : ""}in the index`;
    return [{ tokenId: id, text }];
  });
}

/** Reads many words with one `eth_call`, which runs the init code of a helper contract that is never deployed. */
async function readPaidWords(
  { client, contracts }: ReconcileOptions,
  words: readonly bigint[],
  blockNumber: bigint,
): Promise<bigint[]> {
  return client.multicall({
    contracts: words.map((word) => ({
      address: contracts.cashbackDistributor,
      abi: cashbackDistributorAbi,
      functionName: "paidWord" as const,
      args: [word] as const,
    })),
    allowFailure: false,
    batchSize: 0,
    deployless: true,
    blockNumber,
  });
}

import type { Contracts } from "../chain/deployment.ts";
import { cashbackDistributorAbi } from "../chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../chain/generated/purchase-nft.ts";
import { indexedBlock } from "../database/chain-cursor.ts";
import type { Database } from "../database/connect.ts";
import { chzTextFromWei } from "../domain/money.ts";
import { WEI_PER_GWEI } from "../domain/product.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import type { ChainClient } from "../platform/rpc/chain-client.ts";
import { assertMinedIsCounted } from "../sender/head-reader.ts";
import { readFlows } from "./distributor-flows.ts";
import { highestConfirmedNonce, highestIds, type LedgerRow, listLedger, listOddPayouts, sumPayouts } from "./ledger.ts";

export type ReconcileOptions = {
  database: Database;
  client: ChainClient;
  contracts: Contracts;
  /** The hot wallet. */
  sender: WalletAddress;
  /** The first block that can contain an event of the distributor. */
  startBlock: bigint;
};

export type Reconciliation = {
  block: bigint;
  tokens: number;
  /** A sentence each. */
  differences: string[];
};

/** The reason for pausing payouts after a comparison. */
export function pausingReason(firstDifference: string): string {
  return `Database and chain differ: ${firstDifference}`;
}

const PAGE = 500;
const IDS_PER_WORD = 256n;
/** How often the comparison is repeated if the chain advances meanwhile. */
const ATTEMPTS = 4;

/**
 * Compares the database with the chain at the last indexed block: every token, every status, every paid bit,
 * the distributor's balance and the nonces. Lists every difference and repairs none.
 */
export async function reconcile(options: ReconcileOptions): Promise<Reconciliation> {
  let last: Reconciliation | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const before = await indexedBlock(options.database.kysely);
    if (before === undefined) return { block: 0n, tokens: 0, differences: [] };
    last = await compareAt(options, before);
    const after = await indexedBlock(options.database.kysely);
    // Rows of later blocks may have been compared with the chain at an earlier one.
    if (last.differences.length === 0 || after === before) return last;
  }
  return last ?? { block: 0n, tokens: 0, differences: [] };
}

async function compareAt(options: ReconcileOptions, block: bigint): Promise<Reconciliation> {
  const tokens = await compareTokens(options, block);
  const differences = [
    ...tokens.differences,
    ...(await comparePaidBits(options, block, tokens.paid)),
    ...(await listOddPayouts(options.database.kysely)).map(({ tokenId, reason }) => `Purchase ${tokenId} ${reason}`),
    ...(await compareBalance(options, block)),
    ...(await compareNonces(options)),
  ];
  return { block, tokens: tokens.count, differences };
}

async function compareTokens(options: ReconcileOptions, block: bigint) {
  const differences: string[] = [];
  const paid = new Set<bigint>();
  let count = 0;
  for (let after = 0n; ; ) {
    const rows = await listLedger(options.database.kysely, after, PAGE);
    const records = await Promise.all(rows.map((row) => readRecord(options, row.tokenId, block)));
    for (const [index, row] of rows.entries()) {
      differences.push(...compareToken(row, records[index]));
      if (row.isPaid) paid.add(row.tokenId);
    }
    count += rows.length;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) break;
    after = last.tokenId;
  }
  differences.push(...(await findUnindexedTokens(options, block)));
  return { differences, paid, count };
}

async function readRecord({ client, contracts }: ReconcileOptions, tokenId: bigint, blockNumber: bigint) {
  try {
    return await client.readContract({
      address: contracts.purchaseNft,
      abi: purchaseNftAbi,
      functionName: "purchaseOf",
      args: [tokenId],
      blockNumber,
    });
  } catch (error) {
    if (error instanceof Error && /UnknownPurchase/.test(error.message)) return undefined;
    throw error;
  }
}

function compareToken(row: LedgerRow, record: Awaited<ReturnType<typeof readRecord>>): string[] {
  if (!record) return [`Token ${row.tokenId} is in the index, but not on the chain`];
  const differences: string[] = [];
  const compare = (what: string, indexed: unknown, onChain: unknown) => {
    if (indexed !== onChain)
      differences.push(`Token ${row.tokenId}: ${what} is ${indexed} in the index and ${onChain} on the chain`);
  };
  compare("buyer", row.owner, record.buyer.toLowerCase());
  compare("store", Number(row.storeId), record.storeId);
  compare("value in cents", Number(row.valueCents), record.valueCents);
  compare("cashback", Number(row.cashbackBps), record.cashbackBps);
  compare("bonus", Number(row.bonusBps), record.bonusBps);
  compare("status", Number(row.status), record.status);
  const { claim } = row;
  if (!claim) return differences;
  const isSame =
    claim.wallet === row.owner &&
    claim.amountCents === row.valueCents &&
    claim.cashbackBps === row.cashbackBps &&
    claim.bonusBps === row.bonusBps;
  if (!isSame)
    differences.push(`Token ${row.tokenId} was minted on other terms than purchase ${row.tokenId} was registered on`);
  return differences;
}

/** Purchases on the chain that the index missed. */
async function findUnindexedTokens(options: ReconcileOptions, block: bigint): Promise<string[]> {
  const { kysely } = options.database;
  const differences: string[] = [];
  for (let after = 0n; ; ) {
    const rows = await kysely
      .selectFrom("purchases")
      .leftJoin("nfts", "nfts.token_id", "purchases.id")
      .select("purchases.id")
      .where("nfts.token_id", "is", null)
      .where("purchases.id", ">", after)
      .orderBy("purchases.id")
      .limit(PAGE)
      .execute();
    const records = await Promise.all(rows.map((row) => readRecord(options, row.id, block)));
    for (const [index, row] of rows.entries()) {
      if (records[index]) differences.push(`Token ${row.id} is on the chain, but not in the index`);
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return differences;
    after = last.id;
  }
}

async function comparePaidBits(
  options: ReconcileOptions,
  blockNumber: bigint,
  paid: ReadonlySet<bigint>,
): Promise<string[]> {
  const highest = await highestIds(options.database.kysely);
  const lastWord = (highest.purchase > highest.token ? highest.purchase : highest.token) / IDS_PER_WORD;
  const differences: string[] = [];
  for (let word = 0n; word <= lastWord; word++) {
    const bits = await options.client.readContract({
      address: options.contracts.cashbackDistributor,
      abi: cashbackDistributorAbi,
      functionName: "paidWord",
      args: [word],
      blockNumber,
    });
    for (let bit = 0n; bit < IDS_PER_WORD; bit++) {
      const id = word * IDS_PER_WORD + bit;
      const isPaid = ((bits >> bit) & 1n) === 1n;
      // No purchase has the id 0; its bit is set from the start.
      if (id === 0n || isPaid === paid.has(id)) continue;
      differences.push(
        `Purchase ${id} is ${isPaid ? "" : "not "}paid on the chain, and ${isPaid ? "not " : ""}in the index`,
      );
    }
  }
  return differences;
}

async function compareBalance(options: ReconcileOptions, blockNumber: bigint): Promise<string[]> {
  const { client, contracts, database } = options;
  const flows = await readFlows(options, blockNumber);
  const { paidGwei } = await sumPayouts(database.kysely);
  const expected = flows.fundedWei - flows.sweptWei - flows.withdrawnWei - paidGwei * WEI_PER_GWEI;
  const balance = await client.getBalance({ address: contracts.cashbackDistributor, blockNumber });
  if (balance === expected) return [];
  // CHZ can be forced into a contract without an event, so only a shortfall is an error.
  const direction = balance > expected ? "more" : "less";
  const difference = balance > expected ? balance - expected : expected - balance;
  return [
    `The distributor holds ${chzTextFromWei(difference)} CHZ ${direction} than funded − paid − swept − withdrawn says (${chzTextFromWei(balance)} CHZ)`,
  ];
}

/** Transactions that are not final may disappear; final ones are counted by the chain. */
async function compareNonces({ database, client, sender }: ReconcileOptions): Promise<string[]> {
  const highest = await highestConfirmedNonce(database.kysely, sender);
  if (highest === undefined) return [];
  const count = await client.onOneNode(async (node) => {
    const number = await node.getBlockNumber();
    const nonce = BigInt(await node.getTransactionCount({ address: sender, blockNumber: number }));
    await assertMinedIsCounted(node, database.kysely, { wallet: sender, number, nonce });
    return nonce;
  });
  if (count > highest) return [];
  return [`The chain has ${count} transactions of the operator, but nonce ${highest} counts as confirmed here`];
}

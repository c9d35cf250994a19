import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import { encodeFunctionData, keccak256, toHex } from "viem";
import type { Contracts } from "../chain/deployment.ts";
import { cashbackDistributorAbi } from "../chain/generated/cashback-distributor.ts";
import { predecessor, purchaseNftAbi } from "../chain/generated/purchase-nft.ts";
import { readRevert } from "../chain/revert.ts";
import { dayOf } from "../database/day-totals.ts";
import type { Schema } from "../database/generated/schema.ts";
import { touchUsers } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import type { ChainClient } from "../process/rpc/chain-client.ts";
import { BIG_DAY_MS } from "../rules/iso-time.ts";
import { WEI_PER_GWEI } from "../rules/product.ts";
import { CHAIN_STATUS } from "../rules/purchase/life.ts";
import { idsOf } from "../rules/records.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import type { Allowance, DayShare } from "../sender/dispatch.ts";
import type { Encoder } from "../sender/encoder.ts";
import type { Operation } from "../sender/queue.ts";
import { refusalOf } from "../sender/refusals.ts";
import { decideSales } from "./decide-sales.ts";
import { lockPurchasesWithSales } from "./locks.ts";
import { salesOf } from "./queries.ts";
import { ticketContractOf } from "./view.ts";

const GAS = {
  transaction: 60_000n,
  mint: 90_000n,
  metadataWord: 36_000n,
  moveStatus: 16_000n,
  /** A recipient whose code uses all its gas, so that its payout becomes a credit. */
  payout: 130_000n,
  /** The distributor requires this much gas before its last recipient. */
  lastPayout: 120_000n,
} as const;

/**
 * Upper bounds on the gas of a batch, at least a fifth above what the contracts need at their largest input; unused gas
 * is not charged. `test/contracts/gas-limits.test.ts` measures it.
 */
export const gasLimits = {
  mint(metadataUris: readonly string[]): bigint {
    const words = metadataUris
      .filter((uri) => uri !== "")
      .reduce((sum, uri) => sum + 2 + Math.ceil(Buffer.byteLength(uri) / 32), 0);
    return GAS.transaction + BigInt(metadataUris.length) * GAS.mint + BigInt(words) * GAS.metadataWord;
  },
  moveStatus: (count: number): bigint => GAS.transaction + BigInt(count) * GAS.moveStatus,
  payout: (count: number): bigint => GAS.transaction + GAS.lastPayout + BigInt(count) * GAS.payout,
};

/** Id and amount share one word of a batch of payouts. */
const ITEM_ID_OFFSET = 96n;

export type PurchaseEncoderOptions = {
  contracts: Contracts;
  client: ChainClient;
  payer: WalletAddress;
  rules: SaleRules;
};

/** Encodes the steps of a purchase to contract calls, the most urgent for buyers first. */
export function purchaseEncoders(options: PurchaseEncoderOptions): Encoder[] {
  const { contracts, rules } = options;
  const encoders = [
    payEncoder(options),
    { ...moveEncoder("confirm", options), listUnwanted: listUnpayable(rules) },
    moveEncoder("cancel", options),
    mintEncoder(contracts),
    returnEncoder(options),
  ];
  return encoders.map(
    (encoder): Encoder => ({
      ...encoder,
      // Waits for a concurrent return, which is seen then.
      lock: async (queries, operations) => {
        await lockPurchasesWithSales(queries, subjectsOf(operations));
      },
      reconsider: async (queries, operations) => {
        await decideSales(queries, await salesOf(queries, subjectsOf(operations)), rules);
      },
    }),
  );
}

function mintEncoder({ purchaseNft }: Contracts): Encoder {
  return {
    kind: "mint",
    async encode(queries, operations) {
      const rows = await queries
        .selectFrom("purchases")
        .selectAll()
        .where("id", "in", subjectsOf(operations))
        .orderBy("id")
        .execute();
      const purchases = rows.map((row) => ({
        id: row.id,
        buyer: row.wallet,
        storeId: Number(row.store_id),
        valueCents: Number(row.amount_cents),
        baseBps: Number(row.cashback_bps),
        bonusBps: Number(row.bonus_bps),
        saleRef: BigInt.asUintN(64, row.sale_ref),
      }));
      const uris = rows.map((row) => row.metadata_uri);
      const args = [purchases, uris.some((uri) => uri !== "") ? uris : []] as const;
      return {
        to: purchaseNft,
        data: encodeFunctionData({ abi: purchaseNftAbi, functionName: "mintBatch", args }),
        gasLimit: gasLimits.mint(uris),
      };
    },
    readRefusal: refusalOfMint,
    listUnwanted: listReversed,
  };
}

/** What moves the status of tickets, and what it makes of them. */
const STATUS_MOVES = {
  confirm: { call: "confirm", to: CHAIN_STATUS.confirmed },
  cancel: { call: "cancel", to: CHAIN_STATUS.cancelled },
  return: { call: "markReturned", to: CHAIN_STATUS.returned },
} as const;

/** A ticket's status moves at the contract that minted it. */
function moveEncoder(kind: keyof typeof STATUS_MOVES, { contracts }: PurchaseEncoderOptions): Encoder {
  const { call, to: wanted } = STATUS_MOVES[kind];
  return {
    kind,
    async listTogether(queries, operations) {
      const places = await readTicketContracts(queries, contracts, operations);
      const placeOf = (operation: Operation | undefined) => places.get(operation?.subject_id ?? 0n);
      return operations.filter((operation) => placeOf(operation) === placeOf(operations[0]));
    },
    async encode(queries, operations) {
      const [to = contracts.purchaseNft, ...others] = new Set(
        (await readTicketContracts(queries, contracts, operations)).values(),
      );
      if (others.length > 0) throw new Error("These tickets are of several contracts: take them by `listTogether`");
      return {
        to,
        data: encodeFunctionData({ abi: purchaseNftAbi, functionName: call, args: [subjectsOf(operations)] }),
        gasLimit: gasLimits.moveStatus(operations.length),
      };
    },
    async readRefusal(_queries, revert, operations) {
      if (revert.name !== "NotPending" && revert.name !== "NotConfirmed") return refusalOf(revert, operations);
      const status = Number(revert.args[1]);
      if (status === wanted) return refusalOf(revert, operations, "done");
      const isAhead = status < (revert.name === "NotPending" ? CHAIN_STATUS.pending : CHAIN_STATUS.confirmed);
      return refusalOf(revert, operations, isAhead ? "not_ready" : "never");
    },
  };
}

/** Only of the current contract, and not of 1.0.0's, which knows no such status. docs/product.md#return-final */
function returnEncoder(options: PurchaseEncoderOptions): Encoder {
  const { contracts, client } = options;
  let isKnown: boolean | undefined;
  return {
    ...moveEncoder("return", options),
    async listUnwanted(queries, operations, { isLocked }) {
      if (operations.length === 0) return [];
      isKnown ??= await knowsReturns(client, contracts);
      const places = await readTicketContracts(queries, contracts, operations);
      // Its sale may have come back.
      const restored = await listOfPurchases(queries, operations, { isLocked }, ({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("sales")
              .select("sales.id")
              .whereRef("sales.id", "=", "purchases.sale_id")
              .where("sales.state", "=", "declined"),
          ),
        ),
      );
      const isOfCurrent = ({ subject_id }: Operation) => isKnown && places.get(subject_id) === contracts.purchaseNft;
      return operations.filter((one) => !isOfCurrent(one) || restored.includes(one));
    },
  };
}

async function knowsReturns(client: ChainClient, { purchaseNft: address }: Contracts): Promise<boolean> {
  try {
    await client.readContract({ address, abi: [predecessor], functionName: "predecessor" });
    return true;
  } catch (error) {
    if (readRevert(error)) return false;
    throw error;
  }
}

function payEncoder(options: PurchaseEncoderOptions): Encoder {
  return {
    kind: "pay",
    // The distributor emits the rate once per batch, so that anyone can verify each payout in it.
    async listTogether(queries, operations) {
      const rates = await readRates(queries, operations);
      const rateOf = (operation: Operation | undefined) => rates.get(operation?.subject_id ?? 0n);
      return operations.filter((operation) => rateOf(operation) === rateOf(operations[0]));
    },
    async encode(queries, operations) {
      const [weiPerCent = 0n, ...others] = new Set((await readRates(queries, operations)).values());
      if (others.length > 0) throw new Error("A payout batch has one rate: take its operations by `listTogether`");
      const items = operations.map(
        (operation) => (operation.subject_id << ITEM_ID_OFFSET) | ((operation.amount_gwei ?? 0n) * WEI_PER_GWEI),
      );
      return {
        to: options.contracts.cashbackDistributor,
        data: encodeFunctionData({ abi: cashbackDistributorAbi, functionName: "payBatch", args: [items, weiPerCent] }),
        gasLimit: gasLimits.payout(items.length),
      };
    },
    readRefusal: refusalOfPayout,
    listUnwanted: listUnpayable(options.rules),
    async readAllowance(queries) {
      const { dailyCap, ...limits } = await readPayoutAllowance(options);
      const sent = await sumInFlight(queries);
      const shares = await readDayShares(queries, dailyCap);
      return { ...limits, dayLeft: limits.dayLeft - sent, pool: limits.pool - sent, shares };
    },
    async listAboveRate(queries, operations, maxWeiPerCent) {
      const rates = await readRates(queries, operations);
      return operations.filter((operation) => (rates.get(operation.subject_id) ?? 0n) > maxWeiPerCent);
    },
  };
}

const refusalOfMint: Encoder["readRefusal"] = async (queries, revert, operations) => {
  if (revert.name === "UnknownStore") {
    const storeId = BigInt(Number(revert.args[0] ?? 0));
    const ofStore = await listOfStore(queries, operations, storeId);
    return {
      ...refusalOf(revert, operations, "store_unknown", ofStore),
      prerequisite: { kind: "register_store", subjectId: storeId },
    };
  }
  return refusalOf(revert, operations, revert.name === "AlreadyMinted" ? "done" : undefined);
};

const refusalOfPayout: Encoder["readRefusal"] = async (_queries, revert, operations) => {
  switch (revert.name) {
    case "AlreadyPaid":
      return refusalOf(revert, operations, "done");
    case "NotConfirmed":
      return refusalOf(revert, operations, Number(revert.args[1]) >= CHAIN_STATUS.cancelled ? "never" : "not_ready");
    case "AboveMaxPayout":
      return refusalOf(revert, operations, "max_payout");
    case "AboveDailyCap":
      return refusalOf(revert, operations, "day_cap", "unnamed");
    case "InsufficientFunds":
      return refusalOf(revert, operations, "pool_empty", "unnamed");
    case "RateTooHigh":
      return refusalOf(revert, operations, "rate_too_high", "unnamed");
    default:
      return refusalOf(revert, operations);
  }
};

type ListUnwanted = NonNullable<Encoder["listUnwanted"]>;

/** Returned purchases, which are no longer minted, confirmed or paid. */
const listReversed: ListUnwanted = (queries, operations, options) =>
  listOfPurchases(queries, operations, options, (where) => where("reversed_at", "is not", null));

/** Returned purchases, those held by an admin, and in live mode those that were simulated. */
function listUnpayable({ isLive }: SaleRules): ListUnwanted {
  return (queries, operations, options) =>
    listOfPurchases(queries, operations, options, (where) =>
      where.or([
        where("reversed_at", "is not", null),
        where("held_at", "is not", null),
        ...(isLive ? [where("source", "=", "simulated")] : []),
      ]),
    );
}

async function listOfPurchases(
  queries: Queries,
  operations: readonly Operation[],
  { isLocked }: { isLocked: boolean },
  isUnwanted: (where: ExpressionBuilder<Schema, "purchases">) => Expression<SqlBool>,
): Promise<Operation[]> {
  if (operations.length === 0) return [];
  const select = () =>
    queries.selectFrom("purchases").select(["id", "wallet"]).where("id", "in", subjectsOf(operations));
  if (isLocked) await touchUsers(queries, new Set((await select().execute()).map((row) => row.wallet)));
  const ids = new Set((await select().where(isUnwanted).execute()).map((row) => row.id));
  return operations.filter((operation) => ids.has(operation.subject_id));
}

async function readRates(queries: Queries, operations: readonly Operation[]): Promise<Map<bigint, bigint>> {
  if (operations.length === 0) return new Map();
  const rows = await queries
    .selectFrom("purchases")
    .select(["id", "wei_per_cent"])
    .where("id", "in", subjectsOf(operations))
    .execute();
  return new Map(rows.map((row) => [row.id, row.wei_per_cent ?? 0n]));
}

/** The contract of each of these purchases' tickets; one that is not indexed yet is of the current one. */
async function readTicketContracts(
  queries: Queries,
  contracts: Contracts,
  operations: readonly Operation[],
): Promise<Map<bigint, WalletAddress>> {
  const places = new Map(subjectsOf(operations).map((id) => [id, contracts.purchaseNft]));
  if (!contracts.formerPurchaseNfts?.length) return places;
  const rows = await queries
    .selectFrom("nfts")
    .select(["token_id", "contract"])
    .where("token_id", "in", subjectsOf(operations))
    .execute();
  for (const row of rows) places.set(row.token_id, ticketContractOf(contracts, row));
  return places;
}

async function listOfStore(queries: Queries, operations: readonly Operation[], storeId: bigint): Promise<Operation[]> {
  const rows = await queries
    .selectFrom("purchases")
    .select("id")
    .where("store_id", "=", storeId)
    .where("id", "in", subjectsOf(operations))
    .execute();
  const ids = new Set(idsOf(rows));
  return operations.filter((operation) => ids.has(operation.subject_id));
}

function subjectsOf(operations: readonly Operation[]): bigint[] {
  return operations.map((operation) => operation.subject_id);
}

// Limits of payouts ----------------------------------------------------------------------------------------------------

const PAYER_ROLE = keccak256(toHex("PAYER_ROLE"));
const CLOSED_RETRY_MS = 30_000n;

/** The distributor's current limits, with its daily cap in gwei. */
export async function readPayoutAllowance({
  client,
  contracts,
  payer,
}: Omit<PurchaseEncoderOptions, "rules">): Promise<Omit<Allowance, "shares"> & { dailyCap: bigint }> {
  const distributor = { address: contracts.cashbackDistributor, abi: cashbackDistributorAbi } as const;
  const [limits, spentToday, available, isRetired, isPaused, isPayer] = await Promise.all([
    client.readContract({ ...distributor, functionName: "limits" }),
    client.readContract({ ...distributor, functionName: "spentToday" }),
    client.readContract({ ...distributor, functionName: "available" }),
    client.readContract({ ...distributor, functionName: "isRetired" }),
    client.readContract({ ...distributor, functionName: "paused" }),
    client.readContract({ ...distributor, functionName: "hasRole", args: [PAYER_ROLE, payer] }),
  ]);
  return {
    ...closedBy({ isRetired, isPaused, isPayer, payer }),
    maxWeiPerCent: limits.maxWeiPerCent,
    maxPayout: limits.maxPayout / WEI_PER_GWEI,
    dayLeft: (limits.dailyCap - spentToday) / WEI_PER_GWEI,
    dayEndsInMs: BIG_DAY_MS - (BigInt(Date.now()) % BIG_DAY_MS),
    pool: available / WEI_PER_GWEI,
    dailyCap: limits.dailyCap / WEI_PER_GWEI,
  };
}

function closedBy({
  isRetired,
  isPaused,
  isPayer,
  payer,
}: Record<"isRetired" | "isPaused" | "isPayer", boolean> & { payer: string }): Pick<Allowance, "closed"> {
  const closed = (reason: "retired" | "paused" | "role_missing", text: string) => {
    return { closed: { kind: "later" as const, reason, text, afterMs: CLOSED_RETRY_MS } };
  };
  if (isRetired) return closed("retired", "DistributorRetired: start the api with the successor's address");
  if (isPaused) return closed("paused", "EnforcedPause: the distributor is paused");
  if (!isPayer)
    return closed("role_missing", `AccessControlUnauthorizedAccount: the payer's wallet ${payer} lacks PAYER_ROLE`);
  return {};
}

/** The gwei of payouts in transactions that have no receipt yet. */
async function sumInFlight(queries: Queries): Promise<bigint> {
  const row = await queries
    .selectFrom("operations")
    .innerJoin("transactions", "transactions.id", "operations.transaction_id")
    .select(sql<bigint | string | null>`sum(operations.amount_gwei)`.as("gwei"))
    .where("operations.status", "=", "assigned")
    .where("operations.kind", "=", "pay")
    .where("transactions.status", "=", "signed")
    .executeTakeFirst();
  return BigInt(row?.gwei ?? 0n);
}

const WHOLE_PERCENT = 100n;

/**
 * What each account has left of its share of the day's cap, and the smallest payout of it that waits.
 * docs/product.md#day-share
 */
export async function readDayShares(queries: Queries, capGwei: bigint): Promise<Map<bigint, DayShare>> {
  const today = dayOf(BigInt(Date.now()));
  const smallest = (status: "queued" | "waiting", why: RawBuilder<unknown>) => sql`(select min(amount_gwei)
    from operations where share_id = account_books.id and kind = 'pay' and status = ${sql.lit(status)} and ${why})`;
  const { rows } = await sql<{
    id: bigint;
    percent: bigint;
    sent: bigint | null;
    queued: bigint | null;
    waiting: bigint | null;
  }>`
    select id, day_share_percent as percent,
      (select gwei from account_sent where day = ${today} and account_id = account_books.id) as sent,
      ${smallest("queued", sql`reason is null`)} as queued,
      ${smallest("waiting", sql`reason = 'day_cap'`)} as waiting
    from account_books order by id`.execute(queries);
  return new Map(
    rows.map(({ id, percent, sent, queued, waiting }) => [
      id,
      { leftGwei: (capGwei * percent) / WHOLE_PERCENT - (sent ?? 0n), smallestGwei: smallestOf(queued, waiting) },
    ]),
  );
}

function smallestOf(one: bigint | null, other: bigint | null): bigint | undefined {
  if (one === null || other === null) return one ?? other ?? undefined;
  return one < other ? one : other;
}

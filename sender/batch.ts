import { BaseError, ContractFunctionRevertedError, decodeErrorResult, encodeFunctionData, type Hex } from "viem";
import { cashbackDistributorAbi } from "../chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../chain/generated/purchase-nft.ts";
import type { OperationKind } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { WEI_PER_GWEI } from "../domain/product.ts";
import { CHAIN_STATUS } from "../domain/purchase/life.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import type { Operation } from "./queue.ts";

export type Contracts = { purchaseNft: WalletAddress; cashbackDistributor: WalletAddress };

/** One call for several operations. */
export type Batch = { to: WalletAddress; data: Hex; gasLimit: bigint };

/** In the order in which they are sent: what others wait for first. The store kinds go one by one. */
export const OPERATION_KINDS: readonly OperationKind[] = [
  "register_store",
  "rename_store",
  "pay",
  "confirm",
  "cancel",
  "mint",
];

/** Upper bounds, measured with room; what is not used is not charged. */
const GAS = {
  transaction: 60_000n,
  mint: 90_000n,
  metadataWord: 23_000n,
  leavePending: 16_000n,
  payment: 62_000n,
  /** The distributor wants this much left before its last recipient. */
  lastPayment: 120_000n,
  store: 150_000n,
} as const;

/** Id and amount share a word of a payment batch. */
const ITEM_ID_OFFSET = 96n;

/** Encodes operations of one kind into the contracts' batch call. Reads what their rows leave out. */
export async function buildBatch(
  queries: Queries,
  contracts: Contracts,
  kind: OperationKind,
  operations: readonly Operation[],
): Promise<Batch> {
  const ids = operations.map((operation) => operation.subject_id);
  const count = BigInt(operations.length);
  if (kind === "mint") return mintBatch(queries, contracts, ids);
  if (kind === "confirm" || kind === "cancel") {
    return {
      to: contracts.purchaseNft,
      data: encodeFunctionData({ abi: purchaseNftAbi, functionName: kind, args: [ids] }),
      gasLimit: GAS.transaction + count * GAS.leavePending,
    };
  }
  if (kind === "pay") return payBatch(queries, contracts, operations);
  const storeId = Number(ids[0]);
  const { name } = await queries
    .selectFrom("stores")
    .select("name")
    .where("id", "=", BigInt(storeId))
    .executeTakeFirstOrThrow();
  const functionName = kind === "register_store" ? "registerStore" : "renameStore";
  return {
    to: contracts.purchaseNft,
    data: encodeFunctionData({ abi: purchaseNftAbi, functionName, args: [storeId, name] }),
    gasLimit: GAS.transaction + GAS.store,
  };
}

async function mintBatch(queries: Queries, contracts: Contracts, ids: readonly bigint[]): Promise<Batch> {
  const rows = await queries.selectFrom("purchases").selectAll().where("id", "in", ids).orderBy("id").execute();
  const purchases = rows.map((row) => ({
    id: row.id,
    buyer: row.wallet,
    storeId: Number(row.store_id),
    valueCents: Number(row.amount_cents),
    cashbackBps: Number(row.cashback_bps),
    bonusBps: Number(row.bonus_bps),
    metadataUri: row.metadata_uri,
  }));
  const metadataGas = rows
    .filter((row) => row.metadata_uri !== "")
    .reduce((sum, row) => sum + GAS.metadataWord * BigInt(2 + Math.ceil(Buffer.byteLength(row.metadata_uri) / 32)), 0n);
  return {
    to: contracts.purchaseNft,
    data: encodeFunctionData({ abi: purchaseNftAbi, functionName: "mintBatch", args: [purchases] }),
    gasLimit: GAS.transaction + BigInt(purchases.length) * GAS.mint + metadataGas,
  };
}

async function payBatch(queries: Queries, contracts: Contracts, operations: readonly Operation[]): Promise<Batch> {
  // The bound that the contract checks each amount by is the highest rate that was frozen for one of them.
  const rows = await queries
    .selectFrom("purchases")
    .select("wei_per_cent")
    .where(
      "id",
      "in",
      operations.map((operation) => operation.subject_id),
    )
    .execute();
  const weiPerCent = rows.reduce(
    (highest, row) => ((row.wei_per_cent ?? 0n) > highest ? (row.wei_per_cent ?? 0n) : highest),
    0n,
  );
  const items = operations.map(
    (operation) => (operation.subject_id << ITEM_ID_OFFSET) | ((operation.amount_gwei ?? 0n) * WEI_PER_GWEI),
  );
  return {
    to: contracts.cashbackDistributor,
    data: encodeFunctionData({ abi: cashbackDistributorAbi, functionName: "payBatch", args: [items, weiPerCent] }),
    gasLimit: GAS.transaction + GAS.lastPayment + BigInt(items.length) * GAS.payment,
  };
}

/** Why the contracts refuse a batch, and what that means for the operation at fault. */
export type Refusal =
  | { kind: "done"; subjectId: bigint }
  | { kind: "later"; subjectId: bigint; reason: string }
  | { kind: "failed"; subjectId: bigint; reason: string }
  | { kind: "unknown_store"; storeId: bigint }
  | { kind: "all_later"; reason: string };

/** Reads a revert of a batch call; undefined where the error is no revert, but a node that is away. */
export function readRefusal(kind: OperationKind, error: unknown, subjects: readonly bigint[]): Refusal | undefined {
  const revert = revertOf(error);
  if (!revert) return undefined;
  const [first, second] = revert.args.map((argument) =>
    typeof argument === "object" ? 0n : BigInt(argument as bigint | number | string),
  );
  const subjectId = first ?? 0n;
  const reason = `${revert.name}(${revert.args.map(String).join(", ")})`;
  switch (revert.name) {
    case "AlreadyMinted":
    case "AlreadyPaid":
      return { kind: "done", subjectId };
    case "StoreAlreadyRegistered":
      return { kind: "done", subjectId };
    case "NotPending":
      return readNotPending(kind, subjectId, Number(second), reason);
    case "NotConfirmed":
    case "UnknownPurchase":
      return { kind: "later", subjectId, reason };
    case "UnknownStore":
      return { kind: "unknown_store", storeId: subjectId };
    case "InvalidPurchaseId":
    case "InvalidBuyer":
    case "ZeroValue":
    case "PercentTooHigh":
    case "MetadataUriTooLong":
    case "ZeroAmount":
    case "AboveCashback":
    case "AboveMaxPayout":
      return { kind: "failed", subjectId, reason };
    case "InvalidStoreName":
      return { kind: "failed", subjectId: subjects[0] ?? 0n, reason };
    default:
      // Paused, over the day's cap, out of funds, a role that is missing: an operator's matter, nobody's loss.
      return { kind: "all_later", reason };
  }
}

function readNotPending(kind: OperationKind, subjectId: bigint, status: number, reason: string): Refusal {
  if (status === CHAIN_STATUS.none) return { kind: "later", subjectId, reason };
  const wanted = kind === "confirm" ? CHAIN_STATUS.confirmed : CHAIN_STATUS.cancelled;
  return status === wanted ? { kind: "done", subjectId } : { kind: "failed", subjectId, reason };
}

function revertOf(error: unknown): { name: string; args: readonly unknown[] } | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (reverted instanceof ContractFunctionRevertedError && reverted.data) {
    return { name: reverted.data.errorName, args: reverted.data.args ?? [] };
  }
  const data = revertData(error);
  if (data === undefined) return undefined;
  for (const abi of [purchaseNftAbi, cashbackDistributorAbi]) {
    try {
      const decoded = decodeErrorResult({ abi, data });
      return { name: decoded.errorName, args: (decoded.args ?? []) as readonly unknown[] };
    } catch {
      // Not an error of this contract.
    }
  }
  return { name: "Revert", args: [] };
}

function revertData(error: BaseError): Hex | undefined {
  let found: Hex | undefined;
  error.walk((cause) => {
    const data = (cause as { data?: unknown }).data;
    const hex = typeof data === "object" && data !== null ? (data as { data?: unknown }).data : data;
    if (typeof hex === "string" && hex.startsWith("0x")) found = hex as Hex;
    return false;
  });
  if (found !== undefined) return found;
  return /revert/i.test(error.message) && !/fetch failed|timed out/i.test(error.message) ? "0x" : undefined;
}

import { type Abi, BaseError, ContractFunctionRevertedError, decodeErrorResult, type Hex, isHex } from "viem";
import { isRecord } from "../rules/records.ts";
import { cashbackDistributorAbi } from "./generated/cashback-distributor.ts";
import { purchaseNftAbi } from "./generated/purchase-nft.ts";

/** `name` without the prefix that says which contract reverted: `AlreadyPaid` of `CashbackDistributor_AlreadyPaid`. */
export type Revert = { name: string; args: readonly unknown[] };

const ABIS: readonly Abi[] = [purchaseNftAbi, cashbackDistributorAbi];

/** Decodes a revert of our contracts from a client's error; undefined if the node did not respond. */
export function readRevert(error: unknown): Revert | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (reverted instanceof ContractFunctionRevertedError && reverted.data) {
    return { name: withoutPlace(reverted.data.errorName), args: reverted.data.args ?? [] };
  }
  const data = revertData(error);
  if (data === undefined) return undefined;
  for (const abi of ABIS) {
    try {
      const decoded = decodeErrorResult({ abi, data });
      return { name: withoutPlace(decoded.errorName), args: decoded.args ?? [] };
    } catch {
      // Not an error of this contract.
    }
  }
  return { name: "Revert", args: [] };
}

function withoutPlace(errorName: string): string {
  return errorName.slice(errorName.indexOf("_") + 1);
}

function revertData(error: BaseError): Hex | undefined {
  let found: Hex | undefined;
  error.walk((cause) => {
    const data = isRecord(cause) ? cause.data : undefined;
    const hex = isRecord(data) ? data.data : data;
    if (isHex(hex, { strict: false })) found = hex;
    return false;
  });
  if (found !== undefined) return found;
  return /revert|out ?of ?gas/i.test(error.message) && !/fetch failed|timed out/i.test(error.message)
    ? "0x"
    : undefined;
}

import { type Abi, BaseError, ContractFunctionRevertedError, decodeErrorResult, type Hex } from "viem";
import { cashbackDistributorAbi } from "./generated/cashback-distributor.ts";
import { purchaseNftAbi } from "./generated/purchase-nft.ts";

export type Revert = { name: string; args: readonly unknown[] };

const ABIS: readonly Abi[] = [purchaseNftAbi, cashbackDistributorAbi];

/** Decodes a revert of our contracts from a client's error; undefined if the node did not respond. */
export function readRevert(error: unknown): Revert | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (reverted instanceof ContractFunctionRevertedError && reverted.data) {
    return { name: reverted.data.errorName, args: reverted.data.args ?? [] };
  }
  const data = revertData(error);
  if (data === undefined) return undefined;
  for (const abi of ABIS) {
    try {
      const decoded = decodeErrorResult({ abi, data });
      return { name: decoded.errorName, args: decoded.args ?? [] };
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
  return /revert|out ?of ?gas/i.test(error.message) && !/fetch failed|timed out/i.test(error.message)
    ? "0x"
    : undefined;
}

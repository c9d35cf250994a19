import { decodeFunctionData, encodeFunctionData, getAddress, type Hex, isAddress, isHex } from "viem";
import { withdrawCredit } from "../../../core/chain/generated/cashback-distributor.ts";
import { isRecord } from "../../../core/rules/records.ts";
import { INVALID_PARAMETERS, UNAUTHORIZED } from "../errors.ts";
import { ProviderError } from "../provider-error.ts";

/** What a transaction does, in the three forms that this wallet signs. */
export type Meaning =
  | { kind: "chz"; to: Hex; wei: bigint }
  | { kind: "withdraw"; to: Hex }
  | { kind: "token"; to: Hex; units: bigint; symbol: string; contract: Hex };

export type WantedTransaction = {
  to: Hex;
  value: bigint;
  data: Hex;
  gas?: bigint;
  maxFeePerGas?: bigint;
  maxPriorityFeePerGas?: bigint;
  meaning: Meaning;
};

export type Surroundings = {
  own: string;
  chainId: number;
  /** The contracts that hold credits, in lower case. */
  distributors: readonly string[];
  /** Fan tokens of the catalogue. */
  tokens: readonly { contract: string; symbol: string }[];
};

const EMPTY = "0x";

/** Of ERC-20. */
const transfer = {
  type: "function",
  name: "transfer",
  stateMutability: "nonpayable",
  inputs: [
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
  ],
  outputs: [{ type: "bool" }],
} as const;

/**
 * A transaction as a page asks for it, if it is of this chain and account and one of: a plain transfer of CHZ, a
 * withdrawal of a credit, a transfer of a fan token of the catalogue. Nothing else is signed, whatever it may be called.
 * @throws ProviderError -32602 or 4100
 */
export function readTransaction(given: unknown, around: Surroundings): WantedTransaction {
  if (!isRecord(given)) throw new ProviderError(INVALID_PARAMETERS, "A transaction is wanted.");
  const { from, to, chainId } = given;
  if (typeof from !== "string" || from.toLowerCase() !== around.own)
    throw new ProviderError(UNAUTHORIZED, "Unauthorized account.");
  if (chainId !== undefined && Number(chainId) !== around.chainId)
    throw new ProviderError(UNAUTHORIZED, "This wallet knows one network only.");
  if (typeof to !== "string" || !isAddress(to))
    throw new ProviderError(INVALID_PARAMETERS, "An address is wanted in `to`.");
  const data = given.data ?? given.input ?? EMPTY;
  if (!isHex(data)) throw new ProviderError(INVALID_PARAMETERS, "`data` is not hexadecimal.");
  const value = amount(given.value) ?? 0n;
  return {
    to: getAddress(to),
    value,
    data,
    gas: amount(given.gas),
    maxFeePerGas: amount(given.maxFeePerGas),
    maxPriorityFeePerGas: amount(given.maxPriorityFeePerGas),
    meaning: meaningOf({ to: getAddress(to), value, data }, around),
  };
}

function amount(given: unknown): bigint | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isHex(given)) throw new ProviderError(INVALID_PARAMETERS, "Amounts are hexadecimal.");
  return BigInt(given);
}

function meaningOf({ to, value, data }: { to: Hex; value: bigint; data: Hex }, around: Surroundings): Meaning {
  if (data === EMPTY) return { kind: "chz", to, wei: value };
  const contract = to.toLowerCase();
  const token = around.tokens.find((one) => one.contract.toLowerCase() === contract);
  try {
    if (value === 0n && around.distributors.includes(contract)) {
      const { args } = decodeFunctionData({ abi: [withdrawCredit], data });
      if (isSame(encodeFunctionData({ abi: [withdrawCredit], args }), data)) return { kind: "withdraw", to: args[0] };
    }
    if (value === 0n && token) {
      const { args } = decodeFunctionData({ abi: [transfer], data });
      const [receiver, units] = args;
      if (isSame(encodeFunctionData({ abi: [transfer], args }), data))
        return { kind: "token", to: receiver, units, symbol: token.symbol, contract: to };
    }
  } catch {
    // No function that is signed here.
  }
  throw new ProviderError(UNAUTHORIZED, "This wallet sends CHZ, fan tokens of the shop and withdrawals only.");
}

/** Nothing stands before, between or behind what is said of it. */
const isSame = (said: Hex, given: Hex): boolean => said === given.toLowerCase();

import {
  type Hex,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializableEIP1559,
  type TransactionSerializedEIP1559,
  toHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { askOutside } from "../process/outside.ts";
import type { Signer } from "../process/signer.ts";
import { isRecord } from "../rules/records.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import { explanationOf } from "../rules/unknown-error.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/** A wallet that signs the sender's transactions. */
export type SigningAccount = {
  address: WalletAddress;
  signTransaction(transaction: TransactionSerializableEIP1559): Promise<Hex>;
};

/** The signing service is unavailable, refuses, or signed something other than requested. */
export class SignerError extends TorcidaError {
  override readonly docs = "docs/product.md#signers";
  /** Whether it answered and refused this one transaction. */
  readonly isRefusal: boolean;

  constructor(message: string, { isRefusal = false } = {}) {
    super(message);
    this.isRefusal = isRefusal;
  }
}

/** Kept short because a database transaction waits meanwhile. */
const TIMEOUT_MS = 2_000;

/** The wallet of a signer. */
export function openAccount(signer: Signer): SigningAccount {
  const { address } = signer;
  if (signer.kind === "service") {
    return { address, signTransaction: (transaction) => signRemotely(signer, transaction) };
  }
  const account = privateKeyToAccount(signer.privateKey);
  return { address, signTransaction: (transaction) => account.signTransaction(transaction) };
}

/**
 * `eth_signTransaction` as in Web3Signer. Rejects a result that is not exactly the requested transaction, signed by the
 * requested account.
 */
async function signRemotely(
  { url, address }: Signer & { kind: "service" },
  transaction: TransactionSerializableEIP1559,
): Promise<Hex> {
  const host = new URL(url).host;
  const quantity = (value: bigint | number | undefined) => toHex(value ?? 0);
  const result = await call(url, "eth_signTransaction", [
    {
      from: address,
      to: transaction.to,
      data: transaction.data ?? "0x",
      value: quantity(transaction.value),
      gas: quantity(transaction.gas),
      nonce: quantity(transaction.nonce),
      chainId: quantity(transaction.chainId),
      type: "0x2",
      maxFeePerGas: quantity(transaction.maxFeePerGas),
      maxPriorityFeePerGas: quantity(transaction.maxPriorityFeePerGas),
    },
  ]);
  const raw = isRecord(result) ? result.raw : result;
  if (!isSerialized(raw)) throw new SignerError(`The signer ${host} did not return a signed transaction`);
  const difference = await differenceOf(raw, transaction, address);
  if (difference) {
    throw new SignerError(`The signer ${host} signed a different ${difference} than requested`, { isRefusal: true });
  }
  return raw;
}

function isSerialized(raw: unknown): raw is TransactionSerializedEIP1559 {
  return typeof raw === "string" && /^0x02[0-9a-f]+$/i.test(raw);
}

async function call(url: string, method: string, params: unknown[]): Promise<unknown> {
  const host = new URL(url).host;
  let answer: unknown;
  try {
    const { text } = await askOutside(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    answer = JSON.parse(text);
  } catch (error) {
    const reason = explanationOf(error);
    throw new SignerError(`The signer ${host} does not answer (${reason}): check OPERATOR_SIGNER_URL`);
  }
  const { result, error }: Record<string, unknown> = isRecord(answer) ? answer : {};
  if (error) {
    const reason = isRecord(error) ? error.message : undefined;
    throw new SignerError(`The signer ${host} refused: ${reason ?? "no reason given"}`, { isRefusal: true });
  }
  return result;
}

/** The difference between a signed transaction and the requested one; undefined if there is none. */
async function differenceOf(
  raw: TransactionSerializedEIP1559,
  wanted: TransactionSerializableEIP1559,
  address: WalletAddress,
): Promise<string | undefined> {
  let signed: ReturnType<typeof parseTransaction<TransactionSerializedEIP1559>>;
  try {
    signed = parseTransaction(raw);
  } catch {
    return "form";
  }
  const fields = ["to", "data", "value", "gas", "nonce", "chainId", "maxFeePerGas", "maxPriorityFeePerGas"] as const;
  const textOf = (value: unknown) => (value === undefined || value === "0x" ? "0" : String(value).toLowerCase());
  const different = fields.find((field) => textOf(signed[field]) !== textOf(wanted[field]));
  if (different) return different;
  if (signed.accessList && signed.accessList.length > 0) return "accessList";
  const signedBy = await recoverTransactionAddress({ serializedTransaction: raw }).catch(() => "");
  return signedBy.toLowerCase() === address ? undefined : "account";
}

import { isRecord } from "../../core/rules/records.ts";

/** EIP-1193 and EIP-1474 codes with their own messages. */
export const REJECTED = 4001;
export const REQUEST_PENDING = -32002;
export const UNKNOWN_CHAIN = 4902;
export const INVALID_PARAMETERS = -32602;
export const INTERNAL = -32603;
export const UNAUTHORIZED = 4100;
export const UNSUPPORTED = 4200;

/** Every code in the chain of an error's causes; wagmi and mobile wallets hide the original one at its end. */
export function errorCodes(error: unknown): number[] {
  const codes: number[] = [];
  let current: unknown = error;
  for (let depth = 0; isRecord(current) && depth < 8; depth++) {
    const { code, data, cause } = current;
    if (typeof code === "number") codes.push(code);
    const original = isRecord(data) && isRecord(data.originalError) ? data.originalError.code : undefined;
    if (typeof original === "number") codes.push(original);
    current = cause;
  }
  return codes;
}

/** A connection attempt that was abandoned; `reason` is shown unless the user closed it. */
export class AbandonedError extends Error {
  override readonly name = "AbandonedError";
  readonly reason: string | undefined;

  constructor(reason?: string) {
    super(reason);
    this.reason = reason;
  }
}

/** The wallet could not add the network; `cause` is its error. */
export class AddNetworkError extends Error {
  override readonly name = "AddNetworkError";
}

/** The signature is from another wallet. docs/product.md#sign-in. */
export class AddressMismatchError extends Error {
  override readonly name = "AddressMismatchError";
}

/** The server's challenge is for another site than this page: whoever signs it signs in there. docs/product.md#sign-in. */
export class OtherSiteError extends Error {
  override readonly name = "OtherSiteError";
}

export const hasCode = (error: unknown, code: number): boolean => errorCodes(error).includes(code);

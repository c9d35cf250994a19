import { setTimeout as delay } from "node:timers/promises";
import { BaseError } from "viem";
import { distributorsOf } from "../../core/chain/deployment.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import type { Services } from "../services.ts";

/** A node that hangs must not hold back what the database knows. */
const BALANCES_WAIT_MS = 2_000;

/** Undefined while the chain does not answer: everything else of the profile is in the database. */
export async function unlessAway<T>({ log }: Services, read: Promise<T | undefined>): Promise<T | undefined> {
  const patience = new AbortController();
  try {
    return await Promise.race([read, delay(BALANCES_WAIT_MS, undefined, { signal: patience.signal })]);
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    log.warn({ reason: error.shortMessage }, "A wallet's balances could not be read");
    return undefined;
  } finally {
    patience.abort();
  }
}

/** The wei that a wallet can withdraw after it refused payouts; undefined while the chain does not answer. */
export function readCreditOf(services: Services, wallet: WalletAddress): Promise<bigint | undefined> {
  return unlessAway(services, services.balances.creditOf(wallet, distributorsOf(services.contracts)));
}

import type { Logger } from "pino";
import { nameReader } from "../catalogue/chain-names.ts";
import { storeEncoders } from "../catalogue/encoders.ts";
import type { Contracts } from "../chain/deployment.ts";
import type { Database } from "../database/connect.ts";
import { NETWORK_RULES } from "../platform/networks.ts";
import type { ChainClient } from "../platform/rpc/chain-client.ts";
import { purchaseEncoders } from "../purchases/encoders.ts";
import { planNextSteps } from "../purchases/next-step.ts";
import type { RateSource } from "../rates/rate-source.ts";
import { openAccount } from "../sender/account.ts";
import type { PayoutSwitch } from "../sender/payout-switch.ts";
import { Sender } from "../sender/sender.ts";
import type { ApiEnvironment } from "./environment.ts";

type Parts = {
  environment: ApiEnvironment;
  database: Database;
  client: ChainClient;
  contracts: Contracts;
  rates: RateSource;
  payouts: PayoutSwitch;
  log: Logger;
};

/** The sender with its encoders: store names and the steps of purchases. */
export function createSender({ environment, database, client, contracts, rates, payouts, log }: Parts): Sender {
  const account = openAccount(environment.operator);
  const payer = account.address;
  return new Sender({
    database,
    client,
    account,
    chainId: environment.CHAIN_ID,
    encoders: [
      ...storeEncoders(contracts, nameReader(client, contracts)),
      ...purchaseEncoders({ contracts, client, payer }),
    ],
    plan: (assertLease) =>
      planNextSteps(database, {
        rates,
        stepDelayMs: environment.SIMULATED_STEP_DELAY_MS,
        holdMs: environment.HOLD_SECONDS * 1_000,
        payoutConfirmations: environment.PAYOUT_CONFIRMATIONS,
        assertLease,
      }),
    payouts,
    log,
    confirmations: environment.CONFIRMATIONS,
    batchSize: environment.BATCH_SIZE,
    batchAgeMs: environment.BATCH_AGE_MS,
    maxFeeGwei: environment.MAX_FEE_GWEI,
    feeBumpAfterMs: environment.FEE_BUMP_AFTER_MS,
    pollMs: NETWORK_RULES[environment.network].pollMs,
  });
}

import type { Logger } from "pino";
import { nameReader } from "../core/catalogue/chain-names.ts";
import { storeEncoders } from "../core/catalogue/encoders.ts";
import type { Contracts } from "../core/chain/deployment.ts";
import type { Database } from "../core/database/connect.ts";
import type { OperationKind } from "../core/database/operations.ts";
import { NETWORK_RULES } from "../core/process/network-rules.ts";
import type { ChainClient } from "../core/process/rpc/chain-client.ts";
import type { KeyName, SigningKey } from "../core/process/signing-keys.ts";
import type { ApprovalRules } from "../core/purchases/approvals.ts";
import { purchaseEncoders } from "../core/purchases/encoders.ts";
import { Planner } from "../core/purchases/next-step.ts";
import type { RateSource } from "../core/rates/rate-source.ts";
import type { SaleRules } from "../core/rules/sale/rules.ts";
import { openAccount } from "../core/sender/account.ts";
import type { PayoutSwitch } from "../core/sender/payout-switch.ts";
import { Sender, Senders } from "../core/sender/sender.ts";
import type { ApiEnvironment } from "./environment.ts";

type Parts = {
  environment: ApiEnvironment;
  database: Database;
  client: ChainClient;
  contracts: Contracts;
  rates: RateSource;
  payouts: PayoutSwitch;
  saleRules: SaleRules;
  approvals: ApprovalRules;
  log: Logger;
};

const KINDS: Record<KeyName, readonly OperationKind[]> = {
  operator: ["register_store", "rename_store", "set_store_look"],
  minter: ["mint"],
  confirmer: ["confirm", "cancel", "return"],
  payer: ["pay"],
};

/** The senders of the keys that this process signs with, and their encoders: store names and the steps of purchases. */
export function createSenders({
  environment,
  database,
  client,
  contracts,
  rates,
  payouts,
  saleRules,
  approvals,
  log,
}: Parts): Senders {
  const { keys } = environment;
  const payer = ownerOf("payer", keys).address;
  const encoders = [
    ...storeEncoders(contracts, nameReader(client, contracts)),
    ...purchaseEncoders({ contracts, client, payer, rules: saleRules }),
  ];
  const planner = new Planner(database, {
    rates,
    rules: saleRules,
    approvals,
    stepDelayMs: environment.SIMULATED_STEP_DELAY_MS,
    payoutConfirmations: environment.PAYOUT_CONFIRMATIONS,
  });
  const senders = keys.flatMap(({ name, parts, signer }) => {
    if (!signer) return [];
    return new Sender({
      database,
      client,
      contracts,
      key: name,
      account: openAccount(signer),
      siblings: keys.filter((key) => key.name !== name).map((key) => key.address),
      encoders,
      kinds: new Set(parts.flatMap((part) => KINDS[part])),
      planner,
      payouts,
      log,
      ...settingsOf(environment),
    });
  });
  return new Senders(senders, keys);
}

function settingsOf(environment: ApiEnvironment) {
  return {
    chainId: environment.CHAIN_ID,
    confirmations: environment.CONFIRMATIONS,
    batchSize: environment.BATCH_SIZE,
    batchAgeMs: environment.BATCH_AGE_MS,
    maxFeeGwei: environment.MAX_FEE_GWEI,
    feeBumpAfterMs: environment.FEE_BUMP_AFTER_MS,
    pollMs: NETWORK_RULES[environment.network].pollMs,
    blockMs: NETWORK_RULES[environment.network].blockMs,
  };
}

/** The key that acts as `part`. */
function ownerOf(part: KeyName, keys: readonly SigningKey[]): SigningKey {
  const key = keys.find(({ parts }) => parts.includes(part));
  if (!key) throw new Error(`No key is the ${part}`);
  return key;
}

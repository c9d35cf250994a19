import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pino from "pino";
import { privateKeyToAccount } from "viem/accounts";
import { readDeployment } from "../chain/deployment.ts";
import { connect, type Database, DatabaseUnavailableError } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { BalanceReader } from "./chain/balances.ts";
import { checkChainIds, createChainClient, WrongChainError } from "./chain/chain-client.ts";
import { type ApiEnvironment, EnvironmentError, readEnvironment } from "./environment.ts";
import { createApp } from "./http/app.ts";
import { Metrics } from "./operations/metrics.ts";
import { PayoutSwitch } from "./payout-switch.ts";
import { httpRate } from "./rate/http-rate.ts";
import { fixedRate, type RateSource } from "./rate/rate-source.ts";
import { allRoutes } from "./routes.ts";
import type { Contracts } from "./sender/batch.ts";
import { Sender } from "./sender/sender.ts";
import type { Services } from "./services.ts";
import { serveFrontend } from "./site/serve-frontend.ts";

const FRONTEND = fileURLToPath(new URL("../dist/frontend", import.meta.url));
const SHUTDOWN_MS = 9_000;
const LOCAL_POLL_MS = 100;
const POLL_MS = 1_000;

/** A sentence for the operator; the process does not start. */
class StartError extends Error {}

try {
  await main();
} catch (error) {
  const isOperators =
    error instanceof EnvironmentError ||
    error instanceof DatabaseUnavailableError ||
    error instanceof WrongChainError ||
    error instanceof StartError;
  process.stderr.write(
    `${isOperators ? (error as Error).message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
}

async function main(): Promise<void> {
  const environment = readEnvironment(process.env);
  const log = pino({ level: environment.LOG_LEVEL, base: { process: "api" } });
  const contracts = readContracts(environment);
  await checkChainIds(environment.RPC_URLS, environment.CHAIN_ID);
  const database = await openDatabase(environment.DATABASE_URL);
  const services = createServices({ environment, log, contracts, database });
  const metrics = new Metrics(services.sender.status);
  const app = createApp({
    services,
    metrics,
    routes: allRoutes(services),
    site: serveFrontend(services, join(FRONTEND)),
  });
  const server = await listen(createServer(app), environment);
  services.sender.start();
  log.info({ port: environment.PORT, network: environment.network, database: database.location }, "The api answers");
  endOnSignals(services, server);
}

function readContracts(environment: ApiEnvironment): Contracts {
  const { PURCHASE_NFT_ADDRESS: purchaseNft, CASHBACK_DISTRIBUTOR_ADDRESS: cashbackDistributor } = environment;
  if (purchaseNft && cashbackDistributor) return { purchaseNft, cashbackDistributor };
  try {
    const deployment = readDeployment(environment.network);
    const lower = (address: string) => address.toLowerCase() as WalletAddress;
    return {
      purchaseNft: purchaseNft ?? lower(deployment.purchaseNft.address),
      cashbackDistributor: cashbackDistributor ?? lower(deployment.cashbackDistributor.address),
    };
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error));
  }
}

async function openDatabase(url: string): Promise<Database> {
  const database = await connect(url);
  try {
    await migrate(database);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatabaseUnavailableError(`The database ${database.location} could not be brought up to date (${reason})`);
  }
  return database;
}

function createServices(given: {
  environment: ApiEnvironment;
  log: pino.Logger;
  contracts: Contracts;
  database: Database;
}): Services {
  const { environment, log, contracts, database } = given;
  const client = createChainClient(environment.network, environment.RPC_URLS);
  const rates = createRates(environment, log);
  const payouts = new PayoutSwitch(database, environment.PAYOUTS_PAUSED);
  const sender = new Sender({
    database,
    client,
    account: privateKeyToAccount(environment.OPERATOR_PRIVATE_KEY),
    chainId: environment.CHAIN_ID,
    contracts,
    rates,
    payouts,
    log,
    stepDelayMs: environment.SIMULATED_STEP_DELAY_MS,
    holdMs: environment.HOLD_SECONDS * 1_000,
    confirmations: environment.CONFIRMATIONS,
    payoutConfirmations: environment.PAYOUT_CONFIRMATIONS,
    batchSize: environment.BATCH_SIZE,
    batchAgeMs: environment.BATCH_AGE_MS,
    maxFeeGwei: environment.MAX_FEE_GWEI,
    feeBumpAfterMs: environment.FEE_BUMP_AFTER_MS,
    pollMs: environment.isLocal ? LOCAL_POLL_MS : POLL_MS,
  });
  return {
    environment,
    network: environment.network,
    contracts,
    database,
    client,
    balances: new BalanceReader(client),
    sender,
    rates,
    payouts,
    adminWallets: new Set(environment.ADMIN_WALLETS),
    log,
  };
}

function createRates(environment: ApiEnvironment, log: pino.Logger): RateSource {
  if (environment.RATE_URL === undefined) return fixedRate(environment.WEI_PER_CENT);
  return httpRate({
    url: environment.RATE_URL,
    maximumAgeSeconds: environment.RATE_MAX_AGE_SECONDS,
    maximumJumpPercent: environment.RATE_MAX_JUMP_PERCENT,
    log,
  });
}

function listen(server: Server, { PORT, HOST }: ApiEnvironment): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === "EADDRINUSE"
          ? `Port ${PORT} is taken: end the program that uses it, or set PORT to another`
          : `The api cannot listen on ${HOST}:${PORT} (${error.message})`;
      reject(new StartError(reason));
    });
    server.listen(PORT, HOST, () => resolve(server));
  });
}

/** Takes no new requests, finishes running ones and the sender's round, then ends; at the latest after 9 seconds. */
function endOnSignals({ sender, database, rates, log }: Services, server: Server): void {
  let isEnding = false;
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(0), SHUTDOWN_MS).unref();
    rates.stop();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await Promise.all([closed, sender.stop()]);
    await database.close();
    log.info("The api has ended");
    process.exit(0);
  };
  process.on("SIGTERM", () => void end());
  process.on("SIGINT", () => void end());
}

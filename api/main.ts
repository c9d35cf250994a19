/** The api: HTTP calls, the web app, and what is sent to the chain. docs/architecture.md. */

import type { RequestListener, Server } from "node:http";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { boundBoosts } from "../core/catalogue/boosts.ts";
import { nameReader, StoreIds } from "../core/catalogue/chain-names.ts";
import { orderByPromise } from "../core/catalogue/store-search.ts";
import { type Contracts, distributorsOf } from "../core/chain/deployment.ts";
import { signAuditBy } from "../core/database/audit-log.ts";
import { BatchLoader } from "../core/database/batching.ts";
import { connect, type Database } from "../core/database/connect.ts";
import { makeFilesPrivate } from "../core/database/private-files.ts";
import { inTransaction, type Queries } from "../core/database/transaction.ts";
import { watchFile } from "../core/database/watch-file.ts";
import { CertificateWatch } from "../core/process/certificate.ts";
import { readContracts } from "../core/process/contracts.ts";
import { erasedFileOf } from "../core/process/environment.ts";
import { failureText } from "../core/process/failure-text.ts";
import { listenOn } from "../core/process/listen.ts";
import { type Logger, openLog } from "../core/process/log.ts";
import { NETWORK_RULES } from "../core/process/network-rules.ts";
import { onceDatabaseAnswers, prepareDatabase } from "../core/process/prepare-database.ts";
import { ProcessLoad } from "../core/process/process-load.ts";
import { type ChainClient, type OpenChain, openChain } from "../core/process/rpc/chain-client.ts";
import { EveryNode } from "../core/process/rpc/every-node.ts";
import { DatabaseChainMemory } from "../core/process/rpc/node-proof.ts";
import { refuseWrongContractsLater } from "../core/process/rpc/refuse-wrong-contracts.ts";
import { keepCallLimits } from "../core/process/rpc/told-calls.ts";
import { openTracing } from "../core/process/tracing.ts";
import { oneNodeProblem, refusePlaintext } from "../core/process/trusted-nodes.ts";
import { IdGate } from "../core/purchases/id-gate.ts";
import { databaseRateMemory, httpRate } from "../core/rates/rate-feed.ts";
import { fixedRate, type RateSource } from "../core/rates/rate-source.ts";
import { TorcidaError } from "../core/rules/torcida-error.ts";
import { messageOf } from "../core/rules/unknown-error.ts";
import { accountsOf, saleRules } from "../core/sales/environment.ts";
import { type Accounts, noteAccounts } from "../core/sales/known-accounts.ts";
import { storePaces } from "../core/sales/store-pace.ts";
import { listForeign } from "../core/sender/foreign-transactions.ts";
import { PayoutSwitch } from "../core/sender/payout-switch.ts";
import { queueSummaryReader } from "../core/sender/queue.ts";
import { approvalRules, approvalsAnnouncer } from "./admin/approvals.ts";
import { tellChangedAdmins } from "./admin/changed-admins.ts";
import { BalanceReader, NodePurse } from "./chain/balances.ts";
import { createSenders } from "./create-senders.ts";
import { type ApiEnvironment, readEnvironment } from "./environment.ts";
import { createApp } from "./http/app.ts";
import { answerClientErrors, answerNotReady, readTarget } from "./http/client-errors.ts";
import { createLimitedServer } from "./http/connection-limit.ts";
import { type Cursors, openCursors } from "./http/cursors.ts";
import { leaveBalancer } from "./http/drain.ts";
import { Gate } from "./http/gate.ts";
import { startMailer } from "./mail/delivery.ts";
import { openPost } from "./mail/transport.ts";
import { startHousekeeping } from "./operations/housekeeping.ts";
import { listenForMetrics, Metrics } from "./operations/metrics.ts";
import type { Runway } from "./operations/runway.ts";
import { watchFigures } from "./operations/watched-figures.ts";
import { refuseUnwritableList } from "./people/erased-list.ts";
import { findVisitors } from "./people/sessions.ts";
import { StaffContracts } from "./people/staff-contracts.ts";
import { startPusher } from "./push/delivery.ts";
import { allRoutes } from "./routes.ts";
import type { Services } from "./services.ts";
import { readWebApp } from "./site/pages.ts";
import { serveFrontend } from "./site/serve-frontend.ts";
import { SharedFiles } from "./site/shared-files.ts";
import { readStaticFiles } from "./site/static-files.ts";

const BUILT_WEB_APP = fileURLToPath(new URL("../dist", import.meta.url));
const SHUTDOWN_MS = 9_000;
/** Keeps responses within five seconds. docs/product.md#limit-answer-time. */
const QUERY_TIMEOUT_MS = 4_000;
const LOOK_AT_FILE_EVERY_MS = 1_000;

makeFilesPrivate();
try {
  await main();
} catch (error) {
  const isDefect = error instanceof Error && !(error instanceof TorcidaError);
  process.stderr.write(`${isDefect ? error.stack : failureText(error)}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const environment = readEnvironment(process.env);
  const log = openLog(environment.LOG_LEVEL, "api");
  const endTracing = await openTracing("api", environment);
  signAuditBy(environment.SALE_REF_KEY);
  await refusePlaintext(environment.nodeSettings);
  const { startBlock, ...contracts } = readContracts(environment);
  refuseUnwritableList(erasedFileOf(environment));
  const { server, open, answerWith } = prepareServer(environment);
  const onWait = (reason: string) => {
    log.warn({ reason }, "Waiting for the database");
    // If it cannot be opened, the start fails by it below.
    open().catch(() => {});
  };
  const database = await openDatabase(environment, log, onWait);
  const announceRules = approvalsAnnouncer(environment, database, log);
  const announce = async () => {
    await boundBoosts(database.kysely, BigInt(environment.BOOST_MAX_PERCENT) * 100n);
    await orderByPromise(database.kysely, { isLive: !environment.SIMULATED_PURCHASES });
    await announceRules();
  };
  await onceDatabaseAnswers(announce, { onWait });
  const note = (queries: Queries) =>
    noteAccounts(queries, accountsOf(environment), environment.AFFILIATE_CLOSED_ACCOUNTS);
  const accounts = await onceDatabaseAnswers(() => inTransaction(database.kysely, note), { onWait });
  if (!accounts) return;
  const cursors = await openCursors(database.kysely);
  const chain = await openChain({
    network: environment.network,
    urls: environment.RPC_URLS,
    chainId: environment.CHAIN_ID,
    contract: contracts.purchaseNft,
    memory: new DatabaseChainMemory(environment.CHAIN_ID, { database }),
    log,
  });
  const teller = `api ${hostname()}:${environment.PORT}`;
  const endTelling = await keepCallLimits({ database, process: teller, nodes: chain.nodes });
  await chain.nodes.refuseWrongChain();
  await refuseWrongContractsLater(chain.nodes, contracts, (error) => endAtOnce(log, error));
  const oneNode = oneNodeProblem(environment.nodeSettings);
  if (oneNode !== undefined) log.warn({ reason: oneNode }, "One node is believed alone");
  const endWatch = chain.nodes.watch();
  const everyNode = await EveryNode.open({ urls: environment.RPC_URLS, pool: chain.nodes });
  const webDirectory = environment.WEB_DIR ?? BUILT_WEB_APP;
  const build = readWebApp(webDirectory)?.build;
  const given = { build, environment, log, database, cursors, accounts, chain, everyNode, contracts };
  const services = createServices({ ...given, startBlock: BigInt(startBlock) });
  await tellChangedAdmins(services);
  const metrics = new Metrics(services.senders, services.rates, services.nodes, services.everyNode);
  const files = new SharedFiles(database, readStaticFiles(webDirectory));
  const share = () => files.share();
  // Before a page is answered: another process may be asked for its parts.
  await onceDatabaseAnswers(share, { onWait });
  const site = serveFrontend(services, webDirectory, files);
  answerWith(createApp({ services, metrics, routes: allRoutes(services), site }));
  await open();
  const endOperations = await startOperations(services, metrics, { announceRules, share });
  services.senders.start();
  log.info(
    { port: environment.PORT, network: environment.network, database: database.location },
    "The api is listening",
  );
  endOnSignals(services, server, () => {
    endWatch();
    endTelling();
    return Promise.all([endOperations(), endTracing()]);
  });
}

/**
 * A server whose port is opened once: early, if the process has to wait, when every request gets 503 until there is an
 * app. Of a process that only starts, a balancer finds the port closed, and asks another one.
 */
function prepareServer({ RATE_LIMIT_SCALE: scale, TRUST_PROXY: trustProxy, HOST: host, PORT: port }: ApiEnvironment) {
  let answer: RequestListener = answerNotReady;
  let opened: Promise<unknown> | undefined;
  const server = createLimitedServer({ scale, trustProxy }, (request, response) => {
    if (readTarget(request)) answer(request, response);
  });
  answerClientErrors(server);
  const open = (): Promise<unknown> => {
    opened ??= listenOn(server, { host, port, variables: { host: "HOST", port: "PORT" } });
    return opened;
  };
  const answerWith = (app: RequestListener) => {
    answer = app;
  };
  return { server, open, answerWith };
}

async function openDatabase(
  environment: ApiEnvironment,
  log: Logger,
  onWait: (reason: string) => void,
): Promise<Database> {
  const { DATABASE_URL: databaseUrl, DATA_DIR: dataDirectory, network } = environment;
  await prepareDatabase({ databaseUrl, dataDirectory, network, onWait });
  const readUrl = environment.DATABASE_READ_URL;
  const database = await connect(databaseUrl, {
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    checkpointsInThread: true,
    ...(readUrl !== undefined && { readUrl }),
    onReplica: ({ isUsed, problem }) =>
      isUsed ? log.info("The replica serves reads") : log.warn({ reason: problem }, "The replica serves no reads"),
  });
  watchFile(database, LOOK_AT_FILE_EVERY_MS, (error) => endAtOnce(log, error));
  return database;
}

/** Without an orderly end, because a running request would write to a lost file, or for other contracts. */
function endAtOnce(log: Logger, error: unknown): void {
  log.fatal(messageOf(error));
  process.stderr.write(`${failureText(error)}\n`, () => process.exit(1));
}

/** Metrics and housekeeping; returns what ends both. */
async function startOperations(
  services: Services,
  metrics: Metrics,
  work: { announceRules: () => Promise<void>; share: () => Promise<void> },
): Promise<() => Promise<void>> {
  const { environment, database, senders } = services;
  let runway: Runway | undefined;
  metrics.observeOperations(services.queueSummary);
  metrics.observeGate(services.gate);
  metrics.observeForeign(async () => (await listForeign(database.kysely, senders.keys)).length);
  watchFigures(metrics.registry, services, () => (senders.isOperator ? runway : undefined));
  const { METRICS_PORT: port, HOST: host } = environment;
  const endMetrics = port ? await listenForMetrics(metrics, port, host) : () => {};
  const endHousekeeping = startHousekeeping(services, metrics, {
    ...work,
    onRunway: (read) => {
      runway = read;
    },
  });
  const endMailer = startMailer(services);
  const endPusher = startPusher(services, metrics.registry);
  return async () => {
    endMetrics();
    await Promise.all([endHousekeeping(), endMailer(), endPusher()]);
  };
}

function createServices(given: {
  build: string | undefined;
  environment: ApiEnvironment;
  log: Logger;
  contracts: Contracts;
  startBlock: bigint;
  database: Database;
  cursors: Cursors;
  accounts: Accounts;
  chain: OpenChain;
  everyNode: EveryNode;
}): Services {
  const { build, environment, log, contracts, startBlock, database, cursors, accounts, chain, everyNode } = given;
  const { client, nodes } = chain;
  const rates = createRates(environment, database, log);
  const payouts = new PayoutSwitch(database, environment.PAYOUTS_PAUSED);
  const isLive = !environment.SIMULATED_PURCHASES;
  const rules = { ...saleRules(environment, accounts.known, environment.isLocal), isLive };
  const adminWallets = new Map(environment.ADMIN_WALLETS.map(({ wallet, role }) => [wallet, role]));
  const approvals = approvalRules(environment, adminWallets);
  const parts = { environment, database, contracts, rates, payouts, approvals, log };
  const senders = createSenders({ ...parts, client: chain.clientIn("send"), saleRules: rules });
  return {
    build,
    accounts: accounts.configured,
    saleRules: rules,
    environment,
    network: environment.network,
    contracts,
    startBlock,
    database,
    client,
    nodes,
    everyNode,
    ids: new IdGate(contracts.purchaseNft, nodes),
    storeIds: new StoreIds(database, nameReader(client, contracts)),
    balances: balancesOf(environment, client, everyNode, contracts),
    visitors: new BatchLoader((tokenHashes) => findVisitors(database.kysely, tokenHashes)),
    paces: storePaces(database.reader),
    cursors,
    senders,
    rates,
    payouts,
    adminWallets,
    staffContracts: new StaffContracts(everyNode, environment.ADMIN_WALLETS),
    contractStaff: new Set(environment.ADMIN_WALLETS.flatMap(({ wallet, isContract }) => (isContract ? wallet : []))),
    approvals,
    post: openPost(environment),
    gate: new Gate(environment, database),
    drain: { isDraining: false },
    load: new ProcessLoad(),
    certificate: new CertificateWatch(environment.isLocal ? undefined : environment.PUBLIC_URL),
    queueSummary: queueSummaryReader(database.reader),
    log,
  };
}

function balancesOf(
  environment: ApiEnvironment,
  client: ChainClient,
  everyNode: EveryNode,
  contracts: Contracts,
): BalanceReader {
  const { network, NODE_CALLS_PER_SECOND, RATE_LIMIT_SCALE } = environment;
  const purse = new NodePurse(NODE_CALLS_PER_SECOND * RATE_LIMIT_SCALE);
  const { blockMs } = NETWORK_RULES[network];
  return new BalanceReader({ client, everyNode, purse, distributors: distributorsOf(contracts), blockMs });
}

function createRates(environment: ApiEnvironment, database: Database, log: Logger): RateSource {
  if (environment.RATE_URL === undefined) return fixedRate(environment.WEI_PER_CENT);
  return httpRate({
    url: environment.RATE_URL,
    refreshMs: environment.RATE_REFRESH_SECONDS * 1_000,
    maximumAgeSeconds: environment.RATE_MAX_AGE_SECONDS,
    maximumJumpPercent: environment.RATE_MAX_JUMP_PERCENT,
    memory: databaseRateMemory(database),
    log,
  });
}

/**
 * Leaves the balancer, finishes running requests, the sender's round and an e-mail, then exits: at most 9 seconds after the drain.
 * Ctrl-C drains nothing.
 */
function endOnSignals(services: Services, server: Server, endOthers: () => Promise<unknown>): void {
  const { senders, database, rates, drain, log, environment } = services;
  let isEnding = false;
  const end = async (drainSeconds: number) => {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(0), drainSeconds * 1_000 + SHUTDOWN_MS).unref();
    const left = leaveBalancer(server, drain, drainSeconds);
    await delay(drainSeconds * 1_000);
    rates.stop();
    await Promise.all([left, senders.stop(), endOthers()]);
    await database.close();
    log.info("The api has stopped");
    process.exit(0);
  };
  process.on("SIGTERM", () => void end(environment.DRAIN_SECONDS));
  process.on("SIGINT", () => void end(0));
}

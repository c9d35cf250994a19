import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { createPublicClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { approvalRules } from "../../../api/admin/approvals.ts";
import { BalanceReader } from "../../../api/chain/balances.ts";
import { createSenders } from "../../../api/create-senders.ts";
import { readEnvironment } from "../../../api/environment.ts";
import { createApp } from "../../../api/http/app.ts";
import { Cursors } from "../../../api/http/cursors.ts";
import { Gate } from "../../../api/http/gate.ts";
import { openPost } from "../../../api/mail/transport.ts";
import { Metrics } from "../../../api/operations/metrics.ts";
import { findVisitors, hashToken } from "../../../api/people/sessions.ts";
import { allRoutes } from "../../../api/routes.ts";
import type { Services } from "../../../api/services.ts";
import { seedCatalogue } from "../../../core/catalogue/seed.ts";
import { distributorsOf } from "../../../core/chain/deployment.ts";
import { BatchLoader } from "../../../core/database/batching.ts";
import type { Database } from "../../../core/database/connect.ts";
import { ProcessLoad } from "../../../core/process/process-load.ts";
import type { ChainClient } from "../../../core/process/rpc/chain-client.ts";
import { NoAgreementError } from "../../../core/process/rpc/every-node.ts";
import { fixedRate } from "../../../core/rates/rate-source.ts";
import type { Role } from "../../../core/rules/roles.ts";
import type { WalletAddress } from "../../../core/rules/wallet-address.ts";
import { accountsOf, saleRules } from "../../../core/sales/environment.ts";
import { storePaces } from "../../../core/sales/store-pace.ts";
import { PayoutSwitch } from "../../../core/sender/payout-switch.ts";
import { queueSummaryReader } from "../../../core/sender/queue.ts";
import { MODEL_CONTRACTS } from "../../properties/support/model-chain.ts";
import { standIn } from "../../testing/stand-in.ts";
import { Caller } from "./caller.ts";

/** The api in this process, on a real port and a real database, without a node. For calls that need no chain. */
export type InProcessApi = {
  url: string;
  services: Services;
  user(): Promise<Caller>;
  admin(role?: Role): Promise<Caller>;
  /** Moves the start of a session back. */
  age(token: string, byMs: number): Promise<void>;
  stop(): Promise<void>;
};

export async function startInProcess(database: Database, more: Record<string, string> = {}): Promise<InProcessApi> {
  await seedCatalogue(database);
  const directory = mkdtempSync(join(tmpdir(), "torcida-api-"));
  const services = createServices(database, { DATA_DIR: directory, ...more });
  const metrics = new Metrics(services.senders, services.rates, services.nodes, services.everyNode);
  const app = createApp({
    services,
    metrics,
    routes: allRoutes(services),
    site: (_request, _response, next) => next(),
  });
  const server = await listen(createServer(app));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    services,
    async user() {
      const caller = new Caller(url);
      await caller.enter();
      return caller;
    },
    async admin(role = "owner") {
      const caller = new Caller(url, privateKeyToAccount(generatePrivateKey()));
      (services.adminWallets as Map<string, Role>).set(caller.address, role);
      await caller.enter();
      return caller;
    },
    async age(token, byMs) {
      await database.kysely
        .updateTable("sessions")
        .set((set) => ({ created_at: set("created_at", "-", BigInt(byMs)) }))
        .where("token_hash", "=", hashToken(token))
        .execute();
    },
    async stop() {
      await new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections());
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function createServices(database: Database, more: Record<string, string>): Services {
  const environment = readEnvironment({ RATE_LIMIT_SCALE: "1000", SIMULATED_STEP_DELAY_MS: "3600000", ...more });
  const client = standIn<ChainClient>(createPublicClient({ transport: http("http://127.0.0.1:1", { retryCount: 0 }) }));
  const log = pino({ level: "silent" });
  const rates = fixedRate(environment.WEI_PER_CENT);
  const payouts = new PayoutSwitch(database, environment.PAYOUTS_PAUSED);
  const contracts = MODEL_CONTRACTS;
  const accounts = accountsOf(environment);
  const rules = { ...saleRules(environment, accounts, true), isLive: !environment.SIMULATED_PURCHASES };
  const adminWallets = new Map<WalletAddress, Role>();
  const approvals = approvalRules(environment, adminWallets);
  const parts = { environment, database, client, contracts, rates, payouts, approvals, log };
  const noNode = () => Promise.reject(new NoAgreementError("silent", "none is here"));
  const everyNode = standIn<Services["everyNode"]>({ agreed: noNode, claimed: noNode, calls: [] });
  const nodes = standIn<Services["nodes"]>({ isReady: false, problem: "none is here", contradictions: [] });
  return {
    environment,
    network: environment.network,
    contracts,
    startBlock: 0n,
    database,
    client,
    nodes,
    everyNode,
    contractStaff: new Set(),
    staffContracts: { problem: undefined, look: async () => 3_600_000 },
    log,
    accounts,
    saleRules: rules,
    rates,
    payouts,
    ids: { isOpen: async () => true },
    storeIds: { skipRegistered: async () => {} },
    balances: new BalanceReader({
      ...{ client, everyNode, purse: { spend: async () => true }, blockMs: 0 },
      distributors: distributorsOf(contracts),
    }),
    visitors: new BatchLoader((tokenHashes) => findVisitors(database.kysely, tokenHashes)),
    paces: storePaces(database.kysely),
    load: new ProcessLoad(),
    cursors: new Cursors("in process"),
    senders: createSenders({ ...parts, saleRules: rules }),
    queueSummary: queueSummaryReader(database.kysely),
    adminWallets,
    approvals,
    post: openPost(environment),
    gate: new Gate(environment, database),
    drain: { isDraining: false },
    certificate: { problem: () => undefined },
  };
}

function listen(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

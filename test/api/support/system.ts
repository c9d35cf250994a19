import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { hashToken } from "../../../api/people/sessions.ts";
import type { Deployment } from "../../../core/chain/deployment.ts";
import { connect, type Database } from "../../../core/database/connect.ts";
import { ROLES, type Role } from "../../../core/rules/roles.ts";
import type { Anvil } from "../../testing/anvil.ts";
import { seedDatabase, startDeployedChain } from "../../testing/deployed-chain.ts";
import { directAccountsFile } from "../../testing/direct-accounts.ts";
import { freePorts } from "../../testing/free-port.ts";
import { type Postgres, startPostgres } from "../../testing/postgres.ts";
import { DEEP_TAG, RELEASE_TAG } from "../../testing/test-files.ts";
import { until } from "../../testing/until.ts";
import { Caller } from "./caller.ts";

export const SERVICE_TOKEN = "service-token-that-is-long-enough-1234";
export const AFFILIATE_SECRET = "affiliate-secret-that-is-long-enough-12";

export type ApiSystem = {
  anvil: Anvil;
  databaseUrl: string;
  deployment: Deployment;
  admin: PrivateKeyAccount;
  environment: Record<string, string>;
  /** The URL of the api under test. */
  url: string;
  anonymous(): Caller;
  service(): Caller;
  /** A new wallet, registered and signed in with a challenge. */
  user(): Promise<Caller>;
  /** An admin of this role (the owner), signed in with a challenge. */
  adminCaller(role?: Role): Promise<Caller>;
  /** Moves the start of a session back. */
  age(token: string, byMs: number): Promise<void>;
  /** Moves the last use of a session back. */
  idle(token: string, byMs: number): Promise<void>;
  /** The database, as another process sees it. */
  database(): Promise<Database>;
  /** `kill -9`, or a normal shutdown; waits until it is gone. Returns the exit code. */
  stopApi(signal?: NodeJS.Signals): Promise<number | null>;
  startApi(more?: Record<string, string>): Promise<void>;
  apiLog(): string;
  indexerLog(): string;
  stop(): Promise<void>;
};

/** A chain, a database, the indexer and the api, each in its own process. */
export async function startSystem(
  more: Record<string, string> = {},
  engine: "sqlite" | "postgres" = "sqlite",
): Promise<ApiSystem> {
  const directory = mkdtempSync(join(tmpdir(), "torcida-api-"));
  const [port, indexerPort] = (await freePorts(2)) as [number, number];
  let postgres: Postgres | undefined;
  if (engine === "postgres") postgres = await startPostgres();
  const databaseUrl = postgres ? await postgres.createDatabase() : join(directory, "torcida.db");
  const adminOf = Object.fromEntries(ROLES.map((role) => [role, privateKeyToAccount(generatePrivateKey())])) as Record<
    Role,
    PrivateKeyAccount
  >;
  const admin = adminOf.owner;
  const environment: Record<string, string> = {
    PORT: String(port),
    HOST: "127.0.0.1",
    INDEXER_PORT: String(indexerPort),
    DATA_DIR: directory,
    DEPLOYMENTS_DIR: join(directory, "deployments"),
    DATABASE_URL: databaseUrl,
    ADMIN_WALLETS: ROLES.map((role) => (role === "owner" ? admin.address : `${adminOf[role].address}:${role}`)).join(),
    SERVICE_TOKENS: SERVICE_TOKEN,
    AFFILIATE_SECRETS: `awin:${AFFILIATE_SECRET}`,
    RATE_LIMIT_SCALE: "1000",
    SIMULATED_STEP_DELAY_MS: "0",
    HOLD_SECONDS: "0",
    ...more,
  };
  // The short form has no credit, so its sales would wait for their money.
  environment.AFFILIATE_ACCOUNTS ??= directAccountsFile(environment.AFFILIATE_SECRETS ?? "");
  delete environment.AFFILIATE_SECRETS;
  const { anvil, deployment } = await startDeployedChain(directory, environment);
  environment.CHAIN_PORT = String(anvil.port);
  await seedDatabase(databaseUrl, directory, deployment);
  const env = { ...process.env, ...environment };
  const indexer = spawn(process.execPath, ["indexer/main.ts"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let indexerLog = "";
  indexer.stdout.on("data", (chunk: Buffer) => (indexerLog += chunk.toString("utf8")));
  indexer.stderr.on("data", (chunk: Buffer) => (indexerLog += chunk.toString("utf8")));
  let opened: Database | undefined;
  let api: ChildProcess | undefined;
  let log = "";
  const url = `http://127.0.0.1:${port}`;
  const system: ApiSystem = {
    anvil,
    databaseUrl,
    admin,
    environment,
    url,
    deployment,
    anonymous: () => new Caller(url),
    service: () => new Caller(url, undefined, SERVICE_TOKEN),
    async user() {
      const caller = new Caller(url);
      await caller.register();
      return caller;
    },
    async adminCaller(role = "owner") {
      const caller = new Caller(url, adminOf[role]);
      await caller.enter();
      return caller;
    },
    async age(token, byMs) {
      const { kysely } = await system.database();
      await kysely
        .updateTable("sessions")
        .set((set) => ({ created_at: set("created_at", "-", BigInt(byMs)) }))
        .where("token_hash", "=", hashToken(token))
        .execute();
    },
    async idle(token, byMs) {
      const { kysely } = await system.database();
      await kysely
        .updateTable("sessions")
        .set((set) => ({ last_seen_at: set("last_seen_at", "-", BigInt(byMs)) }))
        .where("token_hash", "=", hashToken(token))
        .execute();
    },
    async database() {
      opened ??= await connect(databaseUrl);
      return opened;
    },
    async stopApi(signal = "SIGKILL") {
      return api ? end(api, signal) : null;
    },
    async startApi(extra = {}) {
      log = "";
      const child = spawn(process.execPath, ["api/main.ts"], {
        env: { ...env, ...extra },
        stdio: ["ignore", "pipe", "pipe"],
      });
      api = child;
      child.stdout?.on("data", (chunk: Buffer) => (log += chunk.toString("utf8")));
      child.stderr?.on("data", (chunk: Buffer) => (log += chunk.toString("utf8")));
      await until("the api answers", async () => {
        if (child.exitCode !== null) throw new Error(log);
        return (await fetch(`${url}/api`)).ok;
      });
    },
    apiLog: () => log,
    indexerLog: () => indexerLog,
    async stop() {
      await opened?.close();
      if (api) await end(api, "SIGKILL");
      await end(indexer, "SIGKILL");
      await anvil.stop("SIGKILL");
      await postgres?.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await system.startApi();
    await until("the indexer responds", async () => {
      if (indexer.exitCode !== null) throw new Error(indexerLog);
      return (await fetch(`http://127.0.0.1:${indexerPort}/healthz`)).ok;
    });
    // Before that a purchase or a visit is refused, which no test here is about.
    await until("the index is complete", async () => {
      const { faults } = (await system.service().get("/readyz")).body;
      return !faults.some(({ name }: { name: string }) => name === "index_incomplete");
    });
  } catch (error) {
    // Otherwise its child processes would keep the run alive.
    await system.stop();
    throw error;
  }
  return system;
}

type Declare = (system: () => ApiSystem) => void;

/**
 * Runs the same tests against a system on SQLite and one on PostgreSQL, for behaviour that may depend on the database:
 * those on PostgreSQL a tier later.
 */
export function onBothSystems(name: string, more: Record<string, string>, declare: Declare): void {
  onSystem(name, "sqlite", more, declare);
  onSystem(name, "postgres", more, declare, name.includes(DEEP_TAG) ? RELEASE_TAG : DEEP_TAG);
}

/** Runs tests against a system on one engine, for behaviour that does not depend on the database. */
export function onSystem(
  name: string,
  engine: "sqlite" | "postgres",
  more: Record<string, string>,
  declare: Declare,
  tag = "",
): void {
  describe(`${name}, on ${engine} ${tag}`.trim(), function () {
    this.timeout(300_000);
    let system: ApiSystem | undefined;
    before(async () => {
      system = await startSystem(more, engine);
    });
    after(() => system?.stop());
    afterEach(function () {
      if (system && this.currentTest?.state === "failed") console.error(saidBy(system));
    });
    declare(() => {
      if (!system) throw new Error("The system has not started");
      return system;
    });
  });
}

/** The last output of the processes. */
function saidBy(system: ApiSystem): string {
  return `api: ${system.apiLog().slice(-3_000)}\nindexer: ${system.indexerLog().slice(-1_500)}`;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const closed = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  child.kill(signal);
  return closed;
}

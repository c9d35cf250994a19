import pg from "pg";
import { TorcidaError } from "../rules/torcida-error.ts";
import { hostUrls } from "./postgres-url.ts";
import { noteDatabaseError } from "./transaction.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** Timeout of one host among several, so that a lost one leaves time for the next. */
const HOST_TIMEOUT_MS = 1_500;
const POOL_SIZE = 10;
const INT8_TYPE = 20;
/** Error code of a write on a server that is no longer the primary. */
const READ_ONLY_TRANSACTION = "25006";

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8_TYPE ? BigInt : pg.types.getTypeParser(oid, format)),
};

/** This host is a read-only standby. */
class StandbyError extends TorcidaError {
  override readonly docs = "docs/operations.md#a-primary-and-a-standby-of-your-own";
  /** PostgreSQL's "cannot connect now": the standby may be promoted at any moment. */
  readonly code = "57P03";
}

/** Connections to the writable host. Throws the error of the last host if none is writable. */
export function openPool(
  databaseUrl: string,
  queryTimeoutMs: number,
): Pick<pg.Pool, "options" | "end"> & { connect(): Promise<pg.PoolClient> } {
  const hosts = new Hosts(databaseUrl);
  const pool = new pg.Pool({
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    Client: class extends ImpatientClient {
      constructor(config?: pg.ClientConfig) {
        super({ ...config, ...hosts.target() });
      }
    },
    onConnect: (client) => hosts.requirePrimary(client),
    types: TYPES,
  });
  // The pool replaces a connection that dies while idle; the next query reports whether the server is down.
  pool.on("error", () => {});
  // If it dies between two queries of a transaction, the next query fails. An unhandled event would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  return { options: pool.options, connect: () => hosts.firstPrimary(() => pool.connect()), end: () => pool.end() };
}

export async function openClient(databaseUrl: string): Promise<pg.Client> {
  const hosts = new Hosts(databaseUrl);
  return hosts.firstPrimary(async () => {
    const client = new ImpatientClient({ ...hosts.target(), types: TYPES });
    // The next query detects a broken connection.
    client.on("error", () => {});
    await client.connect();
    await hosts.requirePrimary(client).catch(async (error) => {
      await client.end();
      throw error;
    });
    return client;
  });
}

/** The hosts of a URL, and the last known primary. */
class Hosts {
  readonly #urls: string[];
  #current = 0;

  constructor(databaseUrl: string) {
    this.#urls = hostUrls(databaseUrl);
  }

  target(): pg.ClientConfig {
    const connectionString = this.#urls[this.#current];
    return this.#urls.length === 1
      ? { connectionString }
      : { connectionString, connectionTimeoutMillis: HOST_TIMEOUT_MS };
  }

  /** @throws StandbyError */
  async requirePrimary(client: pg.ClientBase): Promise<void> {
    if (this.#urls.length === 1) return;
    const { rows } = await client.query("select pg_is_in_recovery() as is_standby");
    if (rows[0]?.is_standby) throw new StandbyError("No host in DATABASE_URL accepts writes");
  }

  /** Tries the hosts in turn, starting with the last known primary. */
  async firstPrimary<T>(connect: () => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried++) {
      const from = this.#current;
      try {
        return await connect();
      } catch (error) {
        noteDatabaseError(error);
        if (from === this.#current) this.#current = (from + 1) % this.#urls.length;
        if (tried >= this.#urls.length) throw error;
      }
    }
  }
}

/**
 * Closes a connection whose query timed out, or whose server is no longer writable: after a host failure the response
 * never arrives, and the next query would wait behind it.
 */
class ImpatientClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg declares one overload for each form of arguments
  override query(...parameters: any[]): any {
    const answer = Reflect.apply(super.query, this, parameters);
    if (answer instanceof Promise) {
      answer.catch((error: unknown) => {
        noteDatabaseError(error);
        if (!(error instanceof Error)) return;
        const isReadOnly = "code" in error && error.code === READ_ONLY_TRANSACTION;
        if (isReadOnly || error.message === "Query read timeout") this.#breakOff();
      });
    }
    return answer;
  }

  #breakOff(): void {
    // From now on the pool gives it to no other query, although it is still open.
    void this.end();
    this.connection.stream.destroy();
  }
}

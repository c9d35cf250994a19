import type { ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "./free-port.ts";
import { connectTo, copyFolder, giveTo, NAME, PASSWORD, serverIn, USER, urlOf } from "./postgres-server.ts";
import { until } from "./until.ts";

export type PostgresPair = {
  /** Names both hosts, the primary first. */
  databaseUrl: string;
  primaryUrl: string;
  standbyUrl: string;
  /** `kill -9` of the primary with all its processes, as when its machine dies. */
  killPrimary(): Promise<void>;
  /** Promotes the standby to primary, as an operator or a failover manager does. */
  promoteStandby(): Promise<void>;
  stopStandby(): Promise<void>;
  stop(): Promise<void>;
};

/** A primary with a standby, which is synchronous unless told otherwise. */
export async function startPostgresPair({ isSynchronous = true } = {}): Promise<PostgresPair> {
  const [primaryPort = 0, standbyPort = 0] = await freePorts(2);
  const newFolder = (name: string) => mkdtempSync(join(tmpdir(), `torcida-postgres-${name}-`));
  const folders = { primary: newFolder("primary"), standby: newFolder("standby") };

  const primary = serverIn(folders.primary, primaryPort, [
    "-c",
    "wal_level=replica",
    "-c",
    "max_wal_senders=4",
    "-c",
    `synchronous_standby_names=${isSynchronous ? "standby" : ""}`,
    "-c",
    "hot_standby=on",
  ]);
  await primary.initialise();
  await primary.start().catch(() => Promise.reject(new Error(`The primary did not start:\n${primary.log.join("")}`)));
  const admin = await connectTo(urlOf(primaryPort, "postgres"));
  // Until the standby streams, no commit could end.
  await admin.query("set synchronous_commit = local");
  await admin.query(`create database ${NAME}`);
  await admin.query("select pg_backup_start('standby', true)");
  copyFolder(folders.primary, folders.standby);
  await admin.query("select pg_backup_stop(false)");
  writeFileSync(join(folders.standby, "standby.signal"), "");
  const source = `host=127.0.0.1 port=${primaryPort} user=${USER} password=${PASSWORD} application_name=standby`;
  writeFileSync(join(folders.standby, "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`);
  giveTo(folders.standby, statSync(folders.primary));
  // Without `synchronous_standby_names`: once promoted it has no standby, and every commit would block.
  const standby = serverIn(folders.standby, standbyPort, ["-c", "hot_standby=on"]);
  // `start` waits for a line that a standby never prints.
  standby.start().catch(() => {});
  await until("the standby streams", async () => {
    const { rows } = await admin.query(
      "select 1 from pg_stat_replication where state = 'streaming' and sync_state = $1",
      [isSynchronous ? "sync" : "async"],
    );
    return rows.length === 1;
  });
  await admin.end();

  return {
    databaseUrl: `postgres://${USER}:${PASSWORD}@127.0.0.1:${primaryPort},127.0.0.1:${standbyPort}/${NAME}`,
    primaryUrl: urlOf(primaryPort),
    standbyUrl: urlOf(standbyPort),
    async killPrimary() {
      const running = primary as unknown as { process?: ChildProcess | undefined };
      const child = running.process;
      if (!child) return;
      const backends = await backendsOf(primaryPort);
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      running.process = undefined;
      // They are not in its process group, and one that has just received a query still answers it.
      for (const pid of backends.filter(isRunning)) process.kill(pid, "SIGKILL");
      await until("its processes have ended", () => backends.every((pid) => !isRunning(pid)));
    },
    async promoteStandby() {
      const client = await connectTo(urlOf(standbyPort));
      await client.query("select pg_promote(true, 30)").finally(() => client.end());
    },
    stopStandby: () => standby.stop(),
    async stop() {
      await standby.stop();
      await primary.stop();
      for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function backendsOf(port: number): Promise<number[]> {
  const client = await connectTo(urlOf(port));
  const { rows } = await client.query<{ pid: number }>("select pid from pg_stat_activity").finally(() => client.end());
  return rows.map(({ pid }) => pid).filter(isRunning);
}

/** Whether a process still does anything: one that nobody has waited for yet is over. */
function isRunning(pid: number): boolean {
  try {
    const [, state] = /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return state !== "Z";
  } catch {
    return false;
  }
}

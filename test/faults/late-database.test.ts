import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectSocket, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { connect, DatabaseUnavailableError } from "../../core/database/connect.ts";
import { migrationsOf } from "../../core/database/migrate.ts";
import { prepareDatabase } from "../../core/process/prepare-database.ts";
import { freePorts } from "../testing/free-port.ts";
import { type Postgres, startPostgres } from "../testing/postgres.ts";
import { until } from "../testing/until.ts";

describe("A database server that starts after our processes @release", function () {
  this.timeout(300_000);
  let directory: string;
  let postgres: Postgres;
  let url: URL;
  let gate: Gate | undefined;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), "torcida-late-"));
    postgres = await startPostgres();
  });
  beforeEach(async () => {
    url = new URL(await postgres.createDatabase());
  });
  afterEach(() => gate?.close());
  after(async () => {
    await postgres?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** The database's URL behind a port that is closed until the gate opens. */
  async function behindGate() {
    const [port = 0] = await freePorts(1);
    const behind = Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(port) }).toString();
    return { behind, open: async () => (gate = await openGate(port, url)) };
  }

  it("is waited for, with one message (F48)", async () => {
    const { behind, open } = await behindGate();
    const said: string[] = [];
    const prepared = prepareDatabase({
      databaseUrl: behind,
      dataDirectory: directory,
      network: "localhost",
      onWait: (reason) => said.push(reason),
    });
    await until("it waits", () => said.length > 0);
    await open();
    await prepared;
    expect(said).to.have.length(1);
    expect(said[0])
      .to.match(/ECONNREFUSED/)
      .and.not.include(`:${url.password}@`);
    const database = await connect(behind);
    expect(await migrationsOf(database.kysely)).not.to.deep.equal([]);
    await database.close();
  });

  it("is not waited for if waiting would not help", async () => {
    const { behind, open } = await behindGate();
    await open();
    const wrong = Object.assign(new URL(behind), { pathname: "/nowhere" }).toString();
    const onWait = (reason: string) => expect.fail(reason);
    const failure = await prepareDatabase({
      databaseUrl: wrong,
      dataDirectory: directory,
      network: "localhost",
      onWait,
    }).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(DatabaseUnavailableError);
  });

  for (const [name, variable, path] of [
    ["api", "PORT", "/readyz"],
    ["indexer", "INDEXER_PORT", "/readyz"],
  ] as const) {
    it(`keeps the ${name} waiting, which says so on its port`, async () => {
      const { behind, open } = await behindGate();
      const [port = 0] = await freePorts(1);
      const { child, output } = start(name, { [variable]: String(port), DATABASE_URL: behind, DATA_DIR: directory });
      try {
        const status = async () => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
        await until("it answers that it is not ready", async () => (await status()) === 503);
        await until("it says why", () => output().includes("Waiting for the database"));
        expect(child.exitCode).to.equal(null);
        await open();
        const database = await until("the database is open", () => connect(behind));
        await until("it made the tables", async () => (await migrationsOf(database.kysely)).length > 0);
        await database.close();
        if (name === "api") await until("it serves", async () => (await fetch(`http://127.0.0.1:${port}/api`)).ok);
      } finally {
        child.kill("SIGKILL");
      }
    });
  }
});

function start(name: string, environment: Record<string, string>): { child: ChildProcess; output(): string } {
  const child = spawn(process.execPath, [`${name}/main.ts`], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      CHAIN_PORT: "9",
      PURCHASE_NFT_ADDRESS: `0x${"11".repeat(20)}`,
      CASHBACK_DISTRIBUTOR_ADDRESS: `0x${"22".repeat(20)}`,
      ...environment,
    },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

type Gate = { close(): void };

async function openGate(port: number, to: URL): Promise<Gate> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connectSocket(Number(to.port), to.hostname);
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => into.destroy()).on("close", () => into.destroy());
      from.pipe(into);
    }
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { connect } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { writeSetting } from "../../core/database/settings.ts";
import { AwinSimulator } from "../../scripts/rehearse/simulators/awin.ts";
import { type Supervised, supervise } from "../faults/support/supervised.ts";
import { freePorts } from "../testing/free-port.ts";
import { until } from "../testing/until.ts";

const CALLS_PER_MINUTE = 6_000;

/** docs/operations.md#processes */
describe("The network reader's own port", function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), "torcida-reader-"));
  const databaseUrl = join(folder, "torcida.db");
  const simulator = new AwinSimulator({ publisherId: "45628", token: "awin-token" }, CALLS_PER_MINUTE);
  const readers: Supervised[] = [];
  before(async () => {
    const database = await connect(databaseUrl);
    await migrate(database);
    // The index is complete.
    await writeSetting(database.kysely, "ids_open", "9".repeat(15));
    await database.close();
    simulator.faults.status = 401;
    const account = {
      ...{ network: "awin", account: "br", publisher_id: "45628", token: "awin-token" },
      ...{ api_url: await simulator.listen(), poll_seconds: 0.2, calls_per_minute: CALLS_PER_MINUTE },
    };
    writeFileSync(join(folder, "accounts.json"), JSON.stringify([account]), { mode: 0o600 });
    for (const port of await freePorts(2)) readers.push(start(port));
  });
  after(async () => {
    await Promise.all(readers.map((reader) => reader.stop("SIGKILL")));
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function start(port: number): Supervised {
    const environment = {
      ...{ NETWORK: "localhost", DATA_DIR: folder, DATABASE_URL: databaseUrl, LOG_LEVEL: "fatal" },
      ...{ AFFILIATE_ACCOUNTS: join(folder, "accounts.json"), AFFILIATES_PORT: String(port) },
    };
    const url = `http://127.0.0.1:${port}`;
    const reader = supervise({ name: `reader ${port}`, script: "core/sales/main.ts", url, environment });
    reader.start();
    return reader;
  }
  const read = async ({ url }: Supervised, path: string) => {
    const response = await fetch(`${url}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const stateOf = async (reader: Supervised) => JSON.parse((await read(reader, "/readyz")).text).state as string;

  it("says which process reads, and of both why an account cannot be read, until it can", async () => {
    await Promise.all(readers.map((reader) => reader.ready("/healthz")));
    await until("one reads, one stands by", async () => {
      const states = await Promise.all(readers.map(stateOf));
      return states.sort().join() === "reading,standby";
    });
    const { kysely, close } = await connect(databaseUrl);
    try {
      // As if it had failed for long.
      await until(
        "a call has failed",
        async () => {
          const { numUpdatedRows } = await kysely
            .updateTable("affiliate_status")
            .set({ error_at: 1n })
            .where("error_at", "is not", null)
            .executeTakeFirstOrThrow();
          return numUpdatedRows === 1n;
        },
        20_000,
      );
    } finally {
      await close();
    }
    for (const reader of readers) {
      const { status, text } = await until(`${reader.name} tells it`, async () => {
        const answer = await read(reader, "/readyz");
        if (answer.status !== 503) throw new Error(answer.text);
        return answer;
      });
      expect(status, text).to.equal(503);
      expect(text).to.match(/awin\/br cannot be read since \d+ min: The network answered 401/);
      expect((await read(reader, "/metrics")).text).to.include(
        'torcida_affiliate_failing{network="awin",account="br"} 1',
      );
    }
    delete simulator.faults.status;
    for (const reader of readers)
      await until(`${reader.name} is well`, async () => (await read(reader, "/readyz")).status === 200, 60_000);
  });

  it("is of the next reader when the first is killed", async () => {
    const states = await Promise.all(readers.map(stateOf));
    const standby = readers[states.indexOf("standby")];
    if (!standby) throw new Error(states.join());
    await readers[states.indexOf("reading")]?.stop("SIGKILL");
    await until("the standby reads", async () => (await stateOf(standby)) === "reading", 60_000);
    expect((await read(standby, "/metrics")).text).to.include("torcida_affiliate_reading 1");
  });
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type Sqlite from "better-sqlite3";
import { expect } from "chai";
import { connect, type Database, openSqlite } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { readSetting, writeSetting } from "../../core/database/settings.ts";
import { inTransaction } from "../../core/database/transaction.ts";

describe("Queries on one connection of SQLite", () => {
  const directory = mkdtempSync(join(tmpdir(), "torcida-turns-"));
  let database: Database;
  /** As another process has it. */
  let stranger: Sqlite.Database;
  before(async () => {
    const file = join(directory, "torcida.db");
    database = await connect(file);
    await migrate(database);
    stranger = openSqlite(file);
  });
  beforeEach(() => writeSetting(database.kysely, "catalogue_version", "before"));
  after(async () => {
    stranger.close();
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const read = () => readSetting(database.kysely, "catalogue_version");
  const write = (value: string) => writeSetting(database.kysely, "catalogue_version", value);
  const inOne = (value: string) =>
    inTransaction(database.kysely, (queries) => writeSetting(queries, "catalogue_version", value));
  const settles = (promise: Promise<unknown>, order: string[], name: string) =>
    promise.then(
      () => order.push(name),
      (error: { code?: string }) => order.push(`${name}: ${error.code}`),
    );

  for (const [what, begin] of [
    ["a write", write],
    ["a transaction", inOne],
  ] as const) {
    it(`read on while ${what} waits for another process's lock, which is then written`, async () => {
      stranger.exec("begin immediate");
      const order: string[] = [];
      const writing = settles(begin("after"), order, "written");
      try {
        await turn();
        for (let reads = 0; reads < 3; reads++) {
          expect(await read()).to.equal("before");
          order.push("read");
        }
      } finally {
        stranger.exec("rollback");
      }
      await writing;
      expect(order).to.deep.equal(["read", "read", "read", "written"]);
      expect(await read(), "what this process has written").to.equal("after");
    });
  }

  it("let a write fail that has waited in vain, with all that waited behind it", async () => {
    const impatient = await connect(join(directory, "torcida.db"), { queryTimeoutMs: 200 });
    stranger.exec("begin immediate");
    const order: string[] = [];
    try {
      const all = ["first", "second", "third"].map((name) =>
        settles(writeSetting(impatient.kysely, "catalogue_version", name), order, name),
      );
      await Promise.all(all);
    } finally {
      stranger.exec("rollback");
    }
    expect(order).to.deep.equal(["first: SQLITE_BUSY", "second: SQLITE_BUSY", "third: SQLITE_BUSY"]);
    await writeSetting(impatient.kysely, "catalogue_version", "again");
    await impatient.close();
    expect(await read()).to.equal("again");
  });

  it("read nothing that was not committed, and wait for no second transaction", async () => {
    const seen: (string | undefined)[] = [];
    const transactions = ["one", "two", "three"].map((value) =>
      inTransaction(database.kysely, async (queries) => {
        await writeSetting(queries, "catalogue_version", `${value}, not committed`);
        await turn();
        await writeSetting(queries, "catalogue_version", value);
      }),
    );
    await turn();
    seen.push(await read());
    await Promise.all(transactions);
    seen.push(await read());
    expect(seen).to.deep.equal(["one", "three"]);
  });

  it("undo a transaction that failed, and go on", async () => {
    const failed = inTransaction(database.kysely, async (queries) => {
      await writeSetting(queries, "catalogue_version", "undone");
      throw new Error("it fails");
    });
    const next = inOne("next");
    expect(await failed.catch((error: Error) => error.message)).to.equal("it fails");
    await next;
    expect(await read()).to.equal("next");
  });

  it("write what was asked before the end", async () => {
    const short = await connect(join(directory, "torcida.db"));
    stranger.exec("begin immediate");
    const writing = writeSetting(short.kysely, "catalogue_version", "last");
    await turn();
    const closing = short.close();
    await turn();
    stranger.exec("rollback");
    await Promise.all([writing, closing]);
    expect(await read()).to.equal("last");
  });
});

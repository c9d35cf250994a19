import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { connect, type Database } from "../../core/database/connect.ts";
import { until } from "../testing/until.ts";

/** Far fewer pages than a commit copies by itself. */
const BYTES = 400_000;

describe("The log of a SQLite file", () => {
  const directory = mkdtempSync(join(tmpdir(), "torcida-checkpointer-"));
  const file = join(directory, "torcida.db");
  let database: Database;
  const write = (id: number) =>
    sql`insert into notes (id, text) values (${id}, ${"x".repeat(BYTES)})`.execute(database.kysely);
  beforeEach(async () => {
    database = await connect(file, { checkpointsInThread: true });
    await sql`create table if not exists notes (id bigint primary key, text text not null)`.execute(database.kysely);
  });
  afterEach(() => database.close());
  after(() => rmSync(directory, { recursive: true, force: true }));

  it("is copied into the file without a commit having to do it", async () => {
    await write(1);
    await until("the row is in the file", async () => statSync(file).size > BYTES);
    await write(2);
    await until("the next one too", async () => statSync(file).size > 2 * BYTES);
  });

  it("is copied completely when the process ends", async () => {
    await write(3);
    await database.close();
    database = await connect(file, { checkpointsInThread: true });
    const { rows } = await sql<{ id: bigint }>`select id from notes order by id`.execute(database.kysely);
    expect(rows.map((row) => Number(row.id))).to.deep.equal([1, 2, 3]);
  });
});

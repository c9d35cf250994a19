import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import BetterSqlite3 from "better-sqlite3";
import { expect } from "chai";
import { seedCatalogue } from "../../core/catalogue/seed.ts";
import { listStores } from "../../core/catalogue/stores.ts";
import { findBrokenAudit } from "../../core/database/audit-log.ts";
import { connect, type Database } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { runCatalog } from "../../scripts/catalog.ts";
import { commandHere } from "../testing/command-here.ts";

describe("npm run catalog", function () {
  this.timeout(300_000);
  let directory: string;
  let database: Database;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "torcida-catalog-"));
    database = await connect(join(directory, "torcida.db"));
    await migrate(database);
    await seedCatalogue(database);
  });
  afterEach(async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });

  // Every command first prints which database it acts on.
  const withoutPlace = (output: string) => output.replace(/^Acting on .*\n/, "");
  const catalog = async (...args: string[]) => {
    const { code, output } = await commandHere(runCatalog, args, { DATA_DIR: directory, DEPLOYMENTS_DIR: directory })
      .ended;
    return { status: code, output: withoutPlace(output) };
  };
  /** The script itself, which hands its arguments and environment to the same command. */
  const catalogScript = (...args: string[]) => {
    const env = { ...process.env, DATA_DIR: directory, DEPLOYMENTS_DIR: directory, DATABASE_URL: "" };
    const command = ["scripts/catalog.ts", ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: "utf8" });
    return { status, output: withoutPlace(stdout + stderr) };
  };
  const fileWith = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };

  for (const name of ["all.csv", "all.json"]) {
    it(`exports ${name}, which changes nothing when it is imported again`, async () => {
      const path = join(directory, name);
      expect((await catalog("export", path)).output).to.match(/^2\d rows are in/);
      expect(readFileSync(path, "utf8")).to.include("Verdão Store");
      expect(await catalog("import", path, "--apply")).to.deep.equal({ status: 0, output: "Nothing to change\n" });
    });
  }

  it("lists what an import would do and does it only with --apply, once", async () => {
    const path = fileWith(
      "new.csv",
      [
        "type,store,name,country,category,cashback_percent,slug,image",
        "store,,Café do Estádio,Brasil,Alimentos e bebidas,,,",
        'cashback,Café do Estádio,,,Tudo,"5,75",,',
        "cashback,Verdão Store,,,Camisas,6,,",
        "fan_token,,Juventus,,,,juv,https://example.com/juv.png",
      ].join("\n"),
    );
    const dryRun = await catalog("import", path);
    expect(dryRun.output).to.include("+ store Café do Estádio (Brasil)");
    expect(dryRun.output).to.include("~ Verdão Store, Camisas: 5% → 6%");
    expect(dryRun.output).to.include("4 changes to make");
    expect(await listStores(database.kysely)).to.have.length(8);

    const applied = catalogScript("import", path, "--apply");
    expect(applied.output).to.include("4 changes made");
    expect(applied.status).to.equal(0);
    const store = (await listStores(database.kysely)).find((one) => one.name === "Café do Estádio");
    expect(store?.categories.map((one) => [one.category, one.cashbackBps])).to.deep.equal([["Tudo", 575n]]);
    const naming = await database.kysely.selectFrom("operations").select(["kind", "subject_id"]).execute();
    expect(naming).to.deep.equal([{ kind: "register_store", subject_id: store?.id }]);
    expect(await findBrokenAudit(database.kysely)).to.equal(undefined);
    expect((await catalog("import", path, "--apply")).output).to.equal("Nothing to change\n");
  });

  it("names every bad row with its line and reason, and imports none", async () => {
    const path = fileWith(
      "bad.csv",
      [
        "type,store,name,country,category,cashback_percent,slug,image",
        "store,,Boa,Brasil,,,,",
        "store,,,Brasil,,,,",
        "cashback,Boa,,,Tudo,100.01,,",
        "fan_token,,Juve,,,,JU V,javascript:alert(1)",
        "store,,BOA,Brasil,,,,",
        "shop,,x,,,,,",
        `store,,${"é".repeat(41)},Brasil,,,,`,
      ].join("\n"),
    );
    const { status, output } = await catalog("import", path, "--apply");
    expect(status).to.equal(1);
    for (const line of [3, 4, 5, 6, 7, 8]) expect(output).to.match(new RegExp(`^line ${line}: `, "m"));
    expect(output).to.include("line 4: cashback_percent must be at most 100");
    expect(output).to.include("line 6: store boa appears twice, first at line 2");
    expect(output).to.include("Nothing was imported.");
    expect(await listStores(database.kysely)).to.have.length(8);
  });

  it("rejects a category of an unknown store", async () => {
    const path = fileWith(
      "lost.json",
      '[{"type":"cashback","store":"Ninguém","category":"Tudo","cashback_percent":5}]',
    );
    expect((await catalog("import", path, "--apply")).output).to.equal(
      "row 1: there is no store Ninguém, here or in the database\nNothing was imported.\n",
    );
  });

  it("rejects a contract that another fan token has, here or in the database", async () => {
    const contract = `0x${"Ab".repeat(20)}`;
    const token = { type: "fan_token", name: "Galo", image: "https://example.com/g.png", contract };
    const same = "have the same contract, 0xabab";
    const both = JSON.stringify([
      { ...token, slug: "galo" },
      { ...token, slug: "cam" },
    ]);
    expect((await catalog("import", fileWith("both.json", both), "--apply")).output).to.include(same);
    const one = JSON.stringify([{ ...token, slug: "galo" }]);
    expect((await catalog("import", fileWith("one.json", one), "--apply")).output).to.include("1 change made");
    const other = JSON.stringify([{ ...token, slug: "cam" }]);
    const { status, output } = await catalog("import", fileWith("other.json", other), "--apply");
    expect(output).to.include(`The fan tokens galo and cam ${same}`);
    expect(status).to.equal(1);
  });

  const FILES: [reason: string, name: string, text: string, output: RegExp][] = [
    ["a row with a field too few", "a.csv", "type,name,country\nstore,Boa,Brasil\nstore,Outra\n", /line 3/],
    ["a quote that is never closed", "b.csv", 'type,name,country\nstore,"Boa,Brasil\n', /line 2/],
    [
      "a column that no row has",
      "c.csv",
      "type,nome,country\nstore,Boa,Brasil\n",
      /^line 2: nome is not a field of a store/,
    ],
    [
      "a percent that is not a number",
      "d.csv",
      "type,store,category,cashback_percent\ncashback,Verdão Store,Tudo,dez\n",
      /^line 2: /,
    ],
    ["a row that is null", "e.json", "[null]", /^row 1: type must be store, cashback, boost, offer, fan_token or club/],
    ["a type that every object has", "i.json", '[{"type":"constructor"}]', /^row 1: type must be store/],
    ["JSON that is cut off", "f.json", '[{"type":"store"', /^The file is not JSON: /],
    ["JSON that is not a list", "g.json", '{"type":"store"}', /^The file must be a list of rows/],
    ["another ending", "h.xlsx", "", /must end in .csv or .json/],
  ];
  for (const [reason, name, text, expected] of FILES) {
    it(`refuses ${reason}, in a sentence`, async () => {
      const { status, output } = await catalog("import", fileWith(name, text), "--apply");
      expect(status).to.equal(1);
      expect(output).to.match(expected);
      expect(output).to.match(/Nothing was imported\.\n$/);
      expect(output).not.to.match(/^ +at /m);
      expect(await listStores(database.kysely)).to.have.length(8);
    });
  }

  it("imports all or nothing when it is killed at any moment, and all of it once when it is run again", async () => {
    const count = 1_500;
    const rows = Array.from({ length: count }, (_, index) => [
      `store,,Loja ${index},Brasil,,`,
      `cashback,Loja ${index},,,Tudo,5`,
    ]);
    const path = fileWith("big.csv", ["type,store,name,country,category,cashback_percent", ...rows.flat()].join("\n"));
    for (const busyMs of [0, 50, 250]) {
      const child = startCatalog("import", path, "--apply");
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
      const wasWriting = await hasWrittenFor(busyMs, child);
      child.kill("SIGKILL");
      await ended;
      if (busyMs > 0) expect(wasWriting, "it was killed in the middle").to.equal(true);
      expect(await countStores(), `killed after ${busyMs} ms of writing`).to.equal(8n);
    }
    expect((await catalog("import", path, "--apply")).output).to.include(`${2 * count} changes made`);
    expect(await countStores()).to.equal(8n + BigInt(count));
    const namings = await database.kysely.selectFrom("operations").select("subject_id").execute();
    expect(new Set(namings.map((one) => one.subject_id)).size).to.equal(count);
    expect(namings).to.have.length(count);
    expect(await findBrokenAudit(database.kysely)).to.equal(undefined);
    expect((await catalog("import", path, "--apply")).output).to.equal("Nothing to change\n");
  });
  const startCatalog = (...args: string[]) =>
    spawn(process.execPath, ["scripts/catalog.ts", ...args], {
      env: { ...process.env, DATA_DIR: directory, DEPLOYMENTS_DIR: directory, DATABASE_URL: "" },
      stdio: "ignore",
    });
  const countStores = async () => {
    const { count } = await database.kysely
      .selectFrom("stores")
      .select((query) => query.fn.countAll<bigint>().as("count"))
      .executeTakeFirstOrThrow();
    return count;
  };
  /**
   * Waits until the process has held the database's write lock for this long without a pause, so it is in one
   * transaction.
   */
  const hasWrittenFor = async (busyMs: number, child: ChildProcess) => {
    const probe = new BetterSqlite3(join(directory, "torcida.db"), { timeout: 0 });
    let since: number | undefined;
    try {
      while (child.exitCode === null) {
        since = isLocked(probe) ? (since ?? performance.now()) : undefined;
        if (since !== undefined && performance.now() - since >= busyMs) return true;
        await delay(2);
      }
      return false;
    } finally {
      probe.close();
    }
  };

  it("prints its usage", () => {
    const { status, output } = catalogScript("import");
    expect(status).to.equal(1);
    expect(output).to.include("npm run catalog -- import FILE");
    expect(catalogScript("import", "missing.csv").output).to.include("There is no file missing.csv");
  });
});

function isLocked(database: BetterSqlite3.Database): boolean {
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch (error) {
    if ((error as { code?: string }).code === "SQLITE_BUSY") return true;
    throw error;
  }
}

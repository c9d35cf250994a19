import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { findBrokenAudit } from "../../database/audit-log.ts";
import { connect, type Database } from "../../database/connect.ts";
import { migrate } from "../../database/migrate.ts";
import { seedCatalogue } from "../../database/seed.ts";
import { listStores } from "../../database/stores.ts";

describe("npm run catalog", function () {
  this.timeout(60_000);
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

  const catalog = (...args: string[]) => {
    const env = { ...process.env, DATA_DIR: directory, DATABASE_URL: "" };
    const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/catalog.ts", ...args], {
      env,
      encoding: "utf8",
    });
    return { status, output: stdout + stderr };
  };
  const fileWith = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };

  for (const name of ["all.csv", "all.json"]) {
    it(`exports ${name}, which changes nothing when it is imported again`, async () => {
      const path = join(directory, name);
      expect(catalog("export", path).output).to.match(/^2\d rows are in/);
      expect(readFileSync(path, "utf8")).to.include("Verdão Store");
      expect(catalog("import", path, "--apply")).to.deep.equal({ status: 0, output: "Nothing to change\n" });
    });
  }

  it("says what an import would do and does it only when told to, once", async () => {
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
    const dryRun = catalog("import", path);
    expect(dryRun.output).to.include("+ store Café do Estádio (Brasil)");
    expect(dryRun.output).to.include("~ Verdão Store, Camisas: 5% → 6%");
    expect(dryRun.output).to.include("4 changes to make");
    expect(await listStores(database.kysely)).to.have.length(8);

    expect(catalog("import", path, "--apply").output).to.include("4 changes made");
    const store = (await listStores(database.kysely)).find((one) => one.name === "Café do Estádio");
    expect(store?.categories.map((one) => [one.category, one.cashbackBps])).to.deep.equal([["Tudo", 575n]]);
    const naming = await database.kysely.selectFrom("operations").select(["kind", "subject_id"]).execute();
    expect(naming).to.deep.equal([{ kind: "register_store", subject_id: store?.id }]);
    expect(await findBrokenAudit(database.kysely)).to.equal(undefined);
    expect(catalog("import", path, "--apply").output).to.equal("Nothing to change\n");
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
        `store,,${"é".repeat(21)},Brasil,,,,`,
      ].join("\n"),
    );
    const { status, output } = catalog("import", path, "--apply");
    expect(status).to.equal(1);
    for (const line of [3, 4, 5, 6, 7, 8]) expect(output).to.match(new RegExp(`^line ${line}: `, "m"));
    expect(output).to.include("line 4: cashback_percent must be at most 100");
    expect(output).to.include("line 6: store boa stands twice, first at line 2");
    expect(output).to.include("Nothing was imported.");
    expect(await listStores(database.kysely)).to.have.length(8);
  });

  it("refuses a category of a store that is nowhere", () => {
    const path = fileWith(
      "lost.json",
      '[{"type":"cashback","store":"Ninguém","category":"Tudo","cashback_percent":5}]',
    );
    expect(catalog("import", path, "--apply").output).to.include("there is no store Ninguém, here or in the database");
  });

  it("says how it is used", () => expect(catalog("import").output).to.include("npm run catalog -- import FILE"));
});

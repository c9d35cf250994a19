import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { readEnvironment } from "../../api/environment.ts";
import { readCatalogue } from "../../core/catalogue/catalogue-file.ts";
import { diff, exportRows } from "../../core/catalogue/changes.ts";
import { connect, type Database } from "../../core/database/connect.ts";
import { TABLE_NAMES, type TableName } from "../../core/database/generated/schema.ts";
import { MIGRATIONS, migrate, migrationsOf } from "../../core/database/migrate.ts";
import { readAccounts } from "../../core/sales/accounts.ts";
import { readEnvironment as readNetworkEnvironment } from "../../core/sales/environment.ts";
import { readEnvironment as readIndexerEnvironment } from "../../indexer/environment.ts";
import { readArchive } from "../../scripts/backup/read-archive.ts";
import { writeArchive } from "../../scripts/backup/write-archive.ts";
import { readOperatorEnvironment } from "../../scripts/operator/environment.ts";
import { Caller } from "../api/support/caller.ts";
import { startInProcess } from "../api/support/in-process.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { BUYER_KEY } from "./filled-shop.ts";
import { brokenPromises, type Interfaces, readInterfaces } from "./interfaces.ts";
import { BACKUP, CATALOGUES, INTERFACES, VARIABLES } from "./release.ts";
import { WIDER } from "./wider.ts";

/** Of every failure here. */
const REMEDY =
  "until 1.0.0 is released, npm run release-files makes test/upgrade/release-1.0 anew; after it, a migration is needed, or the old name beside the new one (docs/upgrading.md)";
/** Of a shop on mainnet that sets only what 1.0.0 requires. */
const REQUIRED = {
  NETWORK: "chiliz",
  RPC_URLS: "https://rpc.example",
  OPERATOR_PRIVATE_KEY: `0x${"11".repeat(32)}`,
  PUBLIC_URL: "https://torcida.example",
  RATE_URL: "https://rates.example/chz-brl",
};
/** With every field that 1.0.0 knew. */
const POLLED = { push_secrets: ["a-secret-of-1.0.0"], poll_seconds: 300, calls_per_minute: 10 };
const ACCOUNTS = [
  { network: "awin", account: "br", publisher_id: "1", token: "t", api_url: "https://awin.example", ...POLLED },
  {
    ...{ network: "admitad", account: "br", website_id: "2", client_id: "c", client_secret: "s", timezone: "UTC" },
    ...{ api_url: "https://admitad.example", ...POLLED },
  },
  { network: "impact", account: "us", account_sid: "3", token: "t", api_url: "https://impact.example", ...POLLED },
  { network: "direct", account: "loja", secrets: ["a-secret-of-1.0.0"] },
];

/** By every restore. */
const CHANGED = ["settings", "sessions", "sign_in_nonces"];
/** Filled by an upgrade: from the rows of other tables, and with the clubs that are built in. */
const ADDED = /^(?:account_(?:names|books)|clubs|club_names)$/;
const OF_1_0 = MIGRATIONS.slice(0, 1);
/** Erasing answers 202, since it takes effect later; a catalogue file, which the panel saves unread, has new rows. docs/upgrading.md#what-holds-from-100-on */
const DELIBERATE =
  /^(?:(?:DELETE \/api\/me|POST \/api\/admin\/users\/\{wallet\}\/erase): 200(?:\.success|\.message)? is gone|GET \/api\/admin\/catalogue: 200\[\]\.type may be "club"\|"offer",.*)$/;
const INTO = { network: "localhost" as const, idGap: 0n, erased: { times: new Map(), keys: [], warning: "" } };
/** The made-up next migration: a column that is filled from the rows. */
const LATER = {
  name: "9001-later",
  up: async (db: Kysely<unknown>) => {
    await sql`alter table purchases add column origin text not null default ''`.execute(db);
    await sql`update purchases set origin = store_name`.execute(db);
  },
};

const FURTHER = { name: "9002-further", up: async () => {} };
const FAILING = {
  name: "9002-failing",
  up: async (db: Kysely<unknown>) => {
    await sql`update purchases set forgotten = ''`.execute(db);
  },
};

/** docs/upgrading.md#what-holds-from-100-on */
describe("An installation of 1.0.0", function () {
  this.timeout(120_000);
  const directory = mkdtempSync(join(tmpdir(), "torcida-upgrade-"));
  after(() => rmSync(directory, { recursive: true, force: true }));

  onEitherEngine(({ open, openEmpty }) => {
    const run = async (opening: typeof openEmpty, ...args: string[]) => {
      const { database, url } = await opening();
      const env = { ...process.env, DATABASE_URL: url, DATA_DIR: directory, DEPLOYMENTS_DIR: directory };
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
      expect(status, `${stdout}${stderr}${REMEDY}`).to.equal(0);
      return database;
    };

    it("keeps every row, and its buyer signs in and reads every purchase", async () => {
      const database = await run(openEmpty, "scripts/restore.ts", "--from", BACKUP);
      const kept = rowsOfBackup();
      for (const table of TABLE_NAMES.filter((name) => !(CHANGED.includes(name) || ADDED.test(name))))
        expect(await count(database, table), `${table}: ${REMEDY}`).to.equal(kept(table).length);
      const api = await startInProcess(database);
      try {
        await expectReadable(api.url, kept);
        const admin = await api.admin();
        const sales = (await admin.get("/api/admin/sales")).body.rows;
        expect(sales.map((sale: { state: string }) => sale.state).sort()).to.deep.equal(
          kept("sales")
            .map((sale) => sale.state)
            .sort(),
        );
        for (const list of ["purchases", "claims", "users", "approvals", "percent-approvals"])
          expect((await admin.get(`/api/admin/${list}`)).body.rows, list).to.not.deep.equal([]);
      } finally {
        await api.stop();
      }
    });

    it("comes forward into a later version's schema, and goes on with the version before", async () => {
      const database = await run(openEmpty, "scripts/restore.ts", "--from", BACKUP);
      await migrate(database, [...MIGRATIONS, LATER]);
      const { rows } = await sql`select count(*) as n from purchases where origin = store_name`.execute(
        database.kysely,
      );
      expect(rows).to.deep.equal([{ n: BigInt(rowsOfBackup()("purchases").length) }]);
      const api = await startInProcess(database);
      await expectReadable(api.url, rowsOfBackup()).finally(() => api.stop());
    });

    it("is examined by this version's doctor before the upgrade, and taken by no other command of it", async () => {
      const { database, url: databaseUrl } = await openEmpty();
      await migrate(database, OF_1_0);
      await sql`insert into settings (name, value, updated_at) values ('network', 'localhost', 0)`.execute(
        database.kysely,
      );
      const env = { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: directory, DEPLOYMENTS_DIR: directory };
      const doctor = spawnSync(process.execPath, ["scripts/doctor.ts"], { env, encoding: "utf8" });
      expect(doctor.stdout).to.include(`! schema: is that of an earlier version`);
      expect(doctor.stdout).to.match(/^. earlier sales: /m);
      expect(doctor.stdout).to.not.match(/^✗ database: |no such table|does not exist|audit log: /m);
      for (const command of ["backup.ts", "restored.ts", "reconcile.ts"]) {
        const { status, stderr } = spawnSync(process.execPath, [`scripts/${command}`], { env, encoding: "utf8" });
        expect(status, command).to.not.equal(0);
        expect(stderr, command).to.include("is still that of an earlier version");
      }
      expect(await migrationsOf(database.kysely)).to.deep.equal(OF_1_0.map(({ name }) => name));
    });

    it("is restored into a later version, whose upgrade fills its rows", async () => {
      const { database, url: databaseUrl } = await openEmpty();
      await readArchive(BACKUP, { ...INTO, databaseUrl }, [...MIGRATIONS, LATER]);
      const { rows } = await sql`select count(*) as n from purchases where origin = store_name`.execute(
        database.kysely,
      );
      expect(rows).to.deep.equal([{ n: BigInt(rowsOfBackup()("purchases").length) }]);
    });

    it("is as it was after a restore whose upgrade fails, which says why", async () => {
      const { database, url: databaseUrl } = await openEmpty();
      await migrate(database, OF_1_0);
      const restored = readArchive(BACKUP, { ...INTO, databaseUrl }, [...MIGRATIONS, LATER, FAILING]);
      const refusal = await restored.catch((error: Error) => error.message);
      expect(refusal).to.match(/was not restored, and .* is as it was: .*forgotten/);
      expect(await migrationsOf(database.kysely)).to.deep.equal(OF_1_0.map(({ name }) => name));
      const tables = await database.kysely.introspection.getTables();
      for (const table of TABLE_NAMES.filter((name) => name !== "shop_totals"))
        if (tables.some(({ name }) => name === table)) expect(await count(database, table), table).to.equal(0);
    });

    it("is backed up by the version before, whose archive both restore: one all of it, the other what it knows", async () => {
      const { database, url } = await openEmpty();
      await readArchive(BACKUP, { ...INTO, databaseUrl: url });
      await migrate(database, [...MIGRATIONS, WIDER]);
      await sql`insert into stickers values ('one', 2, '2'), ('one', 1, '1')`.execute(database.kysely);
      const folder = mkdtempSync(join(directory, "backups-"));
      const env = { ...process.env, DATABASE_URL: url, DATA_DIR: folder, DEPLOYMENTS_DIR: folder };
      const made = spawnSync(process.execPath, ["scripts/backup.ts"], { env, encoding: "utf8" });
      expect(made.status, made.stderr).to.equal(0);
      const [name = ""] = readdirSync(join(folder, "backups")).filter((one) => one.endsWith(".gz"));
      const file = join(folder, "backups", name);
      const [whole, known] = [await openEmpty(), await openEmpty()];
      await readArchive(file, { ...INTO, databaseUrl: whole.url }, [...MIGRATIONS, WIDER]);
      const all = await sql`
        select (select count(*) from stickers) as rows, (select count(*) from stores where stickers = name) as stores
      `.execute(whole.database.kysely);
      const stores = BigInt(await count(database, "stores"));
      expect(all.rows).to.deep.equal([{ rows: 2n, stores }]);
      const restored = await readArchive(file, { ...INTO, databaseUrl: known.url });
      expect(restored.newer).to.deep.equal(["stores.stickers", "stickers"]);
      for (const table of ["stores", "purchases", "users", "sales"] as const)
        expect(await count(known.database, table), table).to.equal(await count(database, table));
      const doctor = spawnSync(process.execPath, ["scripts/doctor.ts"], { env, encoding: "utf8" });
      expect(doctor.stdout).to.include("was upgraded by a newer version (9003-wider); this one works with it");
      const { id } = await database.kysely.selectFrom("purchases").select("id").orderBy("id").executeTakeFirstOrThrow();
      const catalogue = join(folder, "catalogue.json");
      for (const command of [
        ["catalog.ts", "export", catalogue],
        ["catalog.ts", "import", catalogue, "--apply"],
        ["trace.ts", String(id)],
        ["payouts.ts", "list"],
      ]) {
        const [script = "", ...args] = command;
        const { status, stderr } = spawnSync(process.execPath, [`scripts/${script}`, ...args], {
          env,
          encoding: "utf8",
        });
        expect(status, `${command.join(" ")}: ${stderr}`).to.equal(0);
      }
    });

    it("is not restored from a backup of a version that removed what this one uses", async () => {
      const { database, url } = await openEmpty();
      await readArchive(BACKUP, { ...INTO, databaseUrl: url });
      await migrate(database, [...MIGRATIONS, LATER, { ...WIDER, requires: LATER.name }]);
      const file = join(mkdtempSync(join(directory, "newer-")), "newer.jsonl.gz");
      await writeArchive(database, file);
      const into = await openEmpty();
      const refusal = await readArchive(file, { ...INTO, databaseUrl: into.url }).catch(
        (error: Error) => error.message,
      );
      expect(refusal).to.include("has the schema of another version (9003-wider)");
      expect(await migrationsOf(into.database.kysely)).to.deep.equal([]);
    });

    it("starts though a newer version upgrades it in that moment", async () => {
      const { database, url } = await open();
      const newer = await connect(url);
      const overtaking = once(() => migrate(newer, [...MIGRATIONS, LATER, FURTHER]));
      // Between the look at the schema and the upgrade.
      const kysely = database.kysely.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: ({ result }) => overtaking().then(() => result),
      });
      try {
        await migrate({ ...database, kysely }, [...MIGRATIONS, LATER]);
        expect((await migrationsOf(database.kysely)).at(-1)).to.equal(FURTHER.name);
      } finally {
        await newer.close();
      }
    });

    for (const format of ["json", "csv"] as const)
      it(`imports its catalogue file (${format})`, async () => {
        const database = await run(open, "scripts/catalog.ts", "import", CATALOGUES[format], "--apply");
        const rows = JSON.parse(readFileSync(CATALOGUES.json, "utf8"));
        expect(await exportRows(database)).to.have.length(rows.length);
        const text = readFileSync(CATALOGUES[format], "utf8");
        expect(await diff(database, readCatalogue(format, text))).to.deep.equal([]);
      });
  });

  it("is not restored into a database that a later version has made", async () => {
    const databaseUrl = join(directory, "made-by-later.db");
    const database = await connect(databaseUrl);
    await migrate(database, [...MIGRATIONS, LATER]).finally(() => database.close());
    const refusal = await readArchive(BACKUP, { ...INTO, databaseUrl }).catch((error: Error) => error.message);
    expect(refusal).to.include("has the schema of a newer version than the backup: set DATABASE_URL to a new database");
  });

  it("keeps every call, field, code, variable and command, and the contracts' functions and events", () => {
    const broken = brokenPromises(keptInterfaces(), readInterfaces());
    expect(
      broken.filter((one) => !DELIBERATE.test(one)),
      REMEDY,
    ).to.deep.equal([]);
  });

  it("starts with the variables that it had", () => {
    expect(readEnvironment({}).network).to.equal("localhost");
    expect(readEnvironment(REQUIRED).network).to.equal("chiliz");
    const [owner, support] = [`0x${"22".repeat(20)}`, `0x${"33".repeat(20)}`];
    const { ADMIN_WALLETS } = readEnvironment({ ...REQUIRED, ADMIN_WALLETS: `${owner},${support}:support` });
    expect(ADMIN_WALLETS.map(({ wallet, role }) => [wallet, role])).to.deep.equal([
      [owner, "owner"],
      [support, "support"],
    ]);
  });

  for (const [which, { variables, read }] of Object.entries(keptVariables()))
    it(`reads the variables that it had as it did: ${which} of them set`, () => {
      const now: Record<string, unknown> = {
        api: readEnvironment(variables),
        indexer: readIndexerEnvironment(variables),
        network: readNetworkEnvironment(variables),
        operator: readOperatorEnvironment(variables),
      };
      const changed = Object.entries(read).flatMap(([process, values]) => differences(process, values, now[process]));
      expect(changed, "a new default is the changelog's first lines").to.deep.equal([]);
    });

  it("starts with the file of accounts that it had", () => {
    const file = join(directory, "accounts.json");
    writeFileSync(file, JSON.stringify(ACCOUNTS), { mode: 0o600 });
    const read = readAccounts(file, []);
    for (const [index, account] of ACCOUNTS.entries()) expect(read[index]).to.deep.include(account);
  });

  it("would not be broken silently", () => {
    const broken = (change: (now: Interfaces) => void) => {
      const now = structuredClone(keptInterfaces());
      change(now);
      return brokenPromises(keptInterfaces(), now);
    };
    const login = (now: Interfaces) => now.calls["POST /api/login"] ?? { asks: {}, answers: {} };
    expect(broken((now) => delete now.calls["GET /api/me"])).to.deep.equal(["The call GET /api/me is gone"]);
    expect(broken((now) => delete login(now).answers["200.token"])).to.deep.equal([
      "POST /api/login: 200.token is gone",
    ]);
    expect(broken((now) => Object.assign(login(now).answers, { "200.token": "null|string?" }))).to.deep.equal([
      "POST /api/login: 200.token may be null, and was string",
    ]);
    const me = (now: Interfaces) => now.calls["GET /api/me"]?.answers ?? {};
    const situations = me(keptInterfaces())["200.data.purchases[].situation"];
    const added = broken((now) =>
      Object.assign(me(now), { "200.data.purchases[].situation": `"credit_used"|${situations}` }),
    );
    expect(added).to.deep.equal([
      `GET /api/me: 200.data.purchases[].situation may be "credit_used", and was ${situations}`,
    ]);
    expect(broken((now) => Object.assign(login(now).asks, { "body.captcha": "string" }))).to.deep.equal([
      "POST /api/login: body.captcha became required",
    ]);
    expect(broken((now) => Object.assign(login(now).asks, { "body.captcha": "string?" }))).to.deep.equal([]);
    expect(
      broken((now) => Object.assign(now, { variables: now.variables.filter((name) => name !== "RPC_URLS") })),
    ).to.deep.equal(["The variable RPC_URLS is gone"]);
    expect(
      broken((now) => Object.assign(now, { commands: now.commands.filter((name) => name !== "backup") })),
    ).to.deep.equal(["The command backup is gone"]);
    const format = (words: string) => (now: Interfaces) =>
      Object.assign(now.calls["POST /api/admin/catalogue"]?.asks ?? {}, { "body.format": words });
    expect(broken(format('"csv"'))).to.deep.equal([
      'POST /api/admin/catalogue: body.format must be "csv", and was "csv"|"json"',
    ]);
    expect(broken(format('"csv"|"json"|"xml"'))).to.deep.equal([]);
    expect(broken(format("string"))).to.deep.equal([]);
    expect(broken((now) => now.contracts.PurchaseNFT?.pop())).to.have.length(1);
  });
});

type Row = Record<string, string | null>;

/** The rows of the backup file, without the letters that mark their types. */
function rowsOfBackup(): (table: TableName) => Row[] {
  const lines = gunzipSync(readFileSync(BACKUP)).toString("utf8").trim().split("\n").slice(1, -1);
  const rows: [string, Row][] = lines.map((line) => JSON.parse(line));
  const plain = (row: Row) =>
    Object.fromEntries(Object.entries(row).map(([name, text]) => [name, text?.slice(1) ?? null]));
  return (table) => rows.filter(([name]) => name === table).map(([, row]) => plain(row));
}

async function count({ kysely }: Database, table: TableName): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`select count(*) as count from ${sql.table(table)}`.execute(kysely);
  return Number(rows[0]?.count);
}

async function expectReadable(url: string, kept: ReturnType<typeof rowsOfBackup>): Promise<void> {
  const buyer = new Caller(url, BUYER_KEY);
  await buyer.enter();
  const me = await buyer.me();
  const amounts = (list: readonly { id: unknown; amount: unknown }[]) =>
    list.map(({ id, amount }) => [Number(id), Number(amount)]);
  const bought = kept("purchases").map(({ id, amount_cents }) => ({ id, amount: Number(amount_cents) / 100 }));
  expect(amounts(me.purchases).sort()).to.deep.equal(amounts(bought).sort());
  const stores = (await buyer.get("/api/stores")).body;
  expect(JSON.stringify(stores)).to.include(kept("stores")[0]?.name);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

function keptInterfaces(): Interfaces {
  return JSON.parse(gunzipSync(readFileSync(INTERFACES)).toString("utf8"));
}

/** By how many are set: variables, and what each process of 1.0.0 made of them. A folder of the machine is `{folder}`. */
function keptVariables(): Record<string, { variables: Record<string, string>; read: Record<string, unknown> }> {
  return JSON.parse(readFileSync(VARIABLES, "utf8"));
}

/** Where a value of `kept` is another one now. */
function differences(path: string, kept: unknown, now: unknown): string[] {
  if (typeof kept !== "object" || kept === null) {
    const isSame = kept === (typeof now === "bigint" ? `${now}n` : (now ?? null));
    return isSame ? [] : [`${path} is ${now}, and was ${kept}`];
  }
  const given = Object(now instanceof Map || now instanceof Set ? [...now] : now);
  return Object.entries(kept).flatMap(([name, value]) => differences(`${path}.${name}`, value, given[name]));
}

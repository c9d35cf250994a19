import { spawn, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { listErased } from "../../api/people/erased-list.ts";
import { seedCatalogue } from "../../core/catalogue/seed.ts";
import { connect, type Database } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { readSetting } from "../../core/database/settings.ts";
import { prepareDatabase } from "../../core/process/prepare-database.ts";
import type { Network } from "../../core/rules/networks.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { readOperatorEnvironment } from "../../scripts/operator/environment.ts";
import { openDatabase } from "../../scripts/operator/open-database.ts";
import { bareEnvironment } from "../testing/bare-environment.ts";
import { skipWithout } from "../testing/skip.ts";
import { until } from "../testing/until.ts";

const NFT = `0x${"11".repeat(20)}` as const;
const DISTRIBUTOR = `0x${"22".repeat(20)}` as const;

const LEAVER = `0x${"33".repeat(20)}` as WalletAddress;

const RECEIVER = join(process.cwd(), "deploy/receive-backup");
const COMMANDS: Record<string, readonly string[]> = {
  payouts: ["--resume"],
  reconcile: [],
  backup: [],
  doctor: [],
  catalog: ["diff", "catalogue.csv"],
};

describe("An operator's command @deep", function () {
  this.timeout(300_000);
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "torcida-operator-"));
    writeFileSync(join(directory, "catalogue.csv"), "type,store,name,country,category,cashback_percent,slug,image\n");
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const dataDirectory = () => join(directory, "data");
  const file = () => join(dataDirectory(), "torcida.db");

  function run(command: string, environment: Record<string, string> = {}) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(process.cwd(), `scripts/${command}.ts`), ...(COMMANDS[command] ?? [])],
      {
        cwd: directory,
        encoding: "utf8",
        env: {
          ...bareEnvironment(),
          DATA_DIR: dataDirectory(),
          DEPLOYMENTS_DIR: join(directory, "deployments"),
          PURCHASE_NFT_ADDRESS: NFT,
          CASHBACK_DISTRIBUTOR_ADDRESS: DISTRIBUTOR,
          CHAIN_PORT: "9",
          ...environment,
        },
      },
    );
    return { status, output: stdout + stderr };
  }

  const prepare = (network: Network) =>
    prepareDatabase({ databaseUrl: file(), dataDirectory: dataDirectory(), network, onWait: () => {} });

  async function databaseOf(network: Network, indexed?: { chain_id: bigint; purchase_nft: `0x${string}` }) {
    await prepare(network);
    if (!indexed) return;
    const database = await connect(file());
    const row = { id: 1n, start_block: 0n, cashback_distributor: DISTRIBUTOR, ...indexed };
    await database.kysely.insertInto("chain_source").values(row).execute();
    await database.close();
  }

  for (const command of Object.keys(COMMANDS)) {
    it(`${command} rejects a missing database, and creates none (F50)`, () => {
      const { status, output } = run(command);
      expect(output).to.include(`There is no database ${file()}`);
      expect(status).not.to.equal(0);
      expect(existsSync(dataDirectory())).to.equal(false);
    });

    it(`${command} refuses a database of another network (F50)`, async () => {
      await databaseOf("spicy");
      const { status, output } = run(command);
      expect(output).to.include(`${file()} is of spicy, but this process is for localhost: correct NETWORK`);
      expect(status).not.to.equal(0);
    });
  }

  const opening = async () => {
    const environment = readOperatorEnvironment({
      DATA_DIR: dataDirectory(),
      PURCHASE_NFT_ADDRESS: NFT,
      CASHBACK_DISTRIBUTOR_ADDRESS: DISTRIBUTOR,
    });
    const database = await openDatabase(environment, { print: false });
    await database.close();
  };

  for (const [what, prepare, refusal] of [
    ["without tables", () => connect(file()).then((database) => database.close()), /has no tables of Torcida/],
    [
      "of another chain",
      () => databaseOf("localhost", { chain_id: 88_888n, purchase_nft: NFT }),
      /is of chain 88888, but this process is for localhost/,
    ],
    [
      "of other contracts",
      () => databaseOf("localhost", { chain_id: 88_882n, purchase_nft: DISTRIBUTOR }),
      new RegExp(`is of PurchaseNFT ${DISTRIBUTOR}, but this process is for localhost's ${NFT}`),
    ],
    [
      "of another version",
      () =>
        withDatabase(async (database) => {
          await migrate(database);
          await sql`update kysely_migration set name = '0001-initial' where name like '0001-%'`.execute(
            database.kysely,
          );
        }),
      /was made by another version before 1\.0\.0: export its catalogue with that version \(npm run catalog/,
    ],
  ] as const) {
    it(`refuses a database ${what}`, async () => {
      await prepare();
      const refused = await opening().catch((error: Error) => error.message);
      expect(refused).to.match(refusal);
    });
  }

  it("doctor leads from another version's database to the page about upgrading, once", async () => {
    await withDatabase(async (database) => {
      await migrate(database);
      await sql`update kysely_migration set name = '0001-initial' where name like '0001-%'`.execute(database.kysely);
    });
    const { output } = run("doctor");
    expect(output.match(/made by another version/g)).to.have.length(1);
    expect(output).to.include("→ docs/upgrading.md#another-version");
  });

  it("says which database, chain and contracts it acts on (F50)", async () => {
    await databaseOf("localhost", { chain_id: 88_882n, purchase_nft: NFT });
    const place = `the database ${file()} of localhost (chain 88882): PurchaseNFT ${NFT}, CashbackDistributor ${DISTRIBUTOR}`;
    for (const command of ["payouts", "catalog"]) {
      const { status, output } = run(command);
      expect(output, command)
        .to.match(/^Acting on /)
        .and.include(place);
      expect(status, command).to.equal(0);
    }
  });

  it("leaves the payout switch of another network unchanged", async () => {
    await databaseOf("chiliz");
    await withDatabase(async ({ kysely }) => {
      const row = { name: "payouts_paused" as const, value: "a reason", updated_at: 1n };
      await kysely.insertInto("settings").values(row).execute();
    });
    expect(run("payouts").status).to.equal(1);
    await withDatabase(async ({ kysely }) => {
      expect(await readSetting(kysely, "payouts_paused")).to.equal("a reason");
    });
  });

  it("may be for another network as long as the database has no rows", async () => {
    await databaseOf("spicy");
    await prepare("localhost");
    await withDatabase((database) => seedCatalogue(database));
    const refused = await prepare("chiliz").catch((error: Error) => error.message);
    expect(refused).to.match(/is of localhost, but this process is for chiliz/);
  });

  it("backup leaves a file that nobody else may read", async () => {
    await databaseOf("localhost");
    expect(run("backup").status).to.equal(0);
    const backups = join(dataDirectory(), "backups");
    const [name = ""] = readdirSync(backups);
    expect([modeOf(backups), modeOf(join(backups, name))]).to.deep.equal(["700", "600"]);
  });

  const ageKey = (context: Mocha.Context) => {
    const made = spawnSync("age-keygen", ["-o", join(directory, "backup.key")], { encoding: "utf8" });
    if (made.status !== 0) skipWithout(context, "age: Debian's package age");
    return /age1\w+/.exec(made.stderr)?.[0] ?? "";
  };

  it("backup gives the receiver a copy that only the private key reads", async function () {
    const BACKUP_PUBLIC_KEY = ageKey(this);
    await databaseOf("localhost");
    mkdirSync(join(dataDirectory(), "assets"));
    const picture = `${"a".repeat(64)}.png`;
    writeFileSync(join(dataDirectory(), "assets", picture), "a picture");
    const elsewhere = join(directory, "elsewhere");
    mkdirSync(elsewhere);
    const BACKUP_RECEIVER = `${RECEIVER} ${elsewhere}`;
    for (const hour of ["01", "02"]) writeFileSync(join(elsewhere, copyOf(`2001-02-03T${hour}-00-00Z`)), "");
    const { status, output } = run("backup", { BACKUP_RECEIVER, BACKUP_PUBLIC_KEY });
    expect(status, output).to.equal(0);
    const [first, ...copies] = readdirSync(elsewhere).filter((name) => name.endsWith(".tar.age"));
    expect(first, "the first of its month").to.equal(copyOf("2001-02-03T01-00-00Z"));
    expect(copies).to.have.length(1);
    const decrypted = spawnSync("age", ["-d", "-i", join(directory, "backup.key"), join(elsewhere, copies[0] ?? "")]);
    const listed = spawnSync("tar", ["-t"], { input: decrypted.stdout, encoding: "utf8" }).stdout.trim().split("\n");
    expect(listed).to.include(`assets/${picture}`);
    expect(listed[0]).to.match(/^torcida-.*\.jsonl\.gz$/);
    expect(readdirSync(join(dataDirectory(), "backups")).filter((name) => name.includes("age"))).to.deep.equal([]);
    await withDatabase(async ({ kysely }) => {
      expect(Number(await readSetting(kysely, "backup_copied_at"))).to.be.greaterThan(Date.now() - 60_000);
    });
  });

  it("backup fails if the receiver does not confirm the whole copy, or no key is named", async function () {
    const BACKUP_PUBLIC_KEY = ageKey(this);
    await databaseOf("localhost");
    for (const [receiver, said] of [
      ["head -c 10 | sha256sum | cut -d' ' -f1", "did not confirm the copy"],
      ["echo no such host >&2; exit 255", "ended with 255: no such host"],
    ] as const) {
      const { status, output } = run("backup", { BACKUP_RECEIVER: receiver, BACKUP_PUBLIC_KEY });
      expect([status, output.includes(said)], output).to.deep.equal([1, true]);
    }
    await withDatabase(async ({ kysely }) => {
      expect(await readSetting(kysely, "backup_copied_at")).to.equal(undefined);
    });
    expect(run("backup", { BACKUP_RECEIVER: "true" }).output).to.include("BACKUP_PUBLIC_KEY is missing");
  });

  const sha256 = createHash("sha256").update("a copy").digest("hex");
  const receive = (input: string) => spawnSync(RECEIVER, [directory], { input, encoding: "utf8", timeout: 60_000 });

  it("backup fails and leaves the copies alone if the receiver's disk is full, and takes the next one @deep", async function () {
    const BACKUP_PUBLIC_KEY = ageKey(this);
    await databaseOf("localhost");
    const elsewhere = join(directory, "full");
    mkdirSync(elsewhere);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", elsewhere]).status !== 0)
      skipWithout(this, "root, who may mount a file system");
    try {
      const older = copyOf(new Date().toISOString().slice(0, 10).concat("T00-00-00Z"));
      writeFileSync(join(elsewhere, older), "x".repeat(60 * 1_024));
      const to = { BACKUP_RECEIVER: `${RECEIVER} ${elsewhere}`, BACKUP_PUBLIC_KEY };
      const full = run("backup", to);
      expect(
        [full.status, full.output.includes("ended with 1: cat: write error: No space left on device")],
        full.output,
      ).to.deep.equal([1, true]);
      expect(full.output, "the backup itself is there").to.match(/\.jsonl\.gz: \d+ rows/);
      const kept = () => readdirSync(elsewhere).filter((name) => name.includes("torcida-"));
      expect(kept()).to.deep.equal([older]);
      await withDatabase(async ({ kysely }) => {
        expect(await readSetting(kysely, "backup_copied_at")).to.equal(undefined);
      });
      expect(spawnSync("mount", ["-o", "remount,size=1m", elsewhere]).status).to.equal(0);
      expect(run("backup", to).status).to.equal(0);
      expect(kept()).to.have.length(2).and.to.include(older);
    } finally {
      spawnSync("umount", [elsewhere]);
    }
  });

  it("a copy is not unpacked with another key, and one that was cut off is not restored", async function () {
    const BACKUP_PUBLIC_KEY = ageKey(this);
    await databaseOf("localhost");
    const elsewhere = join(directory, "copies");
    mkdirSync(elsewhere);
    // So that the archive is longer than what age decrypts at once.
    await withDatabase(async ({ kysely }) => {
      const noise = Array.from({ length: 2_000 }, () => randomBytes(96).toString("base64")).join("");
      await kysely.insertInto("settings").values({ name: "difference_list", value: noise, updated_at: 1n }).execute();
    });
    expect(run("backup", { BACKUP_RECEIVER: `${RECEIVER} ${elsewhere}`, BACKUP_PUBLIC_KEY }).status).to.equal(0);
    const copy = readdirSync(elsewhere).find((name) => name.endsWith(".age")) ?? "";
    /** docs/going-live.md#11-backups-elsewhere */
    const unpack = (key: string, file: string) => {
      const into = mkdtempSync(join(directory, "unpacked-"));
      const { stderr } = spawnSync("sh", ["-c", `age -d -i "$1" "$2" | tar -x`, "sh", key, file], {
        cwd: into,
        encoding: "utf8",
      });
      return { stderr, files: readdirSync(into).map((name) => join(into, name)) };
    };
    const right = join(directory, "backup.key");
    const wrong = join(directory, "wrong.key");
    spawnSync("age-keygen", ["-o", wrong]);
    const refused = unpack(wrong, join(elsewhere, copy));
    expect(refused.stderr).to.include("no identity matched any of the recipients");
    expect(refused.files).to.deep.equal([]);
    const bytes = readFileSync(join(elsewhere, copy));
    const cut = join(elsewhere, "cut.age");
    writeFileSync(cut, bytes.subarray(0, bytes.length - 40_000));
    const part = unpack(right, cut);
    expect(part.stderr).to.not.equal("");
    const half = part.files.find((name) => name.endsWith(".gz")) ?? "";
    const target = join(dataDirectory(), "half.db");
    COMMANDS.restore = ["--from", half];
    const { status, output } = run("restore", { DATABASE_URL: target });
    expect([status, existsSync(target)], output).to.deep.equal([1, false]);
    COMMANDS.restore = [
      "--from",
      unpack(right, join(elsewhere, copy)).files.find((name) => name.endsWith(".gz")) ?? "",
    ];
    expect(run("restore", { DATABASE_URL: target }).output).to.include("are restored");
  });

  it("the receiver keeps nothing of a copy that broke off, and says so", () => {
    const before = readdirSync(directory);
    for (const [input, said] of [
      [`${sha256}\na cop`, "the copy is not whole and was not kept\n"],
      [`${sha256}\n`, "the copy is not whole and was not kept\n"],
      ["", "nothing was received\n"],
    ] as const) {
      const { status, stdout, stderr } = receive(input);
      expect([status, stdout, stderr]).to.deep.equal([1, "", said]);
    }
    expect(readdirSync(directory).filter((name) => name !== ".lock")).to.deep.equal(before);
  });

  it("the receiver takes a copy though another connection hangs, or one was killed or found the disk full", async () => {
    const [killed, running] = ["killed", "running"].map((name) => `.torcida-${name}.part`);
    for (const name of [killed, running]) writeFileSync(join(directory, name ?? ""), "a co");
    const yesterday = Date.now() / 1_000 - 25 * 3_600;
    utimesSync(join(directory, killed ?? ""), yesterday, yesterday);
    for (const hour of ["01", "02"]) writeFileSync(join(directory, copyOf(`2001-02-03T${hour}-00-00Z`)), "");
    const hanging = spawn(RECEIVER, [directory], { stdio: ["pipe", "ignore", "ignore"] });
    try {
      hanging.stdin.write(`${sha256}\na co`);
      await until("it receives", () => readdirSync(directory).some((name) => name.endsWith(`${hanging.pid}.part`)));
      expect(receive(`${sha256}\n`).status, "no room for it").to.equal(1);
      const names = () => readdirSync(directory).filter((name) => name.includes("torcida-"));
      expect(names(), "room is made first").to.not.include.members([copyOf("2001-02-03T02-00-00Z")]);
      expect(names()).to.include(running).and.not.include(killed);
      const { status, stdout } = receive(`${sha256}\na copy`);
      expect([status, stdout.trim()]).to.deep.equal([0, sha256]);
    } finally {
      hanging.stdin.end();
      await once(hanging, "close");
    }
  });

  it("the receiver keeps each day and month, however far ahead its clock is", () => {
    const names = ["2001-02-03", "2001-02-04", "2001-03-01"].map((day) => copyOf(`${day}T01-00-00Z`));
    for (const name of names) writeFileSync(join(directory, name), "");
    expect(receive(`${sha256}\na copy`).status).to.equal(0);
    expect(readdirSync(directory)).to.include.members(names);
  });

  it("the receiver keeps two days of copies, the first of 14 days and of 12 months", () => {
    const now = Date.now();
    const at = (hours: number) =>
      copyOf(new Date(now - hours * 3_600_000).toISOString().replace(/:/g, "-").replace(/\.\d+/, ""));
    const names = Array.from({ length: 400 * 4 }, (_, index) => at((index + 1) * 6));
    for (const name of names) writeFileSync(join(directory, name), "");
    const { status, stdout } = receive(`${sha256}\na copy`);
    expect([status, stdout.trim()]).to.deep.equal([0, sha256]);
    const kept = readdirSync(directory).filter((name) => name.endsWith(".tar.age"));
    expect(names.filter((name) => name > at(47) && !kept.includes(name))).to.deep.equal([]);
    const firsts = (length: number) =>
      new Set(names.map((name) => names.filter((one) => one.startsWith(name.slice(0, length))).sort()[0]));
    const days = new Set(kept.map((name) => name.slice(0, "torcida-2026-01-01".length)));
    const months = new Set(kept.map((name) => name.slice(0, "torcida-2026-01".length)));
    expect(months.size).to.equal(13);
    expect(days.size).to.be.within(15 + 11, 15 + 13);
    expect(kept.length).to.be.lessThan(40);
    const old = kept.filter((name) => name < at(50));
    const first = new Set([...firsts("torcida-2026-01-01".length), ...firsts("torcida-2026-01".length)]);
    expect(old.filter((name) => !first.has(name))).to.deep.equal([]);
  });

  it("backup and restore keep who was erased, though the list was emptied since", async () => {
    await databaseOf("localhost");
    const list = join(dataDirectory(), "erased");
    const [older, newer] = ["a", "b"].map((digit) => `2026-11-24T10:00:00.000Z ${digit.repeat(64)} 0a0a0a0a`);
    // The second was cut off by a loss of power.
    writeFileSync(list, `${older}\n2026-11-24T10:`);
    expect(run("backup").output).to.include("rows");
    // As an api does that is started on a new disk.
    writeFileSync(list, "");
    expect(run("backup").output).to.include("rows");
    writeFileSync(list, `${newer}\n`);
    const backups = join(dataDirectory(), "backups");
    const name = readdirSync(backups).find((one) => one.endsWith(".gz")) ?? "";
    COMMANDS.restore = ["--from", join(backups, name)];
    const restored = run("restore", { DATABASE_URL: join(dataDirectory(), "restored.db") });
    expect(restored.output).to.include("are restored");
    const lines = readFileSync(list, "utf8").split("\n");
    expect(lines.filter((line) => line !== "")).to.deep.equal([newer, older]);
  });

  it("restore says what it acts on, and who left after the backup and is back", async () => {
    await databaseOf("localhost");
    const key = "5a".repeat(32);
    const list = join(dataDirectory(), "erased");
    await withDatabase(async ({ kysely }) => {
      const person = { email: "ana@example.com", first_name: "Ana", last_name: "Silva", created_at: 1n };
      await kysely
        .insertInto("users")
        .values({ ...person, wallet: LEAVER })
        .execute();
    });
    expect(run("backup").output).to.include("rows");
    const backups = join(dataDirectory(), "backups");
    COMMANDS.restore = ["--from", join(backups, readdirSync(backups)[0] ?? "")];
    let count = 0;
    const restore = async (environment: Record<string, string> = {}) => {
      const target = join(dataDirectory(), `${++count}.db`);
      const { status, output } = run("restore", { DATABASE_URL: target, ...environment });
      expect(status, output).to.equal(0);
      expect(output).to.match(/^Acting on the database .*\.db of localhost \(chain 88882\): PurchaseNFT 0x/);
      expect(output).to.include(target);
      const restored = await connect(target);
      const { erased_at } = await restored.kysely.selectFrom("users").select("erased_at").executeTakeFirstOrThrow();
      await restored.close();
      return { output, isErased: erased_at !== null };
    };
    const warns = "before npm run restored\n";
    expect((await restore()).output)
      .to.include(`! There is no ${list}: `)
      .and.include(warns);
    listErased(list, { SALE_REF_KEY: key, SALE_REF_KEYS: [] }, { wallet: LEAVER, created_at: 1n });
    const wrong: Record<string, string>[] = [{}, { SALE_REF_KEY: "5b".repeat(32) }];
    for (const environment of wrong) {
      const { output, isErased } = await restore(environment);
      expect(output).to.include(`! 1 wishes to leave in ${list} are by a key that is not here`).and.include(warns);
      expect(isErased).to.equal(false);
    }
    const right: Record<string, string>[] = [{ SALE_REF_KEY: key }, { SALE_REF_KEYS: key }];
    for (const environment of right) {
      const { output, isErased } = await restore(environment);
      expect(output).to.include("1 profiles that were erased since are erased again").and.not.include("!");
      expect(isErased).to.equal(true);
    }
  });

  it("started by root leaves files of the data directory's owner @deep", async function () {
    if (process.getuid?.() !== 0) skipWithout(this, "root");
    await databaseOf("localhost");
    chmodSync(directory, 0o755);
    const NOBODY = 65_534;
    spawnSync("chown", ["-R", `${NOBODY}:${NOBODY}`, dataDirectory()]);
    expect(run("backup").output).to.include("rows");
    const backups = join(dataDirectory(), "backups");
    const [name = ""] = readdirSync(backups);
    COMMANDS.restore = ["--from", join(backups, name)];
    const restored = join(dataDirectory(), "restored.db");
    expect(run("restore", { DATABASE_URL: restored }).output).to.include("are restored");
    for (const path of [backups, join(backups, name), restored]) expect(statSync(path).uid, path).to.equal(NOBODY);
  });

  async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
    const database = await connect(file());
    await work(database).finally(() => database.close());
  }
});

const copyOf = (time: string) => `torcida-${time}.tar.age`;

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

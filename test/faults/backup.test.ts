import { createHash } from "node:crypto";
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { createGzip, gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { sql } from "kysely";
import { listErased, listUnsubscribed, readErasedList } from "../../api/people/erased-list.ts";
import type { Database } from "../../core/database/connect.ts";
import { connect } from "../../core/database/connect.ts";
import { TABLE_NAMES, TABLES } from "../../core/database/generated/schema.ts";
import { migrate } from "../../core/database/migrate.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { copyPictures } from "../../scripts/backup/copy-pictures.ts";
import { openCopy } from "../../scripts/backup/open-copy.ts";
import { readArchive } from "../../scripts/backup/read-archive.ts";
import { inUnfinished } from "../../scripts/backup/unfinished.ts";
import { writeArchive } from "../../scripts/backup/write-archive.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { until } from "../testing/until.ts";

const WALLET = "0x00000000000000000000000000000000000000aa" as WalletAddress;
const NO_GAP = 0n;
/** By the restore. */
const CHANGED: readonly string[] = ["leases", "settings", "sessions", "sign_in_nonces"];

describe("Backup and restore @deep", function () {
  this.timeout(300_000);
  const directory = mkdtempSync(join(tmpdir(), "torcida-backup-test-"));
  after(() => rmSync(directory, { recursive: true, force: true }));
  let count = 0;
  const newFile = (extension: string) => join(directory, `${++count}.${extension}`);

  it("keeps the uploaded pictures beside the file, and puts them back", async () => {
    const folders = ["data", "backups", "restored"].map((name) => join(directory, name, "assets"));
    const [from = "", kept = "", back = ""] = folders;
    const [first, second] = [`${"a".repeat(64)}.png`, `${"b".repeat(64)}.webp`];
    expect(await copyPictures(from, kept), "nothing was uploaded").to.equal(0);
    mkdirSync(from, { recursive: true });
    for (const name of [first, "half.part"]) writeFileSync(join(from, name), name);
    expect(await copyPictures(from, kept)).to.equal(1);
    writeFileSync(join(from, second), second);
    expect([await copyPictures(from, kept), await copyPictures(from, kept)]).to.deep.equal([1, 0]);
    expect(await copyPictures(kept, back)).to.equal(2);
    expect(readdirSync(back)).to.have.members([first, second]);
    expect(readFileSync(join(back, second), "utf8")).to.equal(second);
  });

  it("are opened for a trial by the newest name, and not without the key of an encrypted one", async () => {
    const folder = mkdtempSync(join(directory, "copies-"));
    const names = [
      "torcida-2026-11-29T10-00-00-000Z.jsonl.gz",
      "torcida-2026-11-28T10-00-00-000Z.jsonl.gz",
      "other.gz",
    ];
    for (const name of names) writeFileSync(join(folder, name), "");
    expect(await openCopy(folder, undefined, folder)).to.deep.equal({ archive: join(folder, names[0] ?? ""), folder });
    const encrypted = join(folder, "torcida-2026-11-30T10-00-00Z.tar.age");
    writeFileSync(encrypted, "");
    const refusal = await openCopy(folder, undefined, folder).catch((error: Error) => error.message);
    expect(refusal).to.equal(`${encrypted} is encrypted: name the private key, --identity torcida-backup.key`);
  });

  it("names the folder that is full, and leaves nothing unfinished in it", async () => {
    const folder = mkdtempSync(join(directory, "full-"));
    for (const code of ["ENOSPC", "SQLITE_FULL"]) {
      const refusal = await inUnfinished(folder, async (unfinished) => {
        writeFileSync(join(unfinished, "archive"), "personal data");
        throw Object.assign(new Error("no space"), { code });
      }).catch((error: Error) => error.message);
      expect(refusal).to.equal(
        `${folder} is full: free up space, or move older backups elsewhere; then run this again`,
      );
      expect(readdirSync(folder)).to.deep.equal([]);
    }
  });

  it("removes what a killed copy of pictures left a day ago", async () => {
    const [from, to] = [mkdtempSync(join(directory, "from-")), mkdtempSync(join(directory, "to-"))];
    const name = `${"c".repeat(64)}.png`;
    writeFileSync(join(from, name), name);
    const left = mkdtempSync(join(to, ".unfinished-"));
    const before = new Date(Date.now() - 25 * 3_600_000);
    utimesSync(left, before, before);
    await copyPictures(from, to);
    expect(readdirSync(to)).to.deep.equal([name]);
  });

  onEitherEngine((engine) => {
    const filled = async () => {
      const opened = await engine.open();
      await fill(opened.database);
      return opened;
    };
    const emptyUrl = async () => {
      const { database, url } = await engine.open();
      await database.close();
      return url;
    };

    it("removes what a killed backup left a day ago, and leaves one that may still be running", async () => {
      const { database, url } = await filled();
      await database.close();
      const folder = mkdtempSync(join(directory, "kept-"));
      const [old, young] = [".unfinished-old", ".unfinished-new"];
      for (const name of [old, young]) {
        mkdirSync(join(folder, name));
        writeFileSync(join(folder, name, "copy.db"), "personal data");
      }
      const before = new Date(Date.now() - 25 * 3_600_000);
      utimesSync(join(folder, old), before, before);
      await archive(url, join(folder, "whole.gz"));
      expect(readdirSync(folder)).to.have.members([young, "whole.gz"]);
    });

    it("restores every row of every table, and pauses payouts", async () => {
      const { database, url } = await filled();
      const { rows } = await archive(url, newFile("gz"));
      expect(rows).to.be.greaterThan(5_000);
      const target = await emptyUrl();
      await readArchive(join(directory, `${count}.gz`), into(target, NO_GAP));
      const restored = await connect(target);
      try {
        for (const table of TABLE_NAMES) {
          if (CHANGED.includes(table)) continue;
          expect(await contents(restored, table), table).to.deep.equal(await contents(database, table));
        }
        const [paused] = (await contents(restored, "settings")).filter((row) => row.name === "payouts_paused");
        expect(paused?.value).to.match(/^Restored from the backup of .*npm run restored/);
        expect(await contents(restored, "sessions"), "who has logged out since stays so").to.deep.equal([]);
        expect((await contents(restored, "leases"))[0]).to.include({ fencing_token: 7n, expires_at: 0n });
      } finally {
        await restored.close();
      }
    });

    it("moves a database to the other engine", async () => {
      const { database, url } = await filled();
      const file = newFile("gz");
      await archive(url, file);
      const target = newFile("db");
      await readArchive(file, into(target, NO_GAP));
      const restored = await connect(target);
      try {
        expect(await contents(restored, "purchases")).to.deep.equal(await contents(database, "purchases"));
      } finally {
        await restored.close();
      }
    });

    it("never assigns a purchase id that may be a ticket by now, nor an id that a receiver or a page may know (F19)", async () => {
      const { url } = await filled();
      const file = newFile("gz");
      await archive(url, file);
      const target = await emptyUrl();
      await readArchive(file, into(target));
      const restored = await connect(target);
      try {
        expect(await insertPurchase(restored)).to.equal(100_002n);
        const store = await restored.kysely
          .insertInto("stores")
          .values({ name: "B", country: "BR", featured: 0n, created_at: 1n, updated_at: 1n })
          .returning("id")
          .executeTakeFirstOrThrow();
        expect(store.id).to.equal(2n);
        const notice = await restored.kysely
          .insertInto("notices")
          .values({ kind: "a task", body: "{}", created_at: 1n, due_at: null })
          .returning("id")
          .executeTakeFirstOrThrow();
        expect(notice.id, "a receiver ignores a repeated id").to.equal(100_001n);
      } finally {
        await restored.close();
      }
    });

    it("keeps erased who was erased after the backup, and unsubscribed who was, but not who came back", async () => {
      const { database, url } = await filled();
      const walletOf = (end: string) => `0x${end.padStart(40, "0")}` as WalletAddress;
      const [kept, again] = [walletOf("bb"), walletOf("cc")];
      // Its clock was put back between the registration and the erasure.
      const ahead = { wallet: walletOf("dd"), created_at: BigInt(Date.now() + 60_000) };
      for (const { wallet, created_at } of [{ wallet: kept, created_at: 1n }, { ...ahead, wallet: again }, ahead]) {
        await database.kysely
          .insertInto("users")
          .values({ ...user(wallet), created_at })
          .execute();
      }
      await database.kysely.updateTable("users").set({ created_at: 1n }).where("wallet", "=", WALLET).execute();
      const readers = [
        { wallet: kept, mail_topics: "payments", mail_chosen_at: 1n },
        { wallet: again, mail_topics: "payments", mail_chosen_at: BigInt(Date.now() + 60_000) },
      ] as const;
      await database.kysely.insertInto("event_readers").values(readers).execute();
      const file = newFile("gz");
      await archive(url, file);
      const list = newFile("erased");
      listErased(list, { SALE_REF_KEY: "an older key", SALE_REF_KEYS: [] }, { wallet: WALLET, created_at: 1n });
      for (const one of [{ wallet: again, created_at: 1n }, ahead])
        listErased(list, { SALE_REF_KEY: "a key", SALE_REF_KEYS: [] }, one);
      for (const one of readers)
        listUnsubscribed(list, { SALE_REF_KEY: "a key", SALE_REF_KEYS: [] }, { ...one, mail_chosen_at: 1n });
      expect(readFileSync(list, "utf8")).not.to.include(WALLET.slice(2));
      const target = await emptyUrl();
      const erased = readErasedList(list, { SALE_REF_KEY: "a key", SALE_REF_KEYS: ["an older key"] });
      expect(erased.warning).to.equal("");
      expect((await readArchive(file, { ...into(target, NO_GAP), erased })).left).to.deep.equal({
        erased: 2,
        unsubscribed: 1,
      });
      const restored = await connect(target);
      try {
        const rows = await contents(restored, "users");
        expect(rows.map(({ wallet, email }) => [wallet, email])).to.deep.equal([
          [WALLET, ""],
          [kept, "ana@example.com"],
          [again, "ana@example.com"],
          [ahead.wallet, ""],
        ]);
        const topics = (await contents(restored, "event_readers")).map(({ mail_topics }) => mail_topics);
        expect(topics).to.deep.equal(["", "payments"]);
      } finally {
        await restored.close();
      }
    });

    it("is a consistent snapshot while rows are written", async () => {
      const { database, url } = await filled();
      let writing = true;
      let written = 0;
      const writer = (async () => {
        for (let index = 0; writing; index++) {
          await database.kysely.transaction().execute(async (queries) => {
            const wallet = `0x${(index + 1_000_000).toString(16).padStart(40, "0")}` as WalletAddress;
            await queries.insertInto("users").values(user(wallet)).execute();
            await queries.insertInto("event_readers").values({ wallet }).execute();
          });
          written++;
          // Not without a pause, which would leave the archive hardly any time.
          await delay(1);
        }
      })();
      const file = newFile("gz");
      await until("a row is written", async () => written > 0);
      await archive(url, file);
      writing = false;
      await writer;
      const lines = gunzipSync(readFileSync(file)).toString("utf8").split("\n");
      const of = (table: string) => lines.filter((line) => line.startsWith(`["${table}"`)).length;
      // The archive reads 5,000 rows of other tables between them; one user was there before.
      expect(of("users") - 1)
        .to.equal(of("event_readers"))
        .and.be.greaterThan(0);
    });

    it("refuses a truncated or changed file, and a database with rows, and restores nothing", async () => {
      const { url } = await filled();
      const file = newFile("gz");
      await archive(url, file);
      const target = await emptyUrl();
      const bytes = readFileSync(file);
      const refusal = (from: string, to: string) =>
        readArchive(from, into(to, NO_GAP)).catch((error: Error) => error.message);
      const broken = newFile("gz");
      writeFileSync(broken, bytes.subarray(0, bytes.length - 500));
      expect(await refusal(broken, target)).to.match(/cut off|unexpected end/i);
      writeFileSync(broken, gzipSync(gunzipSync(bytes).toString("utf8").replace('"tAna"', '"tEva"')));
      expect(await refusal(broken, target)).to.include("cut off or was changed");
      const text = gunzipSync(bytes).toString("utf8");
      // A row without the one it refers to: the hash is checked before the database sees it.
      writeFileSync(broken, gzipSync(text.replace(/^\["users"[^\n]*\n/m, "")));
      expect(await refusal(broken, target)).to.include("cut off or was changed");
      const [first = "", second = ""] = text.split("\n");
      const { migrations } = JSON.parse(first);
      const head = (changed: object) => JSON.stringify({ ...JSON.parse(first), ...changed });
      const ofAnotherVersion = /has the schema of another version \(0\d{3}-.*restore it with that version/;
      for (const [line, written, said] of [
        [first, first.replace("0001-initial", "0001-other"), ofAnotherVersion],
        [first, head({ migrations: [...migrations, "0002-later"] }), ofAnotherVersion],
        [first, head({ migrations: [...migrations, ...migrations] }), ofAnotherVersion],
        [first, head({ migrations: [] }), /is not a backup of Torcida/],
        [first, head({ migrations: [1] }), /is not a backup of Torcida/],
        [first, head({ createdAt: "yesterday" }), /is not a backup of Torcida/],
        [second, second.replace('"email":', '"unknown":'), /was not restored, and .* is as it was: .*unknown/],
        [second, `${second}\n${second}`, /was not restored, and .* is as it was: .*unique/i],
        [second, '["unknown",{}]', /has rows of unknown, a table that its version does not have/],
        [second, "{}", /was not restored, and .* is as it was/],
      ] as const) {
        writeFileSync(broken, sealed(text.replace(line, () => written)));
        expect(await refusal(broken, target), written.slice(0, 200)).to.match(said);
      }
      expect(await refusal(file, url)).to.match(/is not empty \(\w+ has rows\)/);
      const restored = await connect(target);
      // A new database has the totals, at zero, and the clubs that are built in.
      const seeded = ["shop_totals", "clubs", "club_names"];
      for (const table of TABLE_NAMES.filter((name) => !seeded.includes(name)))
        expect(await contents(restored, table), table).to.deep.equal([]);
      await restored.close();
      expect(readdirSync(directory).filter((name) => name.includes("unfinished"))).to.deep.equal([]);
    });
  });

  it("soon refuses a small file that unpacks to 300 MB without a line feed", async () => {
    const file = newFile("gz");
    await pipeline(
      Readable.from(Array(300).fill(Buffer.alloc(1024 * 1024, "x"))),
      createGzip(),
      createWriteStream(file),
    );
    const target = newFile("db");
    const started = Date.now();
    const refusal = await readArchive(file, into(target, NO_GAP)).catch((error: Error) => error.message);
    expect(refusal).to.match(/has a line of more than .* characters: it is not a backup/);
    expect(Date.now() - started).to.be.lessThan(5_000);
    expect(existsSync(target), "no database was made").to.equal(false);
  });

  it("knows every table", async () => {
    const database = await connect(":memory:");
    await migrate(database);
    const present = (await database.kysely.introspection.getTables()).map((table) => table.name);
    expect(present.filter((name) => !name.startsWith("sqlite_")).sort()).to.deep.equal([...TABLE_NAMES].sort());
    await database.close();
  });
});

async function contents(database: Database, table: keyof typeof TABLES): Promise<Record<string, unknown>[]> {
  const order = sql.join(TABLES[table].map((column) => sql.ref(column)));
  return (
    await sql<Record<string, unknown>>`select * from ${sql.table(table)} order by ${order}`.execute(database.kysely)
  ).rows;
}

const user = (wallet: WalletAddress) => ({
  wallet,
  email: "ana@example.com",
  first_name: "Ana",
  last_name: 'Maria "i12" \u2028\nSilva',
  created_at: 2n ** 62n + 1n,
});
const session = (wallet: WalletAddress) => ({
  token_hash: `hash of ${wallet}`,
  wallet,
  kind: "nonce" as const,
  created_at: 1n,
  last_seen_at: 1n,
});

async function fill({ kysely }: Database): Promise<void> {
  const now = 1n;
  await kysely.insertInto("users").values(user(WALLET)).execute();
  await kysely.insertInto("sessions").values(session(WALLET)).execute();
  const store = { name: "A", country: "BR", featured: 1n, created_at: now, updated_at: now };
  await kysely.insertInto("stores").values(store).execute();
  await insertPurchase({ kysely } as Database);
  await kysely.insertInto("settings").values({ name: "catalogue_version", value: "3", updated_at: now }).execute();
  await kysely
    .insertInto("leases")
    .values({ name: "sender", holder: "one", fencing_token: 7n, expires_at: 9_999_999_999_999n })
    .execute();
  const events = Array.from({ length: 5_001 }, (_, index) => ({
    network: `network-${index % 3}`,
    event_id: `event ${index}`,
    click_id: "click",
    kind: "report" as const,
    body_hash: "hash",
    received_at: BigInt(index),
  }));
  for (let index = 0; index < events.length; index += 1_000) {
    await kysely
      .insertInto("affiliate_events")
      .values(events.slice(index, index + 1_000))
      .execute();
  }
}

async function insertPurchase({ kysely }: Database): Promise<bigint> {
  const { id } = await kysely
    .insertInto("purchases")
    .values({
      wallet: WALLET,
      store_id: 1n,
      store_name: "A",
      amount_cents: 10_000n,
      cashback_bps: 500n,
      bonus_bps: 0n,
      token_slug: null,
      balance_block: null,
      source: "live",
      wei_per_cent: 2n ** 62n,
      payable_at: null,
      click_id: crypto.randomUUID(),
      reversed_at: null,
      settled_at: null,
      metadata_uri: "",
      created_at: 1n,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

async function archive(url: string, file: string): Promise<{ rows: number }> {
  const database = await connect(url);
  return writeArchive(database, file).finally(() => database.close());
}

/** An archive of these lines, whose last one is made anew. */
function sealed(text: string): Buffer {
  const lines = text.split("\n").slice(0, -2);
  const sha256 = createHash("sha256")
    .update(`${lines.join("\n")}\n`)
    .digest("hex");
  return gzipSync(`${[...lines, JSON.stringify({ rows: lines.length - 1, sha256 })].join("\n")}\n`);
}

function into(databaseUrl: string, idGap?: bigint) {
  return {
    databaseUrl,
    network: "localhost" as const,
    ...(idGap !== undefined && { idGap }),
    erased: readErasedList("missing", { SALE_REF_KEYS: [] }),
  };
}

import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../../core/database/connect.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { BIG_DAY_MS } from "../../core/rules/iso-time.ts";
import { Prepared } from "../http/prepared.ts";
import type { StaticFiles } from "./static-files.ts";

/** Vite's: a name, the hash of its content, an ending. */
const HASHED = /^\/assets\/[\w.-]{1,120}$/;
/** A tab that stays open for longer renews itself at its next page. */
const KEPT_MS = 7n * BIG_DAY_MS;
/** Far more than the builds of a week have; those that nobody has named for longest go first. */
const FILES = 5_000;
const CACHED_BYTES = 32 * 1024 * 1024;
/** However many names strangers guess, the database is asked this often. */
const LOOK_EVERY_MS = 250;

/**
 * The files of other builds, from the database: in a rolling upgrade a page of one process asks another one for its
 * parts. Those of the own build are answered from memory and never come here. docs/upgrading.md#several-processes
 */
export class SharedFiles {
  readonly own: StaticFiles;
  readonly #database: Pick<Database, "kysely">;
  /** Newest last. */
  readonly #cached = new Map<string, Prepared>();
  #paths: ReadonlySet<string> = new Set();
  #look: Promise<void> | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(database: Pick<Database, "kysely">, own: StaticFiles) {
    this.#database = database;
    this.own = own;
  }

  /** Puts the own build's files beside those of others, or says that they are still in use. */
  async share(now = BigInt(Date.now())): Promise<void> {
    const files = [...this.own].filter(([path, { isHashed }]) => isHashed && HASHED.test(path));
    const paths = files.map(([path]) => path);
    if (paths.length === 0) return;
    const { kysely } = this.#database;
    const known = kysely.selectFrom("site_files").select("path").where("path", "in", paths);
    const present = new Set((await known.execute()).map(({ path }) => path));
    await inTransaction(kysely, async (queries) => {
      for (const [path, { content }] of files)
        if (!present.has(path))
          await queries
            .insertInto("site_files")
            .values({ path, content: content.bytes.toString("base64"), seen_at: now })
            .onConflict((conflict) => conflict.column("path").doNothing())
            .execute();
      await queries
        .updateTable("site_files")
        .set({ seen_at: now })
        .where("path", "in", paths)
        .where("seen_at", "<", now)
        .execute();
    });
  }

  /** A file of another build; undefined if no build of late has it. @throws if the database is away */
  async find(path: string): Promise<Prepared | undefined> {
    if (!HASHED.test(path)) return undefined;
    const cached = this.#cached.get(path);
    if (cached) return cached;
    if (!this.#paths.has(path)) await this.#lookSoon();
    if (!this.#paths.has(path)) return undefined;
    // One after the other, whoever asks.
    const read = this.#reading.then(() => this.#cached.get(path) ?? this.#read(path));
    this.#reading = read.catch(() => {});
    return read;
  }

  /** Reads which files there are, for all that ask in the meantime: what was shared before they asked is found. */
  #lookSoon(): Promise<void> {
    this.#look ??= delay(LOOK_EVERY_MS).then(async () => {
      this.#look = undefined;
      const rows = await this.#database.kysely
        .selectFrom("site_files")
        .select("path")
        .limit(2 * FILES)
        .execute();
      this.#paths = new Set(rows.map(({ path }) => path));
    });
    return this.#look;
  }

  async #read(path: string): Promise<Prepared | undefined> {
    const row = await this.#database.kysely
      .selectFrom("site_files")
      .select("content")
      .where("path", "=", path)
      .executeTakeFirst();
    if (!row) return undefined;
    const file = new Prepared(Buffer.from(row.content, "base64"), { isCompressible: !/\.(?:woff2|png)$/.test(path) });
    this.#cached.set(path, file);
    let bytes = [...this.#cached.values()].reduce((sum, one) => sum + one.bytes.length, 0);
    for (const [oldest, { bytes: its }] of this.#cached) {
      if (bytes <= CACHED_BYTES) break;
      bytes -= its.length;
      this.#cached.delete(oldest);
    }
    return file;
  }
}

/** Deletes files that no process has had for a week. Returns whether there may be more. docs/operations.md#what-ends */
export async function deleteOldSiteFiles(queries: Queries, now: bigint, limit: number): Promise<boolean> {
  const tooMany = queries.selectFrom("site_files").select("path").orderBy("seen_at", "desc").offset(FILES).limit(limit);
  const old = queries
    .selectFrom("site_files")
    .select("path")
    .where("seen_at", "<", now - KEPT_MS)
    .orderBy("seen_at")
    .limit(limit);
  const paths = [...(await old.execute()), ...(await tooMany.execute())].map(({ path }) => path);
  if (paths.length === 0) return false;
  await queries.deleteFrom("site_files").where("path", "in", paths).execute();
  return paths.length >= limit;
}

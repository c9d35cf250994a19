import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import express, { type NextFunction, type Request, type Response } from "express";
import { deleteOldSiteFiles, SharedFiles } from "../../api/site/shared-files.ts";
import { readStaticFiles, serveStaticFiles } from "../../api/site/static-files.ts";
import type { Database } from "../../core/database/connect.ts";
import { BIG_DAY_MS } from "../../core/rules/iso-time.ts";
import { onBothEngines } from "../testing/databases.ts";

type Folder = Record<string, string>;
const OLD: Folder = { "assets/page-aaaaaaaa.js": "old page", "index.html": "old" };
const NEW: Folder = {
  "assets/page-bbbbbbbb.js": "new page",
  "assets/dialog-cccccccc.js": "new dialog",
  "index.html": "new",
};

describe("The web app's files of several builds", () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  function folderOf(files: Folder): string {
    const folder = mkdtempSync(join(tmpdir(), "torcida-build-"));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, "assets"));
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return folder;
  }

  /** A process that serves a build: what it answers under a path. */
  async function serving(database: Pick<Database, "kysely">, build: Folder, now?: bigint) {
    const folder = folderOf(build);
    const files = new SharedFiles(database, readStaticFiles(folder));
    await files.share(now);
    const app = express().use(serveStaticFiles(files.own, (path) => files.find(path)));
    app.use((_error: unknown, _request: Request, response: Response, _next: NextFunction) => {
      response.status(500).end();
    });
    const server = app.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    ends.push(() => server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      const text = await response.text();
      return {
        status: response.status,
        text,
        cache: response.headers.get("cache-control"),
        type: response.headers.get("content-type"),
      };
    };
    return { folder, files, get };
  }

  /** A database that can be away. */
  function breakable({ kysely }: Database) {
    let isAway = false;
    return {
      database: {
        get kysely() {
          if (isAway) throw new Error("The database is away");
          return kysely;
        },
      },
      set: (away: boolean) => {
        isAway = away;
      },
    };
  }

  onBothEngines(({ open }) => {
    it("are answered by each process, whichever started first", async () => {
      const { database, again } = await open();
      const old = await serving(database, OLD);
      expect((await old.get("/assets/page-bbbbbbbb.js")).status).to.equal(404);
      const later = await serving(await again(), NEW);
      expect(await old.get("/assets/page-bbbbbbbb.js")).to.deep.equal({
        status: 200,
        text: "new page",
        cache: "public, max-age=31536000, immutable",
        type: "text/javascript; charset=utf-8",
      });
      expect((await later.get("/assets/page-aaaaaaaa.js")).text).to.equal("old page");
      expect((await old.get("/index.html")).text).to.equal("old");
    });

    it("are not kept as missing by anybody", async () => {
      const { database } = await open();
      const { get } = await serving(database, OLD);
      const missing = await get("/assets/page-zzzzzzzz.js");
      expect([missing.status, missing.cache]).to.deep.equal([404, "no-store"]);
    });

    it("are found again after the database was away", async () => {
      const { database } = await open();
      const away = breakable(database);
      const old = await serving(away.database, OLD);
      await serving(database, NEW);
      away.set(true);
      expect((await old.get("/assets/page-bbbbbbbb.js")).status).to.equal(500);
      expect((await old.get("/assets/page-aaaaaaaa.js")).text).to.equal("old page");
      away.set(false);
      expect((await old.get("/assets/page-bbbbbbbb.js")).text).to.equal("new page");
      away.set(true);
      expect((await old.get("/assets/page-bbbbbbbb.js")).text).to.equal("new page");
    });

    it("ask the database once for all names that strangers guess meanwhile", async () => {
      const { database } = await open();
      let asked = 0;
      const counting = {
        get kysely() {
          asked++;
          return database.kysely;
        },
      };
      const files = new SharedFiles(counting, new Map());
      const guesses = Array.from({ length: 500 }, (_, index) => files.find(`/assets/guess-${index}.js`));
      expect(new Set(await Promise.all(guesses))).to.deep.equal(new Set([undefined]));
      expect(asked).to.equal(1);
      expect(await files.find("/assets/../index.html")).to.equal(undefined);
      expect(asked).to.equal(1);
    });

    it("stay as they were while the folder is built anew, and for the build of before a week", async () => {
      const { database } = await open();
      const now = BigInt(Date.now());
      const old = await serving(database, OLD, now - 8n * BIG_DAY_MS);
      await serving(database, NEW, now - 6n * BIG_DAY_MS);
      rmSync(join(old.folder, "assets"), { recursive: true });
      expect((await old.get("/assets/page-aaaaaaaa.js")).text).to.equal("old page");
      const paths = async () => {
        const rows = await database.kysely.selectFrom("site_files").select("path").orderBy("path").execute();
        return rows.map(({ path }) => path);
      };
      expect(await deleteOldSiteFiles(database.kysely, now, 500)).to.equal(false);
      expect(await paths()).to.deep.equal(["/assets/dialog-cccccccc.js", "/assets/page-bbbbbbbb.js"]);
      await old.files.share(now);
      expect(await deleteOldSiteFiles(database.kysely, now + 2n * BIG_DAY_MS, 500)).to.equal(false);
      expect(await paths()).to.deep.equal(["/assets/page-aaaaaaaa.js"]);
    });
  });
});

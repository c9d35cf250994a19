/** How long the server takes for a page of 10,000 stores, on SQLite and on the PostgreSQL that `--postgres URL` names. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toWireStore } from "../api/catalogue/wire.ts";
import { listOffered, type OfferQuery, readFilters } from "../catalogue/store-list.ts";
import { connect, type Database } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { fillStores } from "./fill-stores.ts";
import { round } from "./scale/http.ts";
import { medianMs } from "./scale/load.ts";

const STORES = 10_000;
const TURNS = 9;
const QUESTIONS: Record<string, Partial<OfferQuery>> = {
  "the first page": { sort: "cashback", limit: 24 },
  "500 by id": {},
  "by name": { sort: "name", limit: 24 },
  "the newest": { sort: "newest", limit: 24 },
  "the featured": { featured: true, limit: 4 },
  "a country": { country: "Brasil", sort: "cashback", limit: 24 },
  "three filters": { country: "brasil", category: "Café", club: "Santos", limit: 24 },
  "a rare word": { query: "z7777", limit: 24 },
  "a common word": { query: "armazem", limit: 24 },
  "two words": { query: "cafe armazem", sort: "name", limit: 24 },
  "one letter": { query: "a", sort: "cashback", limit: 24 },
  nothing: { query: "inexistente", country: "Brasil", limit: 24 },
};

async function measure(database: Database): Promise<Record<string, number>> {
  const medianOf = async (work: () => Promise<unknown>) => round(await medianMs(TURNS, work));
  const figures: Record<string, number> = { filters: await medianOf(() => readFilters(database.kysely)) };
  for (const [name, query] of Object.entries(QUESTIONS)) {
    figures[name] = await medianOf(async () => {
      const page = await listOffered(database.kysely, { limit: 500, ...query });
      return JSON.stringify(page.rows.map(toWireStore));
    });
  }
  return figures;
}

const { values } = parseArgs({ options: { postgres: { type: "string" } } });
const directory = mkdtempSync(join(tmpdir(), "torcida-stores-"));
const places = {
  SQLite: `sqlite:${join(directory, "bench.db")}`,
  ...(values.postgres ? { PostgreSQL: values.postgres } : {}),
};
const result: Record<string, Record<string, number>> = {};
for (const [engine, url] of Object.entries(places)) {
  const database = await connect(url);
  try {
    await migrate(database);
    await fillStores(database, STORES);
    result[engine] = await measure(database);
  } finally {
    await database.close();
  }
}
rmSync(directory, { recursive: true });
console.table(result);
console.log(JSON.stringify({ stores: STORES, medianMs: result }));

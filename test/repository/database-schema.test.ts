import { globSync, readFileSync } from "node:fs";
import { parse } from "node:path";
import Sqlite from "better-sqlite3";
import { expect } from "chai";
import { COMPUTED, NUMBERED, TABLES } from "../../core/database/generated/schema.ts";
import { MIGRATIONS } from "../../core/database/migrate.ts";
import { migrationsSql, SCHEMA_FILE, schemaSource } from "../../scripts/developer/generate/database-schema.ts";

type Column = { name: string; notnull: number; pk: number; hidden: number };

describe("core/database/generated/schema.ts", () => {
  const source = readFileSync(SCHEMA_FILE, "utf8");

  it("is what `npm run schema` writes from the migrations' SQL", () => {
    expect(source).to.equal(schemaSource());
  });

  it("has the tables, columns and keys that SQLite makes of it, and says which may be null", () => {
    const sqlite = new Sqlite(":memory:");
    sqlite.exec(migrationsSql());
    const made = sqlite.prepare<[], { name: string; sql: string }>(
      "select name, sql from sqlite_master where type = 'table' and name not like 'sqlite_%'",
    );
    const tables = made.all();
    expect(Object.keys(TABLES)).to.have.members(tables.map(({ name }) => name));
    for (const { name, sql } of tables) {
      const columns = sqlite.pragma(`table_xinfo(${name})`) as Column[];
      const [, body = ""] = new RegExp(`^  ${name}: \\{\\n([^]*?)^  \\};`, "m").exec(source) ?? [];
      const typed = [...body.matchAll(/^ {4}(\w+): (.+);$/gm)].map(([, column, type]) => [
        column,
        type?.includes("null"),
      ]);
      const mayBeNull = ({ notnull, pk, hidden }: Column) => notnull === 0 && pk === 0 && hidden === 0;
      expect(typed, name).to.deep.equal(columns.map((column) => [column.name, mayBeNull(column)]));
      const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
      expect(TABLES[name as keyof typeof TABLES], name).to.deep.equal(keys.map((column) => column.name));
      expect((NUMBERED as readonly string[]).includes(name), name).to.equal(sql.includes("autoincrement"));
      for (const column of columns) expect(COMPUTED.has(column.name), column.name).to.equal(column.hidden > 0);
    }
    sqlite.close();
  });

  it("would have a column that a later migration adds", () => {
    const later = "-- Who asked.\nalter table sessions add column asked_by text not null default ''; -- : Hex\n";
    expect(schemaSource(`${migrationsSql()}\n${later}`)).to.equal(
      source.replace(
        /(^ {2}sessions: \{\n[\s\S]*?)(^ {2}\};)/m,
        "$1    /** Who asked. */\n    asked_by: Generated<Hex>;\n$2",
      ),
    );
  });

  it("would have a column's new words, once a later migration says them", () => {
    const later = "-- retype sessions.kind: 'nonce' | 'compat' | 'device'\n";
    expect(schemaSource(`${migrationsSql()}\n${later}`)).to.equal(
      source.replace('    kind: "nonce" | "compat";\n', '    kind: "nonce" | "compat" | "device";\n'),
    );
  });
});

describe("The migrations", () => {
  it("are applied in the order of their numbers, which an archive names them by", () => {
    const files = new Set(globSync("core/database/migrations/0*.{ts,sql}").map((file) => parse(file).name));
    const names = MIGRATIONS.map(({ name }) => name.replace(/-[0-9a-f]{8}$/, ""));
    expect(names).to.deep.equal([...files].sort());
  });
});

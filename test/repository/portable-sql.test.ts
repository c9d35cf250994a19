import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

/** Features that CockroachDB, YugabyteDB or Citus lack or implement differently; docs/operations.md. */
const NOT_PORTABLE: Record<string, RegExp> = {
  "advisory locks": /pg_(try_)?advisory/i,
  "LISTEN and NOTIFY": /\b(listen|notify)\s+[a-z_]+\s*[;`"']|pg_notify/,
  "triggers and stored procedures": /create\s+(or\s+replace\s+)?(trigger|function|procedure|rule)\b/i,
  "LOCK TABLE": /\block\s+table\b/i,
  "temporary tables": /create\s+temp(orary)?\s+table|on\s+commit\s+(drop|delete)/i,
  "exclusion constraints": /\bexclude\s+using\b/i,
  "SKIP LOCKED": /skip\s+locked|skipLocked\(/i,
  "named cursors": /declare\s+\w+\s+cursor/i,
  "row addresses": /\b(ctid|xmin)\b/,
  extensions: /create\s+extension/i,
  "unlogged tables and inheritance": /\bunlogged\s+table\b|\binherits\s*\(/i,
  "COPY from a file": /\bcopy\s+\w+\s+(from|to)\s+['"]/i,
};

/** Exceptions; docs/operations.md says what they require of an engine. */
const KNOWN = new Set(["indexer/store/chain-index.ts: temporary tables"]);

const refusalsOf = (text: string) =>
  Object.entries(NOT_PORTABLE).flatMap(([name, pattern]) => (pattern.test(text) ? [name] : []));

describe("SQL that PostgreSQL-compatible engines support", () => {
  const files = ["api", "core", "deploy", "indexer", "scripts"].flatMap((room) =>
    globSync(`${room}/**/*.ts`, { exclude: ["**/node_modules/**"] }),
  );

  it("is the only SQL in use", () => {
    expect(files.length).to.be.greaterThan(50);
    const wrong = files.flatMap((file) => refusalsOf(readFileSync(file, "utf8")).map((name) => `${file}: ${name}`));
    expect(wrong.filter((one) => !KNOWN.has(one))).to.deep.equal([]);
  });

  for (const [name, sql] of Object.entries({
    "advisory locks": "select pg_advisory_xact_lock(1)",
    "LISTEN and NOTIFY": "listen changes;",
    "triggers and stored procedures": "create or replace function f() returns int",
    "LOCK TABLE": "lock table purchases in exclusive mode",
    "temporary tables": "create temp table t (id bigint)",
    "SKIP LOCKED": "select 1 for update skip locked",
    "row addresses": "select ctid from purchases",
    extensions: "create extension pgcrypto",
  })) {
    it(`detects ${name}`, () => expect(refusalsOf(sql)).to.include(name));
  }
});

import type Sqlite from "better-sqlite3";

const STATEMENT_CACHE_SIZE = 500;

export type Statements = { prepare(sql: string): Sqlite.Statement<unknown[]>; close(): void };

/** Kysely prepares each query again. A process has few distinct statements, so they are kept here. */
export function keepStatements(sqlite: Sqlite.Database): Statements {
  const statements = new Map<string, Sqlite.Statement<unknown[]>>();
  return {
    close: () => sqlite.close(),
    prepare(sql) {
      const known = statements.get(sql);
      if (known) return known;
      if (statements.size >= STATEMENT_CACHE_SIZE) statements.clear();
      const prepared = sqlite.prepare<unknown[]>(sql);
      statements.set(sql, prepared);
      return prepared;
    },
  };
}

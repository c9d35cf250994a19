import { type Postgres, startPostgres } from "../../testing/postgres.ts";
import { type FaultSystem, type FaultSystemOptions, startFaultSystem } from "./fault-system.ts";

export type Engine = "SQLite" | "PostgreSQL";
type Declare = (system: () => FaultSystem, engine: Engine) => void;

/**
 * Declares the same tests for a running system on SQLite and for one on PostgreSQL, for behaviour that may depend on
 * the database. `npm run test:deep` runs those on PostgreSQL.
 */
export function onBothSystems(options: FaultSystemOptions, declare: Declare): void {
  onSystem("SQLite", options, declare);
  onSystem("PostgreSQL", options, declare, "@deep");
}

/** Declares tests for a running system on one engine, for behaviour that does not depend on the database. */
export function onSystem(engine: Engine, options: FaultSystemOptions, declare: Declare, tag = ""): void {
  describe(`on ${engine} ${tag}`.trim(), function () {
    this.timeout(300_000);
    let postgres: Postgres | undefined;
    let system: FaultSystem | undefined;
    before(async () => {
      if (engine === "PostgreSQL") postgres = await startPostgres();
      system = await startFaultSystem({ ...options, databaseUrl: await postgres?.createDatabase() });
    });
    after(async () => {
      await system?.stop();
      await postgres?.stop();
    });
    declare(() => {
      if (!system) throw new Error("The system did not start");
      return system;
    }, engine);
  });
}

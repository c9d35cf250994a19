import { type Postgres, startPostgres } from "../../testing/postgres.ts";
import { type FaultSystem, type FaultSystemOptions, startFaultSystem } from "./fault-system.ts";

/** Declares the same tests for a running system on SQLite and for one on PostgreSQL. */
export function onBothSystems(
  options: FaultSystemOptions,
  declare: (system: () => FaultSystem, engine: "SQLite" | "PostgreSQL") => void,
): void {
  for (const engine of ["SQLite", "PostgreSQL"] as const) {
    describe(`on ${engine}`, function () {
      this.timeout(120_000);
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
}

/**
 * Whole systems under random faults from a seed, for as long as one likes, then a verdict: `npm run chaos`, `npm run
 * cluster` and `npm run histories`, each with its own options. docs/faults.md
 */
import type { ParseArgsOptionsConfig } from "node:util";
import { messageOf } from "../../core/rules/unknown-error.ts";
import { readOptions, refuseOptions } from "../../scripts/developer/read-options.ts";
import { startPostgres } from "../testing/postgres.ts";
import { chaos } from "./chaos.ts";
import { cluster } from "./cluster.ts";
import { histories } from "./histories.ts";

export type Engine = "sqlite" | "postgres";

/** What one run of a scenario gets: numbers are whole or positive, as its options say. */
export type LongRun = {
  engine: Engine;
  seed: number;
  /** Starts a PostgreSQL if that is the engine; without it, SQLite in a folder of its own. */
  databaseUrl: string | undefined;
  options: Record<string, string | boolean | undefined>;
  /** One of the scenario's `numbers`. */
  number(name: string): number;
  /** Stopped at the end of the run, whatever happens, the last one first. */
  stopLater(one: { stop(): Promise<unknown> }): void;
  /** Prints a line about a violation. */
  tell(sentence: string): void;
};

export type Scenario = {
  /** Beside `--seed` and `--database`. */
  options: ParseArgsOptionsConfig;
  /** The options that are positive numbers, read before anything is started. */
  numbers: readonly string[];
  usage: string;
  /** Without `--database`. */
  engines: readonly Engine[];
  /** Each run has the next seed. */
  runs?(number: (name: string) => number): number;
  /** Returns whether the final state is correct. */
  run(run: LongRun): Promise<boolean>;
  verdict: { right: string; wrong: string };
};

const SCENARIOS: Record<string, Scenario> = { chaos, cluster, histories };

const [name = "", ...args] = process.argv.slice(2);
const scenario = SCENARIOS[name];
if (!scenario) refuseOptions(`There is no scenario ${name}; the scenarios are ${Object.keys(SCENARIOS).join(", ")}`);
process.exit((await runAll(scenario)) ? 0 : 1);

async function runAll({ options, numbers, usage, engines, runs, verdict, run }: Scenario): Promise<boolean> {
  const general = { seed: { type: "string" }, database: { type: "string" } } as const;
  const values: LongRun["options"] = { ...readOptions({ args, options: { ...general, ...options } }).values };
  const number = (name: string) => Number(values[name]);
  if (!numbers.every((name) => number(name) > 0)) refuse(usage);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const chosen = (["sqlite", "postgres"] as const).filter((engine) => engine === values.database);
  if (!Number.isInteger(seed) || (values.database !== undefined && chosen.length === 0)) refuse(usage);
  let failures = 0;
  for (let each = 0; each < (runs?.(number) ?? 1); each++) {
    for (const engine of chosen.length > 0 ? chosen : engines) {
      const isRight = await runOnce({ engine, seed: seed + each, options: values, number }, run);
      if (!isRight) failures++;
    }
  }
  console.log(`Seed ${seed}: ${failures === 0 ? verdict.right : `${failures} ${verdict.wrong}`}`);
  return failures === 0;
}

type OneRun = Pick<LongRun, "engine" | "seed" | "options" | "number">;

async function runOnce(one: OneRun, run: Scenario["run"]): Promise<boolean> {
  const parts: { stop(): Promise<unknown> }[] = [];
  const stop = async () => {
    for (const part of parts.splice(0).reverse()) await part.stop().catch((error) => console.error(messageOf(error)));
  };
  const interrupted = () => void stop().then(() => process.exit(1));
  const tell = (sentence: string) => console.error(`${one.engine}, seed ${one.seed}: ${sentence}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupted);
  try {
    const postgres = one.engine === "postgres" ? await startPostgres() : undefined;
    if (postgres) parts.push(postgres);
    const databaseUrl = await postgres?.createDatabase();
    return await run({ ...one, databaseUrl, stopLater: (one) => parts.push(one), tell });
  } catch (error) {
    tell(messageOf(error));
    return false;
  } finally {
    await stop();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupted);
  }
}

function refuse(usage: string): never {
  refuseOptions(`npm run ${name} -- [--seed WHOLE_NUMBER] [--database sqlite|postgres] ${usage}`);
}

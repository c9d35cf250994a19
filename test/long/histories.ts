import { runHistories } from "../faults/support/sale-histories.ts";
import type { Scenario } from "./main.ts";

/** Random sale histories, judged to the gwei. */
export const histories: Scenario = {
  options: { runs: { type: "string", default: "1" }, histories: { type: "string", default: "40" } },
  numbers: ["runs", "histories"],
  usage: "[--runs NUMBER] [--histories NUMBER]",
  engines: ["sqlite", "postgres"],
  runs: (number) => number("runs"),
  verdict: { right: "every wallet holds what its networks reported", wrong: "FAILED" },
  async run({ engine, seed, databaseUrl, number, tell }) {
    const options = { seed, histories: number("histories"), ...(databaseUrl && { databaseUrl }) };
    const { differences, ...counts } = await runHistories(options);
    console.log(`${engine}, seed ${seed}: ${JSON.stringify(counts)}`);
    for (const difference of differences) tell(difference);
    return differences.length === 0;
  },
};

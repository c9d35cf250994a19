/**
 * Prints the history of one purchase, from the database and the chain: `npm run trace -- PURCHASE [--json]`. Read-only.
 */

import { parseArgs } from "node:util";
import { cashbackDistributorAbi } from "../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../core/chain/generated/purchase-nft.ts";
import type { Database } from "../core/database/connect.ts";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import { tracePurchase } from "../core/purchases/trace.ts";
import { ticketContractOf } from "../core/purchases/view.ts";
import { purchaseStatusFromChain } from "../core/rules/purchase/life.ts";
import { messageOf } from "../core/rules/unknown-error.ts";
import { type OperatorEnvironment, readOperatorEnvironment } from "./operator/environment.ts";
import { openKnownChain } from "./operator/open-chain.ts";
import { openDatabase } from "./operator/open-database.ts";

const USAGE = "npm run trace -- PURCHASE [--json], PURCHASE being the purchase's number";

try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } });
  const [number = ""] = positionals;
  if (positionals.length !== 1 || !/^[1-9]\d{0,14}$/.test(number)) throw new UsageError(USAGE);
  const environment = readOperatorEnvironment(process.env);
  const database = await openDatabase(environment, { print: !values.json && console.log });
  try {
    const trace = await tracePurchase(database.kysely, BigInt(number));
    const onChain = await readChain(environment, database, BigInt(number));
    const asNumber = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
    if (values.json) console.log(JSON.stringify({ purchase: Number(number), ...trace, onChain }, asNumber));
    else print(number, trace, onChain);
    if (!trace) process.exitCode = 1;
  } finally {
    await database.close();
  }
} catch (error) {
  console.error(failureText(error));
  process.exitCode = 1;
}

function print(number: string, trace: Awaited<ReturnType<typeof tracePurchase>>, onChain: string): void {
  if (!trace) {
    console.log(`Purchase ${number} is not in this database`);
  } else {
    console.log(`Purchase ${number} of ${trace.wallet}`);
    for (const { atMs, source, text } of trace.steps) {
      console.log(`${new Date(Number(atMs)).toISOString()}  ${source.padEnd(8)}  ${text}`);
    }
    for (const question of trace.openQuestions) console.log(`Open: ${question}`);
  }
  console.log(`Chain: ${onChain}`);
}

/** The state in the contracts; an unavailable node is reported but does not stop the command. */
async function readChain(environment: OperatorEnvironment, database: Database, id: bigint): Promise<string> {
  const { contracts } = environment;
  if (!contracts) return "no contracts are known for this network";
  const { client } = await openKnownChain(environment, database, contracts.purchaseNft);
  try {
    const place = await database.kysely
      .selectFrom("nfts")
      .select("contract")
      .where("token_id", "=", id)
      .executeTakeFirst();
    const address = place ? ticketContractOf(contracts, place) : contracts.purchaseNft;
    const nft = { address, abi: purchaseNftAbi } as const;
    const block = await client.getBlockNumber();
    const at = { blockNumber: block };
    const isPaid = await client.readContract({
      address: contracts.cashbackDistributor,
      abi: cashbackDistributorAbi,
      functionName: "isPaid",
      args: [id],
      ...at,
    });
    const owner = await client
      .readContract({ ...nft, functionName: "ownerOf", args: [id], ...at })
      .catch(() => undefined);
    const status = owner
      ? (await client.readContract({ ...nft, functionName: "purchaseOf", args: [id], ...at })).status
      : 0;
    return chainStateText({ status, owner, isPaid, block });
  } catch (error) {
    return `not to be read now (${messageOf(error).split("\n")[0]})`;
  }
}

/** The current state of a purchase in the contracts, in one line. `status` is the contract's number. */
function chainStateText(state: { status: number; owner: string | undefined; isPaid: boolean; block: bigint }): string {
  const token =
    state.owner === undefined
      ? "no token"
      : `the token is ${purchaseStatusFromChain(state.status)} and belongs to ${state.owner}`;
  return `at block ${state.block}: ${token}, ${state.isPaid ? "paid" : "not paid"}`;
}

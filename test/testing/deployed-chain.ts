import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { seedCatalogue } from "../../core/catalogue/seed.ts";
import { type Deployment, deploymentSchema } from "../../core/chain/deployment.ts";
import { connect } from "../../core/database/connect.ts";
import { ensureDataDirectory } from "../../core/database/private-files.ts";
import { prepareDatabase } from "../../core/process/prepare-database.ts";
import type { Network } from "../../core/rules/networks.ts";
import { readDeployConfiguration } from "../../scripts/deploy/configuration.ts";
import { type Anvil, type AnvilOptions, startAnvil } from "./anvil.ts";

/** A chain's state and its record, as `npm run deploy` leaves them. */
type Deployed = { state: Buffer; record: Buffer };

const run = promisify(execFile);
const made = new Map<string, Promise<Deployed>>();

/**
 * A chain with the contracts, and their record in `directory`. A deployment is cached and reused for every later system
 * of this process with the same settings, so only the first waits for about forty blocks.
 */
export async function startDeployedChain(
  directory: string,
  environment: Record<string, string>,
  options: AnvilOptions = {},
): Promise<{ anvil: Anvil; deployment: Deployment }> {
  const key = JSON.stringify([whatIsDeployed(environment), options.hardfork, options.extraArguments]);
  const deployed = made.get(key) ?? deploy(environment, options);
  made.set(key, deployed);
  const { state, record } = await deployed;
  const recordFile = join(environment.DEPLOYMENTS_DIR ?? "", "localhost.json");
  ensureDataDirectory(dirname(recordFile));
  writeFileSync(recordFile, record);
  const stateFile = options.stateFile ?? join(directory, "deployed-chain.json");
  writeFileSync(stateFile, state);
  const loads = options.stateFile ? [] : ["--load-state", stateFile];
  const anvil = await startAnvil({ ...options, extraArguments: [...(options.extraArguments ?? []), ...loads] });
  return { anvil, deployment: deploymentSchema.parse(JSON.parse(record.toString("utf8"))) };
}

/** Migrates the database and fills the catalogue with the samples, as `npm start` does. */
export async function seedDatabase(
  databaseUrl: string,
  dataDirectory: string,
  deployment: Deployment,
  network: Network = "localhost",
): Promise<void> {
  await prepareDatabase({ databaseUrl, dataDirectory, network, onWait: () => {} });
  const database = await connect(databaseUrl);
  const contracts = Object.fromEntries(deployment.fanTokens.map(({ slug, address }) => [slug, address]));
  await seedCatalogue(database, { contracts }).finally(() => database.close());
}

/** Everything a deployment reads from the environment, except the node and the default site. */
function whatIsDeployed(environment: Record<string, string>): string {
  const configuration = readDeployConfiguration("localhost", environment);
  const what = { ...configuration, rpcUrls: [], siteUrl: environment.SITE_URL ?? "" };
  return JSON.stringify(what, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

async function deploy(environment: Record<string, string>, options: AnvilOptions): Promise<Deployed> {
  const directory = mkdtempSync(join(tmpdir(), "torcida-deployed-"));
  const stateFile = join(directory, "chain.json");
  const anvil = await startAnvil({ ...options, stateFile });
  try {
    const env = { ...process.env, ...environment, RPC_URLS: anvil.rpcUrl, DEPLOYMENTS_DIR: directory };
    await run(process.execPath, ["scripts/deploy.ts", "--network", "localhost"], { env });
    await anvil.stop();
    return { state: readFileSync(stateFile), record: readFileSync(join(directory, "localhost.json")) };
  } finally {
    await anvil.stop("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  }
}

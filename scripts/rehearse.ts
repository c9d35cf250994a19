/**
 * Live sales without a real network: `npm run rehearse` runs the whole system in live mode on this machine, with
 * simulated networks, and a page on which to shop and to act as the networks. docs/sales.md.
 */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect, type Database } from "../core/database/connect.ts";
import { ensureDataDirectory } from "../core/database/private-files.ts";
import { failureText } from "../core/process/failure-text.ts";
import { linkStores, listShopStores } from "./rehearse/catalogue.ts";
import { Networks } from "./rehearse/networks.ts";
import { serveShop } from "./rehearse/server.ts";
import { runSystem } from "./start/system.ts";

const DEFAULT_SHOP_PORT = 3080;
/** A separate folder, because purchases in `data/` itself are simulated. */
const DEFAULT_DATA_DIR = "data/rehearsal";

try {
  parseArgs();
  await rehearse();
} catch (error) {
  console.error(failureText(error));
  process.exit(1);
}

async function rehearse(): Promise<void> {
  const shopPort = Number(process.env.SHOP_PORT ?? DEFAULT_SHOP_PORT);
  if (!Number.isInteger(shopPort) || shopPort < 1 || shopPort > 65_535)
    throw new Error("SHOP_PORT must be a port, a whole number from 1 to 65535");
  const dataDirectory = process.env.DATA_DIR ?? DEFAULT_DATA_DIR;
  const torcidaUrl = `http://localhost:${process.env.PORT ?? 3000}`;
  const shopUrl = `http://localhost:${shopPort}`;
  ensureDataDirectory(dataDirectory);
  const networks = await Networks.open(join(dataDirectory, "networks.json"), torcidaUrl);
  setVariables(dataDirectory, networks);
  let database: Database | undefined;
  let closeShop: (() => Promise<void>) | undefined;
  await runSystem({
    address: shopUrl,
    prepare: {
      name: "Shop",
      async work(environment) {
        const opened = await connect(environment.DATABASE_URL);
        database = opened;
        await linkStores(opened, shopUrl);
        networks.offer(await listShopStores(opened));
        closeShop = await serveShop(shopPort, { torcidaUrl, networks, database: opened });
      },
    },
    async close() {
      await closeShop?.();
      await networks.close();
      await database?.close();
    },
  });
}

/** What the processes of the rehearsal read, such as the accounts at the simulated networks. */
function setVariables(dataDirectory: string, networks: Networks): void {
  const accountsFile = join(dataDirectory, "accounts.json");
  writeFileSync(accountsFile, JSON.stringify(networks.accounts(), null, 2), { mode: 0o600 });
  chmodSync(accountsFile, 0o600);
  Object.assign(process.env, {
    NETWORK: "localhost",
    DATA_DIR: dataDirectory,
    DEPLOYMENTS_DIR: process.env.DEPLOYMENTS_DIR ?? join(dataDirectory, "deployments"),
    SIMULATED_PURCHASES: "false",
    AFFILIATE_ACCOUNTS: accountsFile,
    // A rehearsal does not last the days after which a claim is usual.
    CLAIM_AFTER_DAYS: process.env.CLAIM_AFTER_DAYS ?? "0",
    FX_RATES: process.env.FX_RATES ?? "USD:5.00,EUR:6.00",
  });
}
